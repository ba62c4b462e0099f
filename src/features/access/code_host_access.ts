/**
 * For each code host: where it takes pushes and API requests, and which token it gets. This module is small,
 * since it is loaded before a run starts.
 */
import { isLoopbackHost } from "svc/core/loopback.ts";
import type { Env } from "svc/platform/entrance.ts";

export interface CodeHostUrls {
  /** Undefined where svc opens no pull requests. */
  readonly api: string | undefined;
  pushUrl(remote: string): string;
}

type Kind = "github" | "gitlab" | "gitea";

/** What the user's config says of hosts; its `codehost_token` is for release access alone (spec section 5). */
interface SaidOfHosts {
  readonly code_hosts: readonly {
    readonly host: string;
    readonly kind: Kind;
    readonly api?: string | undefined;
    readonly key_env?: string | undefined;
  }[];
}

interface PullBranches {
  readonly branch: string;
  readonly into: string;
}

export interface CodeHostPlace extends CodeHostUrls {
  readonly host: string;
  /** Origin of its pages. */
  readonly web: string;
  /** From the environment, for this host alone. */
  readonly token: string | undefined;
  /** The person knows this host, so their credential helper may be asked for it. */
  readonly named: boolean;
  /** As the config says, or as its name lets one guess. */
  readonly kind: Kind | undefined;
  /** The variable that `token` is from, or would be; undefined if several would do, or none. */
  readonly tokenName: string | undefined;
  /** The variable that gives it one. */
  readonly tokenWay: string;
  /** How a person gives it a login, in words that begin with a verb. */
  readonly loginWay: string;
  pullUrl(remote: string, number: number): string;
  /** A page where a person opens the pull or merge request; undefined for a kind of host that is not known. */
  newPullUrl(remote: string, branches: PullBranches): string | undefined;
}

export interface TokenPorts {
  readonly env: Pick<Env, "get">;
  settings(): Promise<SaidOfHosts>;
}

export const GITHUB: CodeHostUrls = {
  api: "https://api.github.com",
  pushUrl: (remote) => `https://github.com/${remote}.git`,
};

const GITHUB_TOKEN_WAY = "SVC_GITHUB_TOKEN or GITHUB_TOKEN";

const loginWay = (tokenWay: string, host: string) =>
  `set ${tokenWay}, or keep a login for ${host} in your git credential helper`;

/** Guessed hosts get no token unless the config names one, so a wrong guess only costs a useless link. */
function guessedKind(host: string): Kind | undefined {
  if (/^gitlab\./.test(host)) return "gitlab";
  return /^(?:gitea|forgejo|codeberg)\./.test(host) ? "gitea" : undefined;
}

/** For github.com, with the variable that holds it. */
export function tokenOfEnvironment(
  env: Pick<Env, "get">,
): { readonly name: string; readonly value: string } | undefined {
  for (const name of ["SVC_GITHUB_TOKEN", "GITHUB_TOKEN"]) {
    const value = env.get(name)?.trim();
    if (value) return { name, value };
  }
  return undefined;
}

const slashed = (branch: string) => branch.split("/").map(encodeURIComponent).join("/");

/** GitLab: docs.gitlab.com, "Create a merge request by URL"; GitHub and Gitea: their compare pages. */
function newPullUrl(web: string, kind: Kind | undefined, { branch, into }: PullBranches) {
  if (kind === "gitlab") {
    const query = new URLSearchParams({
      "merge_request[source_branch]": branch,
      "merge_request[target_branch]": into,
    });
    return `${web}/-/merge_requests/new?${query}`;
  }
  return kind && `${web}/compare/${slashed(into)}...${slashed(branch)}`;
}

/** Pages of a repo that release notes link to. */
export interface CodeHostPages {
  commitUrl(remote: string, id: string): string;
  issueUrl(remote: string, number: string): string;
  compareUrl(remote: string, from: string, to: string): string;
}

/** Undefined for a kind of host that is not known; it asks nobody and needs no token. */
export async function codeHostPages(
  settings: TokenPorts["settings"],
  host: string,
): Promise<CodeHostPages | undefined> {
  const known = host === "github.com"
    ? { kind: "github" as const }
    : (await settings()).code_hosts.find((one) => one.host === host);
  const kind = known?.kind ?? guessedKind(host);
  if (kind === undefined) return undefined;
  const at = (remote: string) => `${webOf(host)}/${remote}${kind === "gitlab" ? "/-" : ""}`;
  return {
    commitUrl: (remote, id) => `${at(remote)}/commit/${id}`,
    // GitHub and Gitea lead from here to a pull request of that number.
    issueUrl: (remote, number) => `${at(remote)}/issues/${number}`,
    compareUrl: (remote, from, to) => `${at(remote)}/compare/${slashed(from)}...${slashed(to)}`,
  };
}

/** Plain http only on this machine, as git is allowed to push. */
function webOf(host: string): string {
  const name = host.replace(/:\d+$/, "");
  return `${isLoopbackHost(name) ? "http" : "https"}://${host}`;
}

export async function codeHostPlace(
  { env, settings }: TokenPorts,
  host: string,
  github: CodeHostUrls = GITHUB,
): Promise<CodeHostPlace> {
  const web = webOf(host);
  const pages = (kind: Kind | undefined) => ({
    ...{ host, web, kind },
    pullUrl: (remote: string, number: number) => `${web}/${remote}/pull/${number}`,
    newPullUrl: (remote: string, branches: PullBranches) =>
      newPullUrl(`${web}/${remote}`, kind, branches),
  });
  if (host === "github.com") {
    const { name: tokenName, value: token } = tokenOfEnvironment(env) ?? {};
    const ways = { tokenWay: GITHUB_TOKEN_WAY, loginWay: loginWay(GITHUB_TOKEN_WAY, host) };
    return { ...pages("github"), ...github, token, tokenName, named: true, ...ways };
  }
  const known = (await settings()).code_hosts.find((one) => one.host === host);
  const { kind = guessedKind(host), api, key_env } = known ?? {};
  const tokenWay = key_env ?? `key_env of "${host}" in code_hosts of ~/.svc/config.yaml`;
  return {
    ...pages(kind),
    api: kind === "github" ? api : undefined,
    pushUrl: (remote) => `${web}/${remote}.git`,
    token: key_env === undefined ? undefined : env.get(key_env)?.trim() || undefined,
    tokenName: key_env,
    named: known !== undefined,
    tokenWay,
    loginWay: known === undefined ? `set ${tokenWay}` : loginWay(tokenWay, host),
  };
}

/** Addresses that svc may ask about pull requests: of GitHub, and of hosts that the user's config names. */
export function pullRequestApis({ code_hosts }: SaidOfHosts): string[] {
  const others = code_hosts.flatMap(({ kind, api }) =>
    kind === "github" && api !== undefined ? [api] : []
  );
  return [GITHUB.api!, ...others];
}

/** Those of these addresses that the merges of this repo need; git pushes by itself, outside the Worker. */
export function apisForMerge(
  manifest: { readonly dispatch: { readonly merge: string } } | undefined,
  apis: readonly string[],
): readonly string[] {
  return manifest?.dispatch.merge === "pull_request" ? apis : [];
}
