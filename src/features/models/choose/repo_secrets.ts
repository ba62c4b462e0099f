/** Secrets that belong to a repo, whatever their shape: no model, trace or client may see them. */
import { together } from "svc/core/together.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { appSecrets, localSecrets } from "./local_secrets.ts";
import { loginInUrl } from "./url_login.ts";

/** Keys in `.harness/.env*`, and logins in the URLs of its remotes, which `git remote -v` prints. */
export async function repoSecrets(
  { git, folder }: {
    readonly git: Pick<GitRepo, "remoteUrls">;
    readonly folder: Pick<Folder, "list" | "read">;
  },
): Promise<string[]> {
  const [keys, urls] = await together(localSecrets(folder), git.remoteUrls());
  return [...keys, ...urls.flatMap(loginInUrl)];
}

/** Those and the app's own: whatever a program that works on the repo may print and nobody is to see. */
export async function printableSecrets(
  { git, folder }: {
    readonly git: Pick<GitRepo, "remoteUrls" | "trackedAmong">;
    readonly folder: Pick<Folder, "list" | "read">;
  },
): Promise<string[]> {
  return (await together(repoSecrets({ git, folder }), appSecrets(folder, git))).flat();
}
