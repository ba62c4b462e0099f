/** Fetches from a remote, and looks at what the last fetch saw. */
import { Failure } from "svc/core/failure.ts";
import { gitObjectId, gitRef, isObjectId } from "svc/core/git_args.ts";
import { gitUrl } from "svc/core/git_url.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Ended } from "svc/platform/process/process.ts";
import { lineOf } from "./answers.ts";
import { type CallGit, gitIn, type GitRunner } from "./call.ts";
import type { GitLogin } from "./credential.ts";
import type { GitLocation } from "./hardening.ts";
import {
  complaintOf,
  networkGit,
  type NetworkPorts,
  REFS_BYTES,
  type Scratch,
  scratchGit,
} from "./network.ts";
import type { BranchStanding, RemoteRepo } from "./remotes.ts";

export interface RemotePorts extends NetworkPorts {
  readonly runner: GitRunner;
  /** What ssh needs to find its agent and keys. */
  readonly ssh: Readonly<Record<string, string>>;
  /** For this URL alone; undefined where nobody has one. */
  login(url: string): Promise<GitLogin | undefined>;
}

const SEEN = "refs/remotes/origin/";

type Tips = ReadonlyMap<string, string>;

/** Reads lines `id SP|TAB ref`. @param below is cut off */
function tipsIn(text: string, below: string): Tips {
  const pairs = text.split("\n").flatMap((line): [string, string][] => {
    const [id = "", ref = ""] = line.split(/[ \t]/, 2);
    return isObjectId(id) && ref.startsWith(below) ? [[ref.slice(below.length), id]] : [];
  });
  return new Map(pairs);
}

export async function overNetwork(
  ports: RemotePorts,
  own: Pick<Scratch, "env" | "root">,
  { doing, url: typed, args }: {
    readonly doing: string;
    readonly url: string;
    readonly args: readonly string[];
  },
): Promise<Ended> {
  const { url, protocol } = gitUrl(typed);
  const asks = protocol === "https" || protocol === "http";
  const login = asks ? await ports.login(url) : undefined;
  const { ssh, runner: { signal } } = ports;
  return await networkGit(ports, own, { doing, url, protocol, args, login, ssh, signal });
}

/** Nothing is lost by it: whoever asked tries again later. */
export function awayFailure(doing: string, url: string, ended: Ended): Failure {
  const { protocol } = gitUrl(url);
  const remedy = protocol === "ssh"
    ? `Look at it as this user: ssh must reach the host without a question (git ls-remote ${url})`
    : `Look at it as this user: git ls-remote ${url}`;
  return new Failure("environment", `Cannot ${doing}: ${complaintOf(ended)}`, {
    remedy,
    waits: true,
  });
}

/** Branches by name, and what HEAD stands for. @param patterns of ls-remote */
export async function remoteTips(
  ports: RemotePorts,
  doing: string,
  url: string,
  patterns: readonly string[],
): Promise<{ readonly head: string | undefined; readonly tips: Tips }> {
  await using own = await scratchGit(ports, {});
  const args = ["ls-remote", "--symref", "--end-of-options", gitUrl(url).url, ...patterns];
  const ended = await overNetwork(ports, own, { doing, url, args });
  if (ended.code !== 0 || ended.stdout.truncated) throw awayFailure(doing, url, ended);
  const text = capturedText(ended.stdout);
  const head = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(text)?.[1];
  return { head, tips: tipsIn(text, "refs/heads/") };
}

export async function seenTips(git: CallGit, doing: string): Promise<Tips> {
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", SEEN];
  const { stdout } = await git({ doing, args, maxOutputBytes: REFS_BYTES });
  return tipsIn(capturedText(stdout), SEEN);
}

