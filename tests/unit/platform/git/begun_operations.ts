import type { GitOperation } from "svc/platform/git/operation.ts";

/** How git begins each operation, which then waits for the user, and how it gives it up. */
export type BegunOperations = Readonly<
  Record<GitOperation, { readonly begin: readonly string[]; readonly end: readonly string[] }>
>;

/** Makes branches that conflict, in a repo whose `main` has the file `a`. */
export async function begunOperations(
  { path, write, git }: {
    readonly path: string;
    readonly write: (name: string, text: string) => Promise<unknown>;
    readonly git: (...args: string[]) => Promise<string>;
  },
): Promise<BegunOperations> {
  const commit = async (text: string) => {
    await write("a", text);
    await git("commit", "--quiet", "--all", "--message", text.trim());
    return (await git("rev-parse", "HEAD")).trim();
  };
  await git("checkout", "--quiet", "-b", "side");
  const side = await commit("side\n");
  await git("format-patch", "--quiet", "-1", "--output", `${path}/.git/side.patch`);
  await git("checkout", "--quiet", "main");
  const main = await commit("main\n");
  await commit("later\n");
  return {
    merge: { begin: ["merge", "side"], end: ["merge", "--abort"] },
    rebase: { begin: ["rebase", "side"], end: ["rebase", "--abort"] },
    am: { begin: ["am", `${path}/.git/side.patch`], end: ["am", "--abort"] },
    "cherry-pick": { begin: ["cherry-pick", side], end: ["cherry-pick", "--abort"] },
    revert: { begin: ["revert", "--no-edit", main], end: ["revert", "--abort"] },
    bisect: { begin: ["bisect", "start"], end: ["bisect", "reset"] },
  };
}
