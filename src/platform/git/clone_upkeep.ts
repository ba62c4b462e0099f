/** Keeps clones and their remotes from growing: merged branches, refs put aside, and objects that lie loose. */
import { LOOSE_OBJECTS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { gitObjectId, gitRef, isObjectId } from "svc/core/git_args.ts";
import { gitUrl } from "svc/core/git_url.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import { eachItem, lineOf } from "./answers.ts";
import { type CallGit, gitIn, shown } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { REFS_BYTES, scratchGit } from "./network.ts";
import { PUSH } from "./push.ts";
import { awayFailure, overNetwork, type RemotePorts } from "./remote_objects.ts";
import { fetchBranches, seenTips } from "./remote_refs.ts";
import type { Aside, RemoteRepo, Withdrawal, Withdrawn } from "./remotes.ts";

const ASIDE = "refs/svc/aside/";

/** git's own bound (git-config(1), gc.autoPackLimit), over which reading becomes slow. */
const PACKS = 50;

/** More than a push, which many objects of a long history need. */
const PACK_TIMEOUT_MS = 600_000;

/** From lines `flag TAB :ref TAB summary`; those that are "-" are deleted (git-push(1), OUTPUT). */
function answersIn(text: string): ReadonlyMap<string, string | undefined> {
  const found = text.split("\n").flatMap((line): [string, string | undefined][] => {
    const [, flag, name, why = ""] =
      /^([-!])\t(?:\(delete\))?:refs\/heads\/([^\t]+)\t(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, flag === "-" ? undefined : shown(why)]];
  });
  return new Map(found);
}

async function forgetSeen(git: CallGit, doing: string, names: readonly string[]): Promise<void> {
  const lines = names.map((name) => `delete refs/remotes/origin/${gitRef(name)}\n`);
  const stdin = new TextEncoder().encode(lines.join(""));
  if (lines.length > 0) await git({ doing, args: ["update-ref", "--no-deref", "--stdin"], stdin });
}

export async function withdrawBranches(
  ports: RemotePorts,
  repo: GitLocation,
  remote: RemoteRepo,
  asked: readonly Withdrawal[],
): Promise<readonly Withdrawn[]> {
  const doing = `remove merged branches from ${quoted(remote.url)}`;
  const other = asked.find(({ name }) => !gitRef(name).startsWith("svc/"));
  if (other !== undefined) {
    throw new Failure("refused", `Cannot ${doing}: ${quoted(other.name)} is not one of svc`);
  }
  const git = gitIn(ports.runner, repo);
  const base = gitObjectId(await fetchBranches(ports, repo, remote));
  const seen = await seenTips(git, doing);
  const going = new Map<string, string>();
  const answers: Withdrawn[] = [];
  for (const { name, merged } of asked) {
    const tip = seen.get(name);
    const within = ["merge-base", "--is-ancestor", tip ?? base, base];
    if (tip === undefined) answers.push({ name, why: undefined });
    else if (tip === merged || await lineOf(git, doing, within, [0, 1]) !== undefined) {
      going.set(name, tip);
    } else answers.push({ name, why: `not in ${remote.branch}` });
  }
  if (going.size === 0) return answers;
  await using own = await scratchGit(ports, { sample: base });
  const leases = [...going].map(([name, tip]) => `--force-with-lease=refs/heads/${name}:${tip}`);
  const refs = [...going.keys()].map((name) => `:refs/heads/${name}`);
  const args = [...PUSH, ...leases, "--end-of-options", gitUrl(remote.url).url, ...refs];
  const ended = await overNetwork(ports, own, { doing, url: remote.url, args });
  const said = answersIn(capturedText(ended.stdout));
  if (said.size === 0) throw awayFailure(doing, remote.url, ended);
  const gone = [...said].filter(([, why]) => why === undefined).map(([name]) => name);
  await forgetSeen(git, doing, gone);
  return [...answers, ...[...said].map(([name, why]) => ({ name, why }))];
}

export async function asidesIn(git: CallGit): Promise<readonly Aside[]> {
  const doing = "list what was put aside";
  const found: Aside[] = [];
  const decoder = new TextDecoder();
  const format = "--format=%(objectname) %(committerdate:unix) %(refname)";
  await eachItem(git, { doing, args: ["for-each-ref", format, ASIDE] }, (line) => {
    const [commit = "", seconds = "", ref = ""] = decoder.decode(line).split(" ");
    const branch = ref.slice(ASIDE.length, ref.lastIndexOf("/"));
    if (isObjectId(commit)) found.push({ ref, branch, commit, made_at: Number(seconds) * 1000 });
  }, "LF");
  return found;
}

export async function dropAsides(git: CallGit, asides: readonly Aside[]): Promise<void> {
  const doing = "remove what was put aside";
  for (const { ref, commit } of asides) {
    if (!gitRef(ref).startsWith(ASIDE)) throw new Failure("refused", `Cannot ${doing}: ${ref}`);
    const args = ["update-ref", "--no-deref", "-d", ref, gitObjectId(commit)];
    await git({ doing, args });
  }
}

async function sizes(git: CallGit, doing: string) {
  const { stdout } = await git({
    ...{ doing, maxOutputBytes: REFS_BYTES },
    args: ["count-objects", "-v"],
  });
  const of = (name: string) =>
    Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(capturedText(stdout))?.[1] ?? 0);
  const kib = of("size") + of("size-pack");
  return { loose: of("count"), packs: of("packs"), bytes: kib * 1024 };
}

/**
 * Unreachable objects are removed when they are two weeks old, as in any repo (git-gc(1)), since a job may
 * still be about to give them a ref.
 */
export async function packAnew(git: CallGit, always = false): Promise<number | undefined> {
  const doing = "pack the clone anew";
  const before = await sizes(git, doing);
  if (!always && before.loose <= LOOSE_OBJECTS && before.packs <= PACKS) return undefined;
  // Work trees are svc's to forget.
  const settings = ["-c", "gc.worktreePruneExpire=never", "-c", "gc.writeCommitGraph=false"];
  await git({ doing, args: [...settings, "gc", "--quiet"], timeoutMs: PACK_TIMEOUT_MS });
  return Math.max(0, before.bytes - (await sizes(git, doing)).bytes);
}
