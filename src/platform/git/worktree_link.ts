/** Links a new work tree to its repo. `git worktree add` starts two more processes of git for that. */
import { gitObjectId } from "svc/core/git_args.ts";
import { osFailure } from "svc/platform/files/os_errors.ts";
import { lineOf } from "./answers.ts";
import type { CallGit } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { refInFiles } from "./refs.ts";
import { deleteBranch } from "./worktree_branches.ts";
import { isFolder } from "./worktree_list.ts";
import { discard, exists } from "./worktree_state.ts";

/** Git's own settings may ask for others, which older versions cannot read. */
export const ABSOLUTE = ["-c", "worktree.useRelativePaths=false"];

export interface NewLink {
  readonly doing: string;
  /** An empty folder. */
  readonly path: string;
  /** It is made; undefined for a detached HEAD. */
  readonly branch: string | undefined;
  readonly tip: string;
}

// Git takes modes of files, rules or settings over into a new tree from these.
const UNUSUAL = "^(core\\.(sharedrepository|sparsecheckout)|extensions\\.worktreeconfig)$";

async function isUsual(git: CallGit, repo: GitLocation, { doing, path, branch }: NewLink) {
  // Without a branch, too: it tells whether refs are in files.
  const told = refInFiles(repo, `refs/heads/${branch ?? "svc"}`);
  if (told === undefined || branch !== undefined && told.id !== undefined) return false;
  if (!/\/[A-Za-z0-9](?:[\w-]|\.(?=\w))*$/.test(path) || path.endsWith(".lock")) return false;
  const folder = `${repo.commonDir}/worktrees`;
  if (exists(folder) && !isFolder(folder)) return false; // a link
  if ([...Deno.readDirSync(path)].length > 0) return false;
  const args = ["config", "--includes", "-z", "--get-regexp", UNUSUAL];
  return await lineOf(git, doing, args, [0, 1]) === undefined;
}

/** Git numbers a name that is taken (git-worktree(1), DETAILS). */
function madeAdmin(commonDir: string, name: string): string {
  const folder = `${commonDir}/worktrees`;
  Deno.mkdirSync(folder, { recursive: true });
  for (let nth = 0;; nth++) {
    const admin = `${folder}/${name}${nth === 0 ? "" : nth}`;
    try {
      Deno.mkdirSync(admin);
      return admin;
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.AlreadyExists)) throw thrown;
    }
  }
}

/** The files of gitrepository-layout(5), worktrees. Locked meanwhile, as git does it: a `git gc` beside it would take a
 * tree that is half made for one that is gone. */
function writeLink(repo: GitLocation, { path, branch, tip }: NewLink): void {
  const admin = madeAdmin(repo.commonDir, path.slice(path.lastIndexOf("/") + 1));
  const write = (at: string, line: string) => Deno.writeTextFileSync(at, `${line}\n`);
  write(`${admin}/locked`, "initializing");
  write(`${admin}/gitdir`, `${path}/.git`);
  write(`${path}/.git`, `gitdir: ${admin}`);
  write(`${admin}/commondir`, "../..");
  write(`${admin}/HEAD`, branch === undefined ? gitObjectId(tip) : `ref: refs/heads/${branch}`);
  Deno.removeSync(`${admin}/locked`);
}

/** @returns false where git is to do it: for a repo that is not as usual, or a branch that is there */
export async function linkTree(git: CallGit, repo: GitLocation, plan: NewLink): Promise<boolean> {
  if (!await isUsual(git, repo, plan)) return false;
  const { doing, path, branch, tip } = plan;
  if (branch !== undefined) {
    const args = ["update-ref", "-m", `branch: Created from ${tip}`, `refs/heads/${branch}`, tip];
    await git({ doing, args: [...args, "0".repeat(tip.length)] });
  }
  try {
    writeLink(repo, plan);
  } catch (thrown) {
    await discard(repo.commonDir, path);
    if (branch !== undefined) await deleteBranch(git, doing, branch, tip);
    throw osFailure("link the work tree", path, thrown);
  }
  return true;
}
