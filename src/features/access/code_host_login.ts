/** What authenticates pushes and pull requests at one host: its variable, else the person's git credential helper. */
import type { GitLogin } from "svc/platform/git/credential.ts";
import { personLogin } from "svc/platform/git/credential.ts";
import type { Env } from "svc/platform/entrance.ts";
import type { Processes } from "svc/platform/process/process.ts";
import type { CodeHostPlace } from "./code_host_access.ts";

/** The name that GitHub and GitLab take beside a token (docs.github.com, "Authenticating as a GitHub App installation"). */
export const TOKEN_USER = "x-access-token";

interface LoginPorts {
  readonly env: Env;
  readonly processes: Pick<Processes, "run">;
}

interface LoginAsked {
  readonly remote: string;
  readonly refuseUnder: readonly string[];
  readonly signal?: AbortSignal;
}

/** For this host alone; undefined for a host that the person has not named, and where nobody has a login. */
export async function codeHostLogin(
  { env, processes }: LoginPorts,
  { token, named, pushUrl }: CodeHostPlace,
  { remote, refuseUnder, signal }: LoginAsked,
): Promise<GitLogin | undefined> {
  if (token !== undefined) return { username: TOKEN_USER, password: token };
  const url = pushUrl(remote);
  if (!named || !/^https?:/.test(url)) return undefined;
  const asked = { url, refuseUnder, ...(signal && { signal }) };
  return await personLogin({ processes, env: env.all() }, asked);
}
