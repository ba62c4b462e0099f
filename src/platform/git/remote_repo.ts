/** Clones of repos that are registered by a URL: made, kept as the remote is, and pushed from. */
import { Failure } from "svc/core/failure.ts";
import { gitObjectId, gitRef } from "svc/core/git_args.ts";
import { gitUrl } from "svc/core/git_url.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Clock } from "svc/platform/clock.ts";
import { lineOf } from "./answers.ts";
import { type CallGit, gitIn, runGit } from "./call.ts";
import { cloneRoot } from "./clone_root.ts";
import { asidesIn, dropAsides, packAnew, withdrawBranches } from "./clone_upkeep.ts";
import type { GitLocation } from "./hardening.ts";
import { scratchGit } from "./network.ts";
import { branchTip } from "./named.ts";
import { PUSH, pushAnswer, refusalSaid } from "./push.ts";
import { lockRepo } from "./repo_lock.ts";
import { beginHistory, WHOLE_FILES } from "./partial_clone.ts";
import { awayFailure, overNetwork, type RemotePorts } from "./remote_objects.ts";
import {
  adoptBranch,
  fetchBranches,
  noBranch,
  remoteTips,
  seenTips,
  standingOf,
} from "./remote_refs.ts";
import type { RemoteRepo, Remotes } from "./remotes.ts";

export interface ClonePorts extends RemotePorts {
  readonly clock: Clock;
  /** Folder of all clones; each has a folder of its own in it. */
  clones(): string;
  /** Contents of files in a history, over which a clone is partial. */
  readonly wholeFiles?: number;
  /** Else a clone is packed where much lies loose. */
  readonly packAlways?: boolean;
}

const CLONE_LOCK_WAIT_MS = 600_000;

const isThere = (path: string) =>
  Deno.lstat(path).then(() => true, (thrown) => {
    if (thrown instanceof Deno.errors.NotFound) return false;
    throw thrown;
  });

/** Only a whole clone gets its name; what a kill left of another is begun again. */
async function madeClone(ports: ClonePorts, remote: RemoteRepo): Promise<string> {
  const { id, url, branch } = remote;
  if (!/^[0-9a-f]{12}$/.test(id)) throw new Failure("usage", `Cannot clone the repo ${quoted(id)}`);
  const root = cloneRoot(ports.clones(), remote);
  if (await isThere(root)) return root;
  const doing = `clone ${quoted(url)}`;
  const folder = `${ports.clones()}/${id}`;
  await ports.files.makeFolder(folder);
  const { clock, runner } = ports;
  using _lock = await lockRepo({ root: folder, commonDir: folder }, {
    ...{ doing, clock, waitMs: CLONE_LOCK_WAIT_MS },
    ...(runner.signal && { signal: runner.signal }),
  });
  if (await isThere(root)) return root;
  const next = `${folder}/.next`;
  if (await isThere(next)) await Deno.remove(next, { recursive: true });
  await ports.files.makeFolder(next);
  const place = { root: next, gitDir: `${next}/.git`, commonDir: `${next}/.git` };
  const { tips } = await remoteTips(ports, doing, url, [`refs/heads/${gitRef(branch)}`]);
  const sample = tips.get(branch);
  if (sample === undefined) throw noBranch(doing, url, branch);
  const format = `--object-format=${sample.length === 64 ? "sha256" : "sha1"}`;
  const init = ["init", "--quiet", "--template=", format, `--initial-branch=${branch}`, next];
  await runGit(runner, undefined, { doing, args: init });
  const git = gitIn(runner, place);
  await git({ doing, args: ["config", "remote.origin.url", gitUrl(url).url] });
  const refspec = "+refs/heads/*:refs/remotes/origin/*";
  await git({ doing, args: ["config", "remote.origin.fetch", refspec] });
  const wanted = { doing, url, sample };
  const { wholeFiles = WHOLE_FILES } = ports;
  const tip = await beginHistory(ports, place, wanted, { branch, wholeFiles });
  await git({ doing, args: ["update-ref", `refs/remotes/origin/${branch}`, tip] });
  const commit = await fetchBranches(ports, place, remote);
  await resetTo(git, place, { branch, commit });
  await Deno.rename(next, root);
  return root;
}

