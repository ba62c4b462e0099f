/** Finds the folders of a work tree whose files git runs as hooks for the next person who commits. */
import type { Files } from "svc/platform/files/files.ts";
import { realFolder } from "svc/platform/files/through_links.ts";
import type { Git, GitRepo } from "svc/platform/git/git.ts";

const HOOKS_PATH = "core.hooksPath";

type HookFiles = Pick<Files, "list" | "realPath" | "stat">;
type HookRepo = Pick<GitRepo, "commonDir" | "configGet" | "root">;

/** Undefined outside of the root, and for what is git's own. */
function below({ root, commonDir }: HookRepo, named: string): string | undefined {
  const parts: string[] = [];
  for (const part of (named.startsWith("/") ? named : `${root}/${named}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  const path = `/${parts.join("/")}`;
  if (path === root) return "";
  if (path.startsWith(`${commonDir}/`)) return undefined;
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
}

/** What hooks in a folder are links to: `ln -s ../../scripts/check .git/hooks/pre-commit`. */
async function linkedHooks(files: HookFiles, folder: string): Promise<string[]> {
  if ((await files.stat(folder))?.kind !== "folder") return [];
  const { entries } = await files.list(folder);
  const links = entries.filter(({ kind }) => kind === "symlink");
  const led = await Promise.all(links.map(({ name }) => realFolder(files, `${folder}/${name}`)));
  return led.flatMap((path) => path ?? []);
}

/** Where git really finds its hooks. A folder that cannot be looked at holds none that svc could write. */
async function throughLinks(files: HookFiles, { root }: HookRepo, named: string) {
  // The home of another user, to git.
  if (named.startsWith("~")) return [];
  try {
    const real = await realFolder(files, named.startsWith("/") ? named : `${root}/${named}`);
    return real === undefined ? [] : [real, ...await linkedHooks(files, real)];
  } catch {
    return [];
  }
}

/**
 * From the root; "" is the root. Also single files, which a hook is a link to. Husky sets `.husky/_`, whose
 * scripts run those of `.husky`. A folder behind a link counts by both of its names.
 */
export async function hookFolders(
  { files, git }: { readonly files: HookFiles; readonly git: Pick<Git, "userSetting"> },
  repo: HookRepo,
): Promise<string[]> {
  const set = await Promise.all([repo.configGet(HOOKS_PATH), git.userSetting(HOOKS_PATH)]);
  const named = [...set.flatMap((one) => one ?? []), `${repo.commonDir}/hooks`];
  const real = await Promise.all(named.map((one) => throughLinks(files, repo, one)));
  const folders = [...named, ...real.flat()].flatMap((one) => below(repo, one) ?? []);
  return [...new Set(folders.map((folder) => folder.replace(/(?:^|\/)_$/, "")))];
}
