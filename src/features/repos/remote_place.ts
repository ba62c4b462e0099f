/** Where a repo lies at a code host, as the URLs tell that git clones from. */
import { Failure } from "svc/core/failure.ts";
import { urlPath } from "svc/core/git_url.ts";
import { quoted } from "svc/core/repo_path.ts";
import { withoutEnding } from "svc/core/text_ends.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import type { RegisteredRepo } from "./repo_table.ts";

export interface RemotePlace {
  /** Lower case; with the port of http and https, where it is not the usual one. */
  readonly host: string;
  /** `owner/repo` (spec section 2.2). */
  readonly remote: string;
}

export const GITHUB_HOST = "github.com";

const REMOTE = /^(?!-)[A-Za-z0-9_.-]+\/(?!\.{1,2}$)[A-Za-z0-9_.-]+$/;

/** A name of DNS, an alias of ssh's config, or an IP address, and a port. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?$/;

/** Second names, for ssh over port 443 (docs.github.com, "Using SSH over the HTTPS port"; docs.gitlab.com, altssh). */
const SAME: ReadonlyMap<string, string> = new Map([
  ["ssh.github.com", GITHUB_HOST],
  ["www.github.com", GITHUB_HOST],
  ["altssh.gitlab.com", "gitlab.com"],
]);

function hostIn(text: string): string | undefined {
  const host = withoutEnding(text.toLowerCase(), ".");
  return HOST.test(host) ? SAME.get(host) ?? host : undefined;
}

/** Authority and path, both as written; the port of ssh and git says nothing about https. */
function parted(url: string): { authority: string; path: string } | undefined {
  const [, scheme, authority, path] =
    url.match(/^(https?|ssh|git):\/\/(?:[^/]*@)?([^/@]+)\/(.+)$/) ?? [];
  if (scheme !== undefined) {
    const usual = { https: /:443$/, http: /:80$/, ssh: /:\d+$/, git: /:\d+$/ }[scheme]!;
    return { authority: authority!.replace(usual, ""), path: path! };
  }
  const [, host, rest] = url.match(/^[\w.-]+@([\w.-]+):(?!\/)(.+)$/) ?? [];
  return host === undefined ? undefined : { authority: host, path: rest! };
}

/** The host of a URL whose path may have any parts, such as a subgroup of GitLab. */
export function hostOfUrl(url: string): string | undefined {
  const { authority } = parted(url) ?? {};
  return authority && hostIn(authority);
}

/** Without credentials; undefined for a path, and for one that has not two parts. */
export function placeOfUrl(url: string): RemotePlace | undefined {
  const { authority, path } = parted(url) ?? {};
  const remote = path && withoutEnding(path, "/").replace(/\.git$/, "");
  const host = authority && hostIn(authority);
  return remote && host && REMOTE.test(remote) ? { host, remote } : undefined;
}

/** One text for all URLs of one place: that of https and that of ssh, with `.git` and without. */
export function placeIn(url: string): string {
  const { authority, path } = parted(url) ?? {};
  const host = authority && hostIn(authority);
  if (!path || !host) return withoutEnding(urlPath(url) ?? url, "/");
  return `${host}/${withoutEnding(path, "/").replace(/\.git$/, "").toLowerCase()}`;
}

/** A repo of GitLab in a subgroup has no `owner/repo`, and so no remote that could be registered. */
export function inSubgroup(url: string): boolean {
  const host = hostOfUrl(url);
  const parts = withoutEnding(parted(url)?.path ?? "", "/").split("/");
  return host !== undefined && host !== GITHUB_HOST && parts.length > 2 && !parts.includes("");
}

/** What a person does in place of svc. */
export const SUBGROUP_WAY =
  "svc cannot push to a repo in a subgroup; push the branch, and open its request there";

/** @throws Failure `usage` */
export function checkedRemote(text: string): string {
  if (REMOTE.test(text) && !text.endsWith(".git")) return text;
  if (inSubgroup(text)) {
    const why = 'a repo in a subgroup has no name of the form "owner/repo"';
    throw new Failure("usage", `Cannot use the remote ${JSON.stringify(text)}: ${why}`, {
      remedy: "Leave --remote out: you push its branches yourself, and open the requests there",
    });
  }
  const place = placeOfUrl(text);
  const meant = place?.remote ?? (REMOTE.test(text) ? text.replace(/\.git$/, "") : "owner/repo");
  const there = place === undefined || place.host === GITHUB_HOST ? "" : ` --host ${place.host}`;
  throw new Failure(
    "usage",
    `Cannot use the remote ${JSON.stringify(text)}: it is not of the form "owner/repo"`,
    { remedy: `svc register --remote ${meant}${there}` },
  );
}

/** @throws Failure `usage` */
export function checkedHost(text: string): string {
  const host = hostIn(text);
  if (host !== undefined) return host;
  throw new Failure("usage", `Cannot use the host ${quoted(text)}: it is no host's name`, {
    remedy: "svc register --host github.example.com",
  });
}

/** Where a registration kept no host, only GitHub is believed, and only while the repo's origin says so. */
export async function registeredPlace(
  git: Pick<GitRepo, "configGet">,
  { host, remote }: Pick<RegisteredRepo, "host" | "remote">,
): Promise<{ readonly host: string | undefined; readonly remote: string } | undefined> {
  if (remote === null) return undefined;
  if (host !== null) return { host, remote };
  return {
    host: await isOrigin(git, { host: GITHUB_HOST, remote }) ? GITHUB_HOST : undefined,
    remote,
  };
}

/** Whether git's own `origin` is that place, which then tells what the remote had at the last fetch or push. */
export async function isOrigin(
  git: Pick<GitRepo, "configGet">,
  { host, remote }: RemotePlace,
): Promise<boolean> {
  const origin = placeOfUrl(await git.configGet("remote.origin.url") ?? "");
  return origin?.host === host && origin.remote.toLowerCase() === remote.toLowerCase();
}

export const HOST_UNKNOWN =
  "nothing tells which code host it is at; name it: svc register --remote owner/repo --host github.com";
