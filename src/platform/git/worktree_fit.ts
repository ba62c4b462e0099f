/** Tells whether a commit can be checked out without running any program that its repo names. */
import { GIT_PATHS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { eachItem } from "./answers.ts";
import { type CallGit, gitIn, type GitRunner } from "./call.ts";
import { refuseDriven } from "./drivers.ts";
import { knownNames } from "./drivers_known.ts";
import type { GitLocation } from "./hardening.ts";
import { withOwnIndex } from "./objects.ts";
import { type ListedPath, listedPath } from "./output.ts";

interface TreeEntry extends ListedPath {
  readonly mode: string;
}

/** @throws Failure `refused` for submodules, files that go through a filter (LFS), and settings that would
 * differ in a new work tree */
export async function refuseUnfit(
  runner: GitRunner,
  repo: GitLocation,
  doing: string,
  commit: string,
): Promise<void> {
  const call = gitIn(runner, repo);
  const names = knownNames(runner.processes, repo) ?? await settingNames(call, doing);
  refuseConditional(doing, names);
  const entries = await treeEntries(call, doing, commit);
  refuseEntries(doing, entries);
  if (!await mayNameFilters(repo, names, entries)) return;
  await withOwnIndex(runner, repo, { doing, tree: commit }, async (git) => {
    const paths = entries.filter(({ mode }) => mode !== "120000").map(({ path }) => path);
    await refuseDriven(git, { doing, paths, attributes: ["filter"], from: "index" });
  });
}

async function settingNames(git: CallGit, doing: string): Promise<string[]> {
  const names: string[] = [];
  const decoder = new TextDecoder();
  const args = ["config", "--includes", "--name-only", "--list", "-z"];
  await eachItem(git, { doing, args }, (item) => names.push(decoder.decode(item)));
  return names;
}

function refuseConditional(doing: string, names: readonly string[]): void {
  const conditional = names.find((name) => /^includeif\./i.test(name));
  if (conditional === undefined) return;
  throw new Failure("refused", `Cannot ${doing}: the repo includes settings by condition`, {
    remedy: `Move ${quoted(conditional)} from its settings to your own (~/.gitconfig)`,
  });
}

/** From `mode SP type SP oid TAB path` (git-ls-tree(1)). */
async function treeEntries(git: CallGit, doing: string, commit: string): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const decoder = new TextDecoder();
  const args = ["ls-tree", "-r", "-z", "--full-tree", commit];
  await eachItem(git, { doing, args }, (item) => {
    if (entries.length === GIT_PATHS) {
      throw new Failure("refused", `Cannot ${doing}: there are more than ${GIT_PATHS} files`);
    }
    const mode = decoder.decode(item.subarray(0, 6));
    entries.push({ mode, ...listedPath(item.subarray(item.indexOf(9) + 1)) });
  });
  return entries;
}

function refuseEntries(doing: string, entries: readonly TreeEntry[]): void {
  const submodule = entries.find(({ mode }) => mode === "160000");
  const unfit = submodule ?? entries.find(({ usable }) => !usable);
  if (unfit === undefined) return;
  const why = submodule ? "is a submodule" : "is a name that svc cannot check";
  throw new Failure("refused", `Cannot ${doing}: ${quoted(unfit.path)} ${why}`, {
    remedy: "Work on this repo without work trees of svc",
  });
}

/** False where no file has attributes: those come from `.gitattributes`, `info/attributes` and, since git
 * 2.43, the tree that `attr.tree` names; others are left out of all calls (hardening.ts). */
async function mayNameFilters(
  { commonDir }: GitLocation,
  names: readonly string[],
  entries: readonly TreeEntry[],
): Promise<boolean> {
  if (names.includes("attr.tree")) return true;
  // In any case of letters, which the file system may not tell apart.
  if (entries.some(({ path }) => /(?:^|\/)\.gitattributes$/i.test(path))) return true;
  return await Deno.lstat(`${commonDir}/info/attributes`).then(
    () => true,
    (thrown) => !(thrown instanceof Deno.errors.NotFound),
  );
}