/** Brings the objects of these branches. @returns their tips, which may be newer than what was asked for */
async function fetched(
  ports: RemotePorts,
  repo: Pick<GitLocation, "commonDir">,
  { doing, url, branches, known, sample }: {
    readonly doing: string;
    readonly url: string;
    readonly branches: readonly string[];
    readonly known: readonly string[];
    readonly sample: string;
  },
): Promise<Tips> {
  await using own = await scratchGit(ports, {
    objects: { commonDir: repo.commonDir, written: true },
    ...{ known, sample },
  });
  const refs = branches.map((name) => `+refs/heads/${gitRef(name)}:refs/heads/${name}`);
  const fetch = [
    ...["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"],
    ...["--no-auto-maintenance", "--end-of-options", gitUrl(url).url, ...refs],
  ];
  const ended = await overNetwork(ports, own, { doing, url, args: fetch });
  if (ended.code !== 0) throw awayFailure(doing, url, ended);
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/"];
  const looked = await networkGit(ports, own, { doing, url, protocol: "file", args });
  return tipsIn(capturedText(looked.stdout), "refs/heads/");
}

export async function fetchBranches(
  ports: RemotePorts,
  repo: GitLocation,
  { url, branch }: RemoteRepo,
): Promise<string> {
  const doing = `fetch from ${quoted(url)}`;
  const git = gitIn(ports.runner, repo);
  const wanted = [`refs/heads/${gitRef(branch)}`, "refs/heads/svc/*"];
  const { tips } = await remoteTips(ports, doing, url, wanted);
  if (!tips.has(branch)) throw noBranch(doing, branch);
  const seen = await seenTips(git, doing);
  const fresh = [...tips].filter(([name, id]) => seen.get(name) !== id).map(([name]) => name);
  const known = [...new Set(seen.values())];
  const got = fresh.length === 0
    ? new Map<string, string>()
    : await fetched(ports, repo, { doing, url, branches: fresh, known, sample: tips.get(branch)! });
  const gone = [...seen.keys()].filter((name) => name.startsWith("svc/") && !tips.has(name));
  const lines = [
    ...[...got].map(([name, id]) => `update ${SEEN}${name} ${id}\n`),
    ...gone.map((name) => `delete ${SEEN}${name}\n`),
  ];
  if (lines.length > 0) {
    const stdin = new TextEncoder().encode(lines.join(""));
    await git({ doing, args: ["update-ref", "--no-deref", "--stdin"], stdin });
  }
  return got.get(branch) ?? tips.get(branch)!;
}

export const noBranch = (doing: string, branch: string) =>
  new Failure("environment", `Cannot ${doing}: it has no branch ${quoted(branch)}`, {
    remedy: "Push that branch, or register the one that takes the work: svc register --branch",
    waits: true,
  });

export async function standingOf(git: CallGit, branch: string): Promise<BranchStanding> {
  const doing = `look where ${quoted(branch)} stands`;
  const at = async (ref: string) =>
    await lineOf(git, doing, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], [0, 1]);
  const name = gitRef(branch);
  const [mine, theirs] = [await at(`refs/heads/${name}`), await at(`${SEEN}${name}`)];
  if (theirs === undefined) return mine === undefined ? "unknown" : "ahead";
  if (mine === undefined) return "absent";
  if (mine === theirs) return "same";
  const follows = async (one: string, other: string) =>
    await lineOf(git, doing, ["merge-base", "--is-ancestor", one, other], [0, 1]) !== undefined;
  if (await follows(mine, theirs)) return "behind";
  return await follows(theirs, mine) ? "ahead" : "diverged";
}

/** What the clone alone had stays below `refs/svc/aside/`, by its commit. */
export async function adoptBranch(git: CallGit, branch: string): Promise<void> {
  const doing = `take ${quoted(branch)} from the remote`;
  const name = gitRef(branch);
  const tips = await seenTips(git, doing);
  const theirs = gitObjectId(tips.get(name) ?? "");
  const mine = await lineOf(
    git,
    doing,
    ["rev-parse", "--verify", "--quiet", `refs/heads/${name}`],
    [0, 1],
  );
  const lines = [
    ...(mine === undefined ? [] : [`update refs/svc/aside/${name}/${mine} ${mine}\n`]),
    `update refs/heads/${name} ${theirs}${mine === undefined ? "" : ` ${mine}`}\n`,
  ];
  const stdin = new TextEncoder().encode(lines.join(""));
  await git({ doing, args: ["update-ref", "--no-deref", "--stdin"], stdin });
}
