/** Finds the folders of a work tree whose files git runs as hooks for the next person who commits. */
import type { Git, GitRepo } from "svc/platform/git/git.ts";

const HOOKS_PATH = "core.hooksPath";

/** Undefined outside of the root. */
function below(root: string, named: string): string | undefined {
  const parts: string[] = [];
  for (const part of (named.startsWith("/") ? named : `${root}/${named}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  const path = `/${parts.join("/")}`;
  if (path === root) return "";
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
}

/** From the root; "" is the root. Husky sets `.husky/_`, whose scripts run those of `.husky`. */
export async function hookFolders(
  git: Pick<Git, "userSetting">,
  repo: Pick<GitRepo, "configGet" | "root">,
): Promise<string[]> {
  const named = await Promise.all([repo.configGet(HOOKS_PATH), git.userSetting(HOOKS_PATH)]);
  return named.flatMap((one) => {
    const folder = one === undefined ? undefined : below(repo.root, one);
    return folder === undefined ? [] : [folder.replace(/(?:^|\/)_$/, "")];
  });
}