/** A git that was killed may have left its lock; the caller has the repo's, and nobody else works here. */
async function resetTo(
  git: CallGit,
  { gitDir }: GitLocation,
  { branch, commit }: { readonly branch: string; readonly commit: string },
): Promise<void> {
  const doing = `bring ${quoted(branch)} to what the remote has`;
  const stale = `${gitDir}/index.lock`;
  if (await isThere(stale)) await Deno.remove(stale);
  await git({ doing, args: ["symbolic-ref", "HEAD", `refs/heads/${gitRef(branch)}`] });
  await git({ doing, args: ["reset", "--hard", "--quiet", gitObjectId(commit), "--"] });
}

interface Sending {
  readonly doing: string;
  readonly branch: string;
  readonly commit: string;
  /** What the remote must have now; undefined: anything that the commit follows. */
  readonly expected?: string;
}

/** @returns what git answers for the branch; a text says why it was not taken */
async function sent(
  ports: RemotePorts,
  { commonDir }: GitLocation,
  { url }: RemoteRepo,
  { doing, branch, commit, expected }: Sending,
): Promise<{ readonly why?: string; readonly failure?: Failure }> {
  const objects = { commonDir, written: false };
  await using own = await scratchGit(ports, { objects, sample: gitObjectId(commit) });
  const ref = `refs/heads/${gitRef(branch)}`;
  const lease = expected === undefined ? [] : [`--force-with-lease=${ref}:${expected}`];
  const where = ["--end-of-options", gitUrl(url).url, `${commit}:${ref}`];
  const ended = await overNetwork(ports, own, { doing, url, args: [...PUSH, ...lease, ...where] });
  const answer = pushAnswer(capturedText(ended.stdout));
  if (ended.code === 0 && answer !== undefined && answer.flag !== "!") return {};
  if (answer === undefined) return { failure: awayFailure(doing, url, ended) };
  return { why: refusalSaid(answer.summary, ended) };
}

const REJECTED = "Look whether the branch is protected, and whether this login may write to it";

/** Also tells after a push without an answer whether it counted. */
async function landed(
  ports: ClonePorts,
  repo: GitLocation,
  remote: RemoteRepo,
  expected: string,
): Promise<boolean> {
  const { branch, url } = remote;
  const doing = `push ${quoted(branch)} to ${quoted(url)}`;
  const git = gitIn(ports.runner, repo);
  const commit = await branchTip(git, repo, doing, branch);
  if (commit === undefined) throw noBranch(doing, url, branch);
  const follows = ["merge-base", "--is-ancestor", gitObjectId(expected), commit];
  if (await lineOf(git, doing, follows, [0, 1]) === undefined) {
    throw new Failure("internal", `Cannot ${doing}: ${commit} does not follow ${expected}`);
  }
  const { why, failure } = await sent(ports, repo, remote, { doing, branch, commit, expected });
  if (why === undefined && failure === undefined) {
    await git({ doing, args: ["update-ref", `refs/remotes/origin/${branch}`, commit] });
    return true;
  }
  const now = (await remoteTips(ports, doing, url, [`refs/heads/${branch}`])).tips.get(branch);
  if (now === commit) return true;
  if (now !== expected) return false;
  const rejected = new Failure("environment", `Cannot ${doing}: the remote says: ${why}`, {
    remedy: REJECTED,
    waits: true,
  });
  throw failure ?? rejected;
}

/** svc commits what a role left unfinished, and takes that commit back when the work goes on (unfinished.ts).
 * @returns the remote's tip, where it is such a commit and all below it is in the clone's branch */
async function takenBack(
  git: CallGit,
  doing: string,
  branch: string,
  commit: string,
): Promise<string | undefined> {
  const theirs = (await seenTips(git, doing)).get(branch);
  if (theirs === undefined) return undefined;
  const args = ["log", "--max-count=1", "--no-show-signature", "--format=%P%n%B", theirs, "--"];
  const [parents = "", ...message] = (await lineOf(git, doing, args))!.split("\n");
  if (parents.includes(" ") || !message.some((line) => line.startsWith("Svc-Unfinished: "))) {
    return undefined;
  }
  const below = ["merge-base", "--is-ancestor", gitObjectId(parents), commit];
  return await lineOf(git, doing, below, [0, 1]) === undefined ? undefined : theirs;
}

