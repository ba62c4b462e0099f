/** A repo's work trees, as git lists them: the checkout and those linked to it. */
import { eachItem } from "./answers.ts";
import type { CallGit } from "./call.ts";
import { pointerIn } from "./place.ts";

export interface ListedWorktree {
  readonly path: string;
  readonly head: string;
  /** Without `refs/heads/`. */
  readonly branch: string | undefined;
  /** Its folder is gone, or git says it may be pruned. */
  readonly stale: boolean;
}

export async function listedWorktrees(git: CallGit, doing: string): Promise<ListedWorktree[]> {
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

/** Sync, as `kindOf` of place.ts. */
function isFolder(path: string): boolean {
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
