/** Pushes one `svc/…` branch, never with force: the only git call that reaches a network. It runs in a git
 * folder of its own that borrows the objects, so that no setting of the repo is read. */
import { Failure } from "svc/core/failure.ts";
import { gitObjectId, gitRef } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Files } from "svc/platform/files/files.ts";
import { shown } from "./call.ts";
import type { GitLogin } from "./credential.ts";
import { type GitLocation, hardened, type Setting } from "./hardening.ts";
import { howItEnded, type Processes } from "svc/platform/process/process.ts";

/** For a slow line; the most that any child is given. */
const PUSH_TIMEOUT_MS = 600_000;

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

interface PushPorts {
  readonly processes: Pick<Processes, "run">;
  readonly files: Pick<Files, "makeFolder" | "writeAtomic" | "remove">;
  readonly path: string;
  readonly scratch: string;
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

function settings(url: string, login: GitLogin | undefined): Setting[] {
  const basic = login &&
    new TextEncoder().encode(`${login.username}:${login.password}`).toBase64();
  return [
    ["http.followRedirects", "false"],
    ["http.sslVerify", "true"],
    ["push.followTags", "false"],
    ["push.gpgSign", "false"],
    ["push.recurseSubmodules", "no"],
    ["transfer.credentialsInUrl", "die"],
    ...(basic ? [[`http.${url}.extraHeader`, `Authorization: Basic ${basic}`] as const] : []),
  ];
}

async function ownFolder({ files, scratch }: PushPorts, commit: string) {
  const root = `${scratch}/push-${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const [folders, written] = [[root, `${root}/refs`, `${root}/objects`], ["HEAD", "config"]];
  for (const folder of folders) await files.makeFolder(folder);
  await files.writeAtomic(`${root}/HEAD`, "ref: refs/heads/none\n");
  const format = commit.length === 64 ? "[extensions]\n\tobjectFormat = sha256\n" : "";
  const version = format === "" ? 0 : 1;
  const core = `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = true\n`;
  await files.writeAtomic(`${root}/config`, core + format);
  return {
    root,
    async [Symbol.asyncDispose]() {
      for (const name of written) await files.remove(`${root}/${name}`);
      for (const folder of folders.toReversed()) await files.remove(folder);
    },
  };
}

/** From the line `flag TAB from:to TAB summary` (git-push(1), OUTPUT). */
function answered(output: string): { flag: string; summary: string } | undefined {
  const line = output.split("\n").find((text) => /^[ +\-*!=]\t/.test(text));
  const [flag = "", , summary = ""] = line?.split("\t") ?? [];
  return line === undefined ? undefined : { flag, summary };
}

/** @throws Failure `refused` for another branch or URL, `conflict` when the remote has commits that the
 * branch lacks, `environment` when it cannot be reached or says no */
export async function pushBranch(
  ports: PushPorts,
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
  await using own = await ownFolder(ports, gitObjectId(commit));
  const place: GitLocation = { root: own.root, gitDir: own.root, commonDir: own.root };
  const { GIT_WORK_TREE: _, ...env } = hardened(ports.path, place, settings(url, login));
  const ended = await ports.processes.run({
    program: "git",
    args: [
      ...["--no-pager", "push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags"],
      ...["--no-recurse-submodules", "--no-thin", "--end-of-options", url],
      `${commit}:refs/heads/${branch}`,
    ],
    cwd: own.root,
    env: {
      ...env,
      GIT_ALLOW_PROTOCOL: protocol,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${repo.commonDir.replaceAll(/["\\]/g, "\\$&")}/objects"`,
      GIT_SHALLOW_FILE: `${repo.commonDir}/shallow`,
    },
    refuseUnder: [own.root],
    timeoutMs: PUSH_TIMEOUT_MS,
    ...(signal && { signal }),
  });
  if (ended.cancelled) throw new Failure("interrupted", `Cannot ${doing}: git was cancelled`);
  const answer = answered(capturedText(ended.stdout));
  if (ended.code === 0 && answer !== undefined && answer.flag !== "!") {
    return { branch, commit, changed: answer.flag !== "=" };
  }
  if (answer?.flag === "!" && /non-fast-forward|fetch first|stale info/.test(answer.summary)) {
    throw new Failure("conflict", `Cannot ${doing}: the remote has commits that it lacks`, {
      remedy: "A person must merge them first: svc never pushes with force",
    });
  }
  const lines = capturedText(ended.stderr).split("\n");
  const why = answer?.summary || lines.find((text) => /^(?:fatal|error|remote):/.test(text)) ||
    howItEnded(ended);
  throw new Failure("environment", `Cannot ${doing}: ${shown(why)}`, {
    remedy: login === undefined
      ? `If the remote asks for a login, ${loginWay ?? "set a token"}`
      : "Check that the login may write to the remote, and that the network reaches it",
  });
}
