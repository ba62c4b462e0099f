/** Pushes one `svc/…` branch to a code host, never with force. */
import { Failure } from "svc/core/failure.ts";
import { gitObjectId, gitRef } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Ended } from "svc/platform/process/process.ts";
import { shown } from "./call.ts";
import type { GitLogin } from "./credential.ts";
import type { GitLocation } from "./hardening.ts";
import { complaintOf, networkGit, type NetworkPorts, remoteWords, scratchGit } from "./network.ts";
import { reachRemedy } from "./reach.ts";

export const ARCHIVED_REMEDY =
  "Unarchive the repo in its settings there, or register another: svc register --remote owner/repo";

export interface PushPlan {
  /** `https://…`; or an absolute path, or `http://` on loopback. Never taken from the repo. */
  readonly url: string;
  readonly branch: string;
  readonly commit: string;
  /** For exactly this URL, by HTTP basic authentication; never in arguments. */
  readonly login?: GitLogin | undefined;
  /** How a person gives a login for it, in words that begin with a verb. */
  readonly loginWay?: string;
  readonly signal?: AbortSignal;
}

export interface Pushed {
  readonly branch: string;
  readonly commit: string;
  readonly changed: boolean;
}

function refuse(url: string, why: string): never {
  throw new Failure("refused", `Cannot push to ${quoted(url)}: ${why}`, {
    remedy: "Register the repo with a remote: svc register --remote owner/repo",
  });
}

/** As GIT_ALLOW_PROTOCOL takes it (git(1)). */
function protocolOf(url: string): "https" | "http" | "file" {
  // deno-lint-ignore no-control-regex -- control bytes are what is refused here
  if (/[\x00-\x20\x7f]/.test(url)) refuse(url, "it holds a space or a control character");
  if (url.startsWith("/")) return "file";
  const { protocol, hostname, username, password } = URL.parse(url) ?? refuse(url, "it is no URL");
  if (username !== "" || password !== "") refuse(url, "it holds a name or a password");
  if (protocol === "https:") return "https";
  if (protocol === "http:" && ["127.0.0.1", "[::1]"].includes(hostname)) return "http";
  return refuse(url, "only https is used");
}

export const PUSH = [
  ...["push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags"],
  ...["--no-recurse-submodules", "--no-thin"],
];

/** From the line `flag TAB from:to TAB summary` (git-push(1), OUTPUT). */
export function pushAnswer(output: string): { flag: string; summary: string } | undefined {
  const line = output.split("\n").find((text) => /^[ +\-*!=]\t/.test(text));
  const [flag = "", , summary = ""] = line?.split("\t") ?? [];
  return line === undefined ? undefined : { flag, summary };
}

/** Why a push was not taken: git's summary, such as "[remote rejected] (pre-receive hook declined)", and what the
 * remote says of it, which alone tells what helps. */
export function refusalSaid(summary: string, ended: Ended): string {
  if (summary === "") return complaintOf(ended);
  const words = remoteWords(ended);
  return words === "" ? shown(summary) : `${shown(summary)}: ${words}`;
}

/** A name without a dot may be one that ssh alone knows. */
function sshName(why: string, url: string): string {
  const { hostname = "" } = URL.parse(url) ?? {};
  const named = !/Could not resolve/.test(why) || hostname.includes(".") || hostname === "";
  return named
    ? ""
    : `; where "${hostname}" is a name of ssh's config, name the host that it stands for: ` +
      "svc register --host github.com";
}

/** What helps, by what is said of a push that was not taken; undefined where it is a matter of logins. */
function wayOut(why: string, url: string): string | undefined {
  if (why.startsWith("[remote rejected]")) {
    return "Do what the remote says, or have its rule let this branch in";
  }
  // "This repository was archived so it is read-only" (GitHub), "This repo is archived" (Gitea).
  if (/\b(?:was|is) archived\b/i.test(why)) {
    return ARCHIVED_REMEDY;
  }
  if (/: The requested URL returned error: 30\d/.test(why)) {
    return "Register the repo by the name that it has now: svc register --remote owner/repo";
  }
  const reach = reachRemedy(why, url);
  return reach && `${reach}${sshName(why, url)}`;
}

/** @throws Failure `refused` for another branch or URL, `conflict` when the remote has commits that the
 * branch lacks, `environment` when it cannot be reached or says no */
export async function pushBranch(
  ports: NetworkPorts,
  repo: Pick<GitLocation, "commonDir">,
  { url, branch, commit, login, loginWay, signal }: PushPlan,
): Promise<Pushed> {
  const doing = `push ${quoted(branch)}`;
  if (!gitRef(branch).startsWith("svc/")) {
    throw new Failure("refused", `Cannot ${doing}: only branches svc/… are pushed`, {
      remedy: "Push it yourself, or work on a branch svc/…",
    });
  }
  const protocol = protocolOf(url);
  const objects = { commonDir: repo.commonDir, written: false };
  await using own = await scratchGit(ports, { objects, sample: gitObjectId(commit) });
  const ended = await networkGit(ports, own, {
    ...{ doing, url, protocol, login, signal },
    args: [...PUSH, "--end-of-options", url, `${commit}:refs/heads/${branch}`],
  });
  const answer = pushAnswer(capturedText(ended.stdout));
  if (ended.code === 0 && answer !== undefined && answer.flag !== "!") {
    return { branch, commit, changed: answer.flag !== "=" };
  }
  if (answer?.flag === "!" && /non-fast-forward|fetch first|stale info/.test(answer.summary)) {
    throw new Failure("conflict", `Cannot ${doing}: the remote has commits that it lacks`, {
      remedy: "A person must merge them first: svc never pushes with force",
    });
  }
  const why = refusalSaid(answer?.summary ?? "", ended);
  const remedy = wayOut(why, url) ??
    (login === undefined
      ? `If the remote asks for a login, ${loginWay ?? "set a token"}`
      : "Check that the login may write to the remote, and that the network reaches it");
  throw new Failure("environment", `Cannot ${doing}: ${why}`, { remedy });
}
