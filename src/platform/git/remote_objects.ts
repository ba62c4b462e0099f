/** Brings objects from a remote: those of branches, or single ones by their ids. */
import { Failure } from "svc/core/failure.ts";
import { gitObjectId, gitRef, isObjectId } from "svc/core/git_args.ts";
import { gitUrl } from "svc/core/git_url.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { Ended } from "svc/platform/process/process.ts";
import type { GitRunner } from "./call.ts";
import type { GitLogin } from "./credential.ts";
import type { GitLocation } from "./hardening.ts";
import { complaintOf, networkGit, type NetworkPorts, type Scratch, scratchGit } from "./network.ts";

export interface RemotePorts extends NetworkPorts {
  readonly runner: GitRunner;
  /** What ssh needs to find its agent and keys. */
  readonly ssh: Readonly<Record<string, string>>;
  /** For this URL alone; undefined where nobody has one. */
  login(url: string): Promise<GitLogin | undefined>;
}

export type Tips = ReadonlyMap<string, string>;

/** Reads lines `id SP|TAB ref`. @param below is cut off */
export function tipsIn(text: string, below: string): Tips {
  const pairs = text.split("\n").flatMap((line): [string, string][] => {
    const [id = "", ref = ""] = line.split(/[ \t]/, 2);
    return isObjectId(id) && ref.startsWith(below) ? [[ref.slice(below.length), id]] : [];
  });
  return new Map(pairs);
}

export async function overNetwork(
  ports: RemotePorts,
  own: Pick<Scratch, "env" | "root">,
  { doing, url: typed, args, stdin }: {
    readonly doing: string;
    readonly url: string;
    readonly args: readonly string[];
    readonly stdin?: Uint8Array;
  },
): Promise<Ended> {
  const { url, protocol } = gitUrl(typed);
  const asks = protocol === "https" || protocol === "http";
  const login = asks ? await ports.login(url) : undefined;
  const { ssh, runner: { signal } } = ports;
  return await networkGit(ports, own, { doing, url, protocol, args, login, ssh, signal, stdin });
}

/** Nothing is lost by it: whoever asked tries again later. */
export function awayFailure(doing: string, url: string, ended: Ended): Failure {
  const { protocol } = gitUrl(url);
  const remedy = protocol === "ssh"
    ? `Look at it as this user: ssh must reach the host without a question (git ls-remote ${
      shellWord(url)
    })`
    : `Look at it as this user: git ls-remote ${shellWord(url)}`;
  return new Failure("environment", `Cannot ${doing}: ${complaintOf(ended)}`, {
    remedy,
    waits: true,
  });
}

export interface Wanted {
  readonly doing: string;
  readonly url: string;
  /** Tells the format of ids. */
  readonly sample: string;
  /** As `git fetch --filter` takes it; what it leaves out may be missing from then on. */
  readonly filter?: string;
}

/** git takes what is missing for promised (gitformat-pack(5), "partial clone"), and would ask no network for it. */
const PROMISED = '[extensions]\n\tpartialClone = svc\n[remote "svc"]\n\tpromisor = true\n';

const FETCH = [
  ...["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"],
  "--no-auto-maintenance",
];

async function fetchInto(
  ports: RemotePorts,
  { commonDir }: Pick<GitLocation, "commonDir">,
  { doing, url, sample, filter }: Wanted,
  { known, refs, ids }: {
    readonly known?: readonly string[];
    readonly refs?: readonly string[];
    readonly ids?: readonly string[];
  },
): Promise<Tips> {
  await using own = await scratchGit(ports, {
    ...{ objects: { commonDir, written: true }, sample },
    ...(known && { known }),
    ...(filter !== undefined && { config: PROMISED }),
  });
  const filtered = filter === undefined ? [] : [`--filter=${filter}`];
  // What git does where it fetches an object that was promised (promisor-remote.c): nothing to agree on.
  const [before, from] = ids === undefined
    ? [[], []]
    : [["-c", "fetch.negotiationAlgorithm=noop"], ["--stdin"]];
  const where = ["--end-of-options", gitUrl(url).url, ...(refs ?? [])];
  const args = [...before, ...FETCH, ...filtered, ...from, ...where];
  const stdin = ids && new TextEncoder().encode(ids.map((id) => `${gitObjectId(id)}\n`).join(""));
  const ended = await overNetwork(ports, own, { doing, url, args, ...(stdin && { stdin }) });
  if (ended.code !== 0) throw awayFailure(doing, url, ended);
  if (refs === undefined) return new Map();
  const look = ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/"];
  const looked = await networkGit(ports, own, { doing, url, protocol: "file", args: look });
  return tipsIn(capturedText(looked.stdout), "refs/heads/");
}

/** @param known commits that need not be fetched again @returns their tips, which may be newer than what was asked for */
export async function fetchTips(
  ports: RemotePorts,
  repo: Pick<GitLocation, "commonDir">,
  wanted: Wanted,
  { branches, known }: { readonly branches: readonly string[]; readonly known: readonly string[] },
): Promise<Tips> {
  const refs = branches.map((name) => `+refs/heads/${gitRef(name)}:refs/heads/${name}`);
  return await fetchInto(ports, repo, wanted, { known, refs });
}

/** Exactly these objects, of a clone that may lack some. */
export async function fetchObjects(
  ports: RemotePorts,
  repo: Pick<GitLocation, "commonDir">,
  wanted: Omit<Wanted, "filter">,
  ids: readonly string[],
): Promise<void> {
  await fetchInto(ports, repo, { ...wanted, filter: "blob:none" }, { ids });
}
