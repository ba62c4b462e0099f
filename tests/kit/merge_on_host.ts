/** What the button of a pull request does on a code host, by git itself in a clone of the host's bare repo. */
import { plainGit, tempFolder } from "./temp_repo.ts";

/** "Create a merge commit", "Squash and merge", "Rebase and merge" (docs.github.com, about merge methods). */
export const MERGE_WAYS = ["merge", "squash", "rebase"] as const;
export type MergeWay = typeof MERGE_WAYS[number];

/** @param then changes the files of the branch afterwards, as somebody else's later push @returns what the host calls the merge commit */
export async function mergeOnHost(
  bare: string,
  { branch, into, way, then }: {
    readonly branch: string;
    readonly into: string;
    readonly way: MergeWay;
    readonly then?: Readonly<Record<string, string>>;
  },
): Promise<string> {
  await using clone = await tempFolder();
  const git = async (...args: string[]) => {
    const { code, stdout, stderr } = await plainGit(clone.path, args);
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  await git("clone", "--quiet", "--branch", into, bare, ".");
  const from = `origin/${branch}`;
  if (way === "merge") await git("merge", "--quiet", "--no-ff", "-m", `Merge ${branch}`, from);
  if (way === "squash") {
    await git("merge", "--quiet", "--squash", from);
    await git("commit", "--quiet", "-m", `${branch} (#12)`);
  }
  if (way === "rebase") {
    // GitHub gives each commit another committer, so that none keeps its id.
    await git("-c", "user.name=GitHub", "rebase", "--quiet", "--force-rebase", into, from);
    await git("switch", "--quiet", "--force-create", into);
  }
  const merged = await git("rev-parse", "HEAD");
  for (const [file, text] of Object.entries(then ?? {})) await clone.write(file, text);
  if (then !== undefined) {
    await git("add", "--all");
    await git("commit", "--quiet", "-m", "docs: what others do");
  }
  await git("push", "--quiet", "origin", `HEAD:${into}`);
  return merged;
}
