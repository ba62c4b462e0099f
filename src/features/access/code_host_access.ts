/** Where each code host takes pushes and questions, and whose token it gets. Small: loaded before a run starts. */
import { isLoopbackHost } from "svc/core/loopback.ts";
import type { Env } from "svc/platform/entrance.ts";

export interface CodeHostUrls {
  /** Undefined where svc opens no pull requests. */
  readonly api: string | undefined;
  pushUrl(remote: string): string;
}

type Kind = "github" | "gitlab" | "gitea";

/** What the user's config says of hosts and tokens. */
interface SaidOfHosts {
  readonly code_hosts: readonly {
    readonly host: string;
    readonly kind: Kind;
    readonly api?: string | undefined;
    readonly key_env?: string | undefined;
  }[];
  readonly codehost_token?: string | undefined;
}

interface PullBranches {
  readonly branch: string;
  readonly into: string;
}

export interface CodeHostPlace extends CodeHostUrls {
  readonly host: string;
  /** For this host alone. */
  readonly token: string | undefined;
  /** How a person gives it one. */
  readonly tokenWay: string;
  pullUrl(remote: string, number: number): string;
  /** A page where a person opens the pull or merge request; undefined for a kind of host that is not known. */
  newPullUrl(remote: string, branches: PullBranches): string | undefined;
}

interface TokenPorts {
  readonly env: Pick<Env, "get">;
  settings(): Promise<SaidOfHosts>;
}

export const GITHUB: CodeHostUrls = {
  api: "https://api.github.com",
  pushUrl: (remote) => `https://github.com/${remote}.git`,
};

const GITHUB_TOKEN_WAY = "SVC_GITHUB_TOKEN or codehost_token";

/** They get no token unless the config names one, so a wrong guess costs a useless link. */
function guessedKind(host: string): Kind | undefined {
  if (/^gitlab\./.test(host)) return "gitlab";
  return /^(?:gitea|forgejo|codeberg)\./.test(host) ? "gitea" : undefined;
}

function tokenOfEnvironment(env: Pick<Env, "get">): string | undefined {
  return ["SVC_GITHUB_TOKEN", "GITHUB_TOKEN"].map((name) => env.get(name)?.trim())
    .find((value) => value);
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
    host,
    pullUrl: (remote: string, number: number) => `${web}/${remote}/pull/${number}`,
    newPullUrl: (remote: string, branches: PullBranches) =>
      newPullUrl(`${web}/${remote}`, kind, branches),
  });
  if (host === "github.com") {
    const token = tokenOfEnvironment(env) ?? (await settings()).codehost_token;
    return { ...pages("github"), ...github, token, tokenWay: GITHUB_TOKEN_WAY };
  }
  const known = (await settings()).code_hosts.find((one) => one.host === host);
  const { kind = guessedKind(host), api, key_env } = known ?? {};
  return {
    ...pages(kind),
    api: kind === "github" ? api : undefined,
    pushUrl: (remote) => `${web}/${remote}.git`,
    token: key_env === undefined ? undefined : env.get(key_env)?.trim() || undefined,
    tokenWay: key_env ?? `key_env of "${host}" in code_hosts of ~/.svc/config.yaml`,
  };
}

/** Addresses that svc may ask about pull requests: of hosts whose token is there. */
export function apisWithToken(
  env: Pick<Env, "get">,
  { code_hosts, codehost_token }: SaidOfHosts,
): string[] {
  const github = tokenOfEnvironment(env) ?? codehost_token;
  const others = code_hosts.filter(({ key_env }) => key_env !== undefined && env.get(key_env));
  return [
    ...(github === undefined ? [] : [GITHUB.api!]),
    ...others.flatMap(({ kind, api }) => kind === "github" && api !== undefined ? [api] : []),
  ];
}

/** Those among them that settling this repo's merges needs; git pushes by itself, outside the Worker. */
export function apisForMerge(
  manifest: { readonly dispatch: { readonly merge: string } } | undefined,
  apis: readonly string[],
): readonly string[] {
  return manifest?.dispatch.merge === "pull_request" ? apis : [];
}
