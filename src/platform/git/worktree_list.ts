/** A repo's work trees, as git lists them: the checkout and those linked to it. */
import { isObjectId } from "svc/core/git_args.ts";
import { eachItem, lineOf } from "./answers.ts";
import type { CallGit } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { pointerIn } from "./place.ts";
import { refInFiles } from "./refs.ts";

export interface ListedWorktree {
  readonly path: string;
  readonly head: string;
  /** Without `refs/heads/`. */
  readonly branch: string | undefined;
  /** Its folder is gone, or git says it may be pruned. */
  readonly stale: boolean;
}

/** The checkout first, then the linked ones by their paths. */
export async function listedWorktrees(
  git: CallGit,
  place: Pick<GitLocation, "commonDir">,
  doing: string,
): Promise<ListedWorktree[]> {
  const bare = ["config", "--includes", "--type=bool", "--get", "core.bare"];
  const told = await lineOf(git, doing, bare, [0, 1]) === "true" ? undefined : inFiles(place);
  return told ?? await asked(git, doing);
}

async function asked(git: CallGit, doing: string): Promise<ListedWorktree[]> {
  const records: Map<string, string>[] = [];
  const decoder = new TextDecoder();
  let record = new Map<string, string>();
  const args = ["worktree", "list", "--porcelain", "-z"];
  await eachItem(git, { doing, args }, (item) => {
    const [, key = "", value = ""] = /^(\S*)(?: (.*))?$/s.exec(decoder.decode(item)) ?? [];
    if (key !== "") {
      record.set(key, value);
      return;
    }
    records.push(record);
    record = new Map();
  });
  return records.map((fields) => {
    const path = fields.get("worktree") ?? "";
    return {
      path,
      head: fields.get("HEAD") ?? "",
      branch: fields.get("branch")?.replace(/^refs\/heads\//, ""),
      stale: fields.has("prunable") || !isFolder(path),
    };
  });
}

type Head = Pick<ListedWorktree, "branch" | "head">;

function headIn(gitDir: string, commonDir: string): Head | undefined {
  const text = pointerIn(`${gitDir}/HEAD`) ?? "";
  if (isObjectId(text)) return { head: text, branch: undefined };
  const branch = /^ref: refs\/heads\/(.+)$/.exec(text)?.[1];
  const head = branch && refInFiles({ commonDir }, `refs/heads/${branch}`)?.id;
  return head ? { head, branch } : undefined;
}

function linkedIn(admin: string, commonDir: string): ListedWorktree | undefined {
  const path = /^(\/.*\S)\/\.git$/.exec(pointerIn(`${admin}/gitdir`) ?? "")?.[1];
  const head = headIn(admin, commonDir);
  if (path === undefined || head === undefined) return undefined;
  // One that is locked is not pruned, such as on a disk that is not always there (git-worktree(1)).
  const pruned = !isThere(`${path}/.git`) && !isThere(`${admin}/locked`);
  return { path, ...head, stale: pruned || !isFolder(path) };
}

/** From git's own files (gitrepository-layout(5), worktrees); undefined where they are not as git usually writes them. */
function inFiles({ commonDir }: Pick<GitLocation, "commonDir">): ListedWorktree[] | undefined {
  const head = headIn(commonDir, commonDir);
  if (head === undefined || isThere(`${commonDir}/config.worktree`)) return undefined;
  const path = commonDir.replace(/\/\.git$/, "");
  const folder = `${commonDir}/worktrees`;
  if (isThere(folder) && !isFolder(folder)) return undefined;
  const linked: ListedWorktree[] = [];
  for (const { name } of isFolder(folder) ? Deno.readDirSync(folder) : []) {
    const one = linkedIn(`${folder}/${name}`, commonDir);
    if (one === undefined) return undefined;
    linked.push(one);
  }
  linked.sort((a, b) => a.path < b.path ? -1 : 1);
  return [{ path, ...head, stale: !isFolder(path) }, ...linked];
}

/** Sync, as `kindOf` of place.ts. */
export function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (thrown) {
    return !(thrown instanceof Deno.errors.NotFound);
  }
}

export function adminFolder(commonDir: string, path: string): string | undefined {
  const folder = `${commonDir}/worktrees`;
  const leadsTo = (admin: string) => pointerIn(`${admin}/gitdir`) === `${path}/.git`;
  // Git names it as the tree, with a number where that name is taken (git-worktree(1)).
  const usual = `${folder}${path.slice(path.lastIndexOf("/"))}`;
  if (isFolder(usual) && leadsTo(usual)) return usual;
  if (!isFolder(folder)) return undefined;
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (!isDirectory) continue;
    if (leadsTo(`${folder}/${name}`)) return `${folder}/${name}`;
  }
  return undefined;
}

/**
 * A repo that was moved leaves its trees pointing to where it was; they are led back as by `git worktree
 * repair` (git-worktree(1)). Only where that git folder is gone: a copy must not take the original's trees.
 */
export async function repairLinks(
  commonDir: string,
  paths: readonly string[],
  write: (path: string, text: string) => Promise<void>,
): Promise<void> {
  for (const path of paths) {
    const link = /^gitdir: (\/.*)\/worktrees\/([^/]+)$/.exec(pointerIn(`${path}/.git`) ?? "");
    const [, before = "", name] = link ?? [];
    if (link === null || before === commonDir || isThere(before)) continue;
    const admin = adminFolder(commonDir, path);
    if (admin === `${commonDir}/worktrees/${name}`) {
      await write(`${path}/.git`, `gitdir: ${admin}\n`);
    }
  }
}

/** Git's list of work trees does not name them. */
export function rebasedBranches(commonDir: string): string[] {
  const folder = `${commonDir}/worktrees`;
  const linked = isFolder(folder) ? [...Deno.readDirSync(folder)] : [];
  const gitDirs = [commonDir, ...linked.map(({ name }) => `${folder}/${name}`)];
  const names = gitDirs.flatMap((gitDir) =>
    ["rebase-merge", "rebase-apply"].map((state) => pointerIn(`${gitDir}/${state}/head-name`))
  );
  return names.filter((name) => name !== undefined)
    .map((name) => name.replace(/^refs\/heads\//, ""));
}
