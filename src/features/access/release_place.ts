/** Where the releases of svc are announced, and which credential may be sent there. */
import type { Env } from "svc/platform/entrance.ts";
import { type GitLogin, personLogin } from "svc/platform/git/credential.ts";
import type { Processes } from "svc/platform/process/process.ts";
import { GITHUB, tokenOfEnvironment } from "./code_host_access.ts";

/** GitHub's "Get the latest release" (docs.github.com/rest/releases/releases); the config's `release_url` replaces it. */
const RELEASE_URL = `${GITHUB.api}/repos/svc-harness/svc/releases/latest`;

/** What the user's config says of releases. */
export interface ReleaseSettings {
  readonly release_url?: string | undefined;
  readonly codehost_token?: string | undefined;
  readonly code_hosts: readonly {
    readonly api?: string | undefined;
    readonly key_env?: string | undefined;
  }[];
}

export interface ReleaseCredential {
  /** Where it was found; shown, while the token never is. */
  readonly from: string;
  readonly token: string;
}

export interface CredentialPorts {
  readonly env: Pick<Env, "all" | "get">;
  readonly processes: Pick<Processes, "run">;
  readonly signal: AbortSignal;
}

export const releaseUrl = ({ release_url }: Pick<ReleaseSettings, "release_url">): string =>
  release_url ?? RELEASE_URL;

/** Only variables of this origin: a token of one host is never sent to another. */
function ofEnvironment(
  { env }: CredentialPorts,
  { code_hosts }: ReleaseSettings,
  { origin }: URL,
): ReleaseCredential | undefined {
  if (origin === GITHUB.api) {
    const found = tokenOfEnvironment(env);
    return found && { from: found.name, token: found.value };
  }
  for (const { api, key_env } of code_hosts) {
    if (key_env === undefined || api === undefined || new URL(api).origin !== origin) continue;
    const token = env.get(key_env)?.trim();
    if (token) return { from: key_env, token };
  }
  return undefined;
}

async function ofHelper(
  { env, processes, signal }: CredentialPorts,
  { origin }: URL,
): Promise<GitLogin | undefined> {
  const url = origin === GITHUB.api ? "https://github.com/" : `${origin}/`;
  return await personLogin({ processes, env: env.all() }, { url, refuseUnder: [], signal });
}

/** The stored one, else that of the environment, else that of the person's git credential helper; one at most.
 * @param settings of the file that names the URL, so that what is stored goes where its owner said */
export async function releaseCredential(
  ports: CredentialPorts,
  settings: ReleaseSettings,
): Promise<ReleaseCredential | undefined> {
  const { codehost_token: stored } = settings;
  if (stored !== undefined) return { from: "codehost_token", token: stored };
  const url = new URL(releaseUrl(settings));
  const known = ofEnvironment(ports, settings, url);
  if (known !== undefined) return known;
  const login = await ofHelper(ports, url);
  return login && { from: "git credential helper", token: login.password };
}
