/** Fetches from a remote, and looks at what the last fetch saw. */
import { Failure } from "svc/core/failure.ts";
import { gitObjectId, gitRef } from "svc/core/git_args.ts";
import { gitUrl } from "svc/core/git_url.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { lineOf } from "./answers.ts";
import { type CallGit, gitIn } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { REFS_BYTES, scratchGit } from "./network.ts";
import { complete, filterOf, isPartial } from "./partial_clone.ts";
import {
  awayFailure,
  fetchTips,
  overNetwork,
  type RemotePorts,
  type Tips,
  tipsIn,
  type Wanted,
} from "./remote_objects.ts";
import type { BranchStanding, RemoteRepo } from "./remotes.ts";

/** Where git keeps what a clone saw of its remote. */
export const SEEN = "refs/remotes/origin/";

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

async function news(
  ports: RemotePorts,
  repo: GitLocation,
  { wanted, branch, fresh, seen }: {
    readonly wanted: Wanted;
    readonly branch: string;
    readonly fresh: readonly string[];
    readonly seen: Tips;
  },
): Promise<Tips> {
  const known = [...new Set(seen.values())];
  const partial = await isPartial(gitIn(ports.runner, repo), wanted.doing);
  const asked = { ...wanted, ...filterOf(partial) };
  const got = await fetchTips(ports, repo, asked, { branches: fresh, known });
  const tip = got.get(branch) ?? seen.get(branch);
  if (partial && tip !== undefined) {
    await complete(ports, repo, wanted, { tips: [...got.values()], known, branch: tip });
  }
  return got;
}

/** All of them or none. @param lines of `git update-ref --stdin` */
async function writeRefs(git: CallGit, doing: string, lines: readonly string[]): Promise<void> {
  const stdin = new TextEncoder().encode(lines.join(""));
  if (lines.length > 0) await git({ doing, args: ["update-ref", "--no-deref", "--stdin"], stdin });
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
  if (!tips.has(branch)) throw noBranch(doing, url, branch);
  const seen = await seenTips(git, doing);
  const fresh = [...tips].filter(([name, id]) => seen.get(name) !== id).map(([name]) => name);
  const got = fresh.length === 0 ? new Map<string, string>() : await news(ports, repo, {
    wanted: { doing, url, sample: tips.get(branch)! },
    ...{ branch, fresh, seen },
  });
  const gone = [...seen.keys()].filter((name) => name.startsWith("svc/") && !tips.has(name));
  // First: git makes no `svc/a/b` while there is `svc/a`, nor in one go with its removal.
  await writeRefs(git, doing, gone.map((name) => `delete ${SEEN}${name}\n`));
  await writeRefs(git, doing, [...got].map(([name, id]) => `update ${SEEN}${name} ${id}\n`));
  return got.get(branch) ?? tips.get(branch)!;
}

export const noBranch = (doing: string, url: string, branch: string) =>
  new Failure("environment", `Cannot ${doing}: it has no branch ${quoted(branch)}`, {
    remedy: "Push that branch, or register the one that takes the work: svc register --url " +
      `${shellWord(url)} --branch <branch> --db …`,
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
  await writeRefs(git, doing, lines);
}
