/** How the person reaches the web: the proxies and certificates that their environment and git settings name. */
import type { Processes } from "svc/platform/process/process.ts";
import type { Setting } from "./hardening.ts";
import { type EnvVariables, userWebSettings } from "./user.ts";

/** What git and its curl read (git(1), libcurl-env(3)), and in builds of Nix too. They name no program. */
export const REACH_VARIABLES =
  /^(?:(?:HTTPS|ALL|NO)_PROXY|(?:https|all|no)_proxy|GIT_SSL_CA(?:INFO|PATH)|GIT_PROXY_SSL_CAINFO|SSL_CERT_(?:FILE|DIR)|NIX_SSL_CERT_FILE)$/;

/** git-config(1); others of this section name programs, files to write, or who one is. */
const REACH_SETTINGS = /^http\.(?:proxy|proxyauthmethod|proxysslcainfo|sslcainfo|sslcapath)$/;

const PATHS = /^http\.(?:proxysslcainfo|sslcainfo|sslcapath)$/;

export interface Reach {
  readonly env: EnvVariables;
  readonly settings: readonly Setting[];
}

export interface ReachPorts {
  readonly processes: Pick<Processes, "run">;
  /** That of the person. */
  readonly env: EnvVariables;
}

/** For an https URL: plain http goes to this machine alone, and ssh has the person's own settings. */
export async function reachOf(
  { processes, env }: ReachPorts,
  url: string,
  signal?: AbortSignal,
): Promise<Reach> {
  const own = Object.entries(env).filter(([name]) => REACH_VARIABLES.test(name));
  const set = await userWebSettings({ processes, env, signal }, url);
  const home = env["HOME"] ?? "";
  return {
    env: {
      ...Object.fromEntries(own),
      // curl takes this one alone where both are; svc's own NO_PROXY has what either says, and loopback.
      ...(env["NO_PROXY"] !== undefined && { no_proxy: env["NO_PROXY"] }),
    },
    settings: [...set]
      .filter(([name]) => REACH_SETTINGS.test(name))
      // Git's own HOME is an empty one.
      .map(([name, value]) => [name, PATHS.test(name) ? value.replace(/^~(?=\/)/, home) : value]),
  };
}

/** What helps where a remote was not reached; undefined for one by path, and where git complains of something else. */
export function reachRemedy(why: string, url: string): string | undefined {
  const { origin } = URL.parse(url) ?? {};
  if (origin === undefined) return undefined;
  if (/certificate|\bSSL\b|\bTLS\b/i.test(why)) {
    return `For a CA of your own: git config --global http.${origin}/.sslCAInfo /path/to/ca.pem`;
  }
  return /resolve|connect to|CONNECT|proxy|timed out/i.test(why)
    ? "Check the network, or its proxy: HTTPS_PROXY, or git config --global http.proxy"
    : undefined;
}