async function handed(
  ports: ClonePorts,
  repo: GitLocation,
  remote: RemoteRepo,
  branch: string,
): Promise<void> {
  const doing = `push ${quoted(branch)} to ${quoted(remote.url)}`;
  if (!gitRef(branch).startsWith("svc/")) {
    throw new Failure("refused", `Cannot ${doing}: only branches svc/… are pushed so`);
  }
  const git = gitIn(ports.runner, repo);
  const standing = await standingOf(git, branch);
  if (!["ahead", "diverged"].includes(standing)) return;
  const commit = (await branchTip(git, repo, doing, branch))!;
  const replaced = standing === "diverged"
    ? await takenBack(git, doing, branch, commit)
    : undefined;
  const { why, failure } = await sent(ports, repo, remote, {
    ...{ doing, branch, commit },
    ...(replaced !== undefined && { expected: replaced }),
  });
  if (failure !== undefined) throw failure;
  if (why === undefined) {
    await git({ doing, args: ["update-ref", `refs/remotes/origin/${branch}`, commit] });
    return;
  }
  if (/^\[[^\]]*\] \((?:non-fast-forward|fetch first|stale info)\)/.test(why)) {
    throw new Failure("conflict", `Cannot ${doing}: the remote has other commits on it`, {
      remedy: "Look which ones are wanted: svc never pushes with force",
    });
  }
  throw new Failure("environment", `Cannot ${doing}: the remote says: ${why}`, {
    remedy: REJECTED,
    waits: true,
  });
}

export function remotesOver(ports: ClonePorts): Remotes {
  const git = (repo: GitLocation) => gitIn(ports.runner, repo);
  return {
    async branchOf(url, named) {
      const doing = `look at ${quoted(url)}`;
      const wanted = named === undefined ? ["HEAD"] : [`refs/heads/${gitRef(named)}`];
      const { head, tips } = await remoteTips(ports, doing, url, wanted);
      if (named !== undefined && tips.has(named)) return named;
      if (named !== undefined) throw noBranch(doing, url, named);
      if (head !== undefined) return head;
      throw new Failure("environment", `Cannot ${doing}: nothing tells its main branch`, {
        remedy: "Push a commit to it, and name the branch: svc register --url … --branch main",
      });
    },
    clone: (remote) => madeClone(ports, remote),
    fetch: (repo, remote) => fetchBranches(ports, repo, remote),
    reset: (repo, at) => resetTo(git(repo), repo, at),
    land: (repo, remote, expected) => landed(ports, repo, remote, expected),
    hand: (repo, remote, branch) => handed(ports, repo, remote, branch),
    standing: (repo, branch) => standingOf(git(repo), branch),
    async tipThere(repo, branch) {
      const doing = `look where ${quoted(branch)} is at the remote`;
      return (await seenTips(git(repo), doing)).get(branch);
    },
    adopt: (repo, branch) => adoptBranch(git(repo), branch),
    async unpushed(repo) {
      const doing = `look what is not pushed in ${quoted(repo.root)}`;
      const call = git(repo);
      const seen = await seenTips(call, doing);
      const format = "--format=%(refname:lstrip=2) %(objectname)";
      const args = ["for-each-ref", format, "refs/heads/svc/"];
      const lines = capturedText((await call({ doing, args })).stdout).split("\n");
      return lines.flatMap((line) => {
        const [name = "", tip] = line.split(" ");
        return name === "" || seen.get(name) === tip ? [] : [name];
      });
    },
    async handed(repo) {
      const seen = await seenTips(git(repo), `look what is pushed from ${quoted(repo.root)}`);
      return [...seen.keys()].filter((name) => name.startsWith("svc/"));
    },
    withdraw: (repo, remote, branches) => withdrawBranches(ports, repo, remote, branches),
    asides: (repo) => asidesIn(git(repo)),
    dropAsides: (repo, asides) => dropAsides(git(repo), asides),
    pack: (repo) => packAnew(git(repo), ports.packAlways),
    async hasCommit(repo, commit) {
      const doing = `look for the commit ${quoted(commit)}`;
      const args = ["rev-parse", "--verify", "--quiet", `${gitObjectId(commit)}^{commit}`];
      return await lineOf(git(repo), doing, args, [0, 1]) !== undefined;
    },
  };
}
