/** Secrets that belong to a repo, whatever their shape: no model, trace or client may see them. */
import { together } from "svc/core/together.ts";
import { isUnmistakable } from "svc/features/settings/known_secrets.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { localSecrets } from "./local_secrets.ts";

/** A shorter user of a URL without a password is a name. */
const TOKEN_CHARS = 16;

function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray percent sign
  }
}

/** As written and as meant. Over HTTP a token may stand in place of the user; that of ssh is a name. */
export function loginInUrl(url: string): string[] {
  const [, scheme = "", user = "", password = ""] =
    /^([a-z+]+):\/\/([^/?#:]*)(?::([^/?#]*))?@/i.exec(url) ?? [];
  const token = /^https?$/i.test(scheme) && user.length >= TOKEN_CHARS ? [user] : [];
  return [password, ...token].filter((value) => isUnmistakable(plain(value)))
    .flatMap((value) => [value, plain(value)]);
}

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
