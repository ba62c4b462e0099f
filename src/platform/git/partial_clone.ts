/** Clones of repos with a long history: they have every commit and its list of files, and the contents of files only
 * from the commit on at which the clone was made. */
import { Failure } from "svc/core/failure.ts";
import { gitObjectId } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { eachItem, lineOf } from "./answers.ts";
import { type CallGit, gitIn } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { fetchObjects, fetchTips, type RemotePorts, type Wanted } from "./remote_objects.ts";

/** Contents of files in the history, over which a clone is partial: up to some 100 MB of source code. */
export const WHOLE_FILES = 20_000;

/** Leaves nothing out, but lets git know that the clone lacks what an earlier fetch left out: it would otherwise
 * look for that in all objects (connected.c, check_connected). */
const ALL = "blob:limit=1024g";

/** Pairs of merge bases whose own bases are looked for; a repo that has more is merged by people. */
const MOST_PAIRS = 2_000;

/** Any program's git that stumbles over missing contents tries to fetch from here, and prints it. So it asks no
 * network and no login, in no version of git. */
const NOWHERE = "/dev/null/svc has no contents of old commits in this clone";

export async function isPartial(git: CallGit, doing: string): Promise<boolean> {
  return await lineOf(git, doing, ["config", "--get", "extensions.partialClone"], [0, 1]) === "svc";
}

async function missing(git: CallGit, doing: string, args: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  const list = ["rev-list", "--objects", "--missing=print", ...args, "--"];
  await eachItem(git, { doing, args: list }, (item) => {
    if (item[0] === 0x3f) ids.push(gitObjectId(new TextDecoder().decode(item.subarray(1))));
  }, "LF");
  return ids;
}

/** git tells by a file beside a pack whether what its objects name may be missing. */
async function becomeWhole({ commonDir }: GitLocation): Promise<void> {
  const folder = `${commonDir}/objects/pack`;
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".promisor")) await Deno.remove(`${folder}/${name}`);
  }
}

async function becomePartial(git: CallGit, doing: string): Promise<void> {
  const settings = [
    ["core.repositoryFormatVersion", "1"],
    ["remote.svc.url", NOWHERE],
    ["remote.svc.promisor", "true"],
    ["extensions.partialClone", "svc"],
  ] as const;
  for (const [key, value] of settings) await git({ doing, args: ["config", key, value] });
}

/** Fetches the registered branch of a clone that has nothing yet: whole where its history is short, or the host knows
 * no filters. @param wholeFiles up to how many contents are fetched @returns its tip */
export async function beginHistory(
  ports: RemotePorts,
  repo: GitLocation,
  wanted: Omit<Wanted, "filter">,
  { branch, wholeFiles }: { readonly branch: string; readonly wholeFiles: number },
): Promise<string> {
  const { doing, sample } = wanted;
  const git = gitIn(ports.runner, repo);
  const filtered = { ...wanted, filter: "blob:none" };
  const tip = (await fetchTips(ports, repo, filtered, { branches: [branch], known: [] }))
    .get(branch) ?? sample;
  const all = await missing(git, doing, [tip]);
  const partial = all.length > wholeFiles;
  try {
    if (partial) await complete(ports, repo, wanted, { tips: [tip], known: [], branch: tip });
    else if (all.length > 0) await fetchObjects(ports, repo, wanted, all);
  } catch (thrown) {
    if (Failure.from(thrown).code !== "environment") throw thrown;
    // It filters, and gives no object by its id: protocol 0, and JGit (uploadpack.allowAnySHA1InWant).
    await fetchTips(ports, repo, wanted, { branches: [branch], known: [] });
    await becomeWhole(repo);
    return tip;
  }
  if (partial) await becomePartial(git, doing);
  else await becomeWhole(repo);
  return tip;
}

/** Merge bases of these pairs, and those of the bases: git merges several bases with each other first (git-merge(1), "ort"). */
async function basesOf(
  git: CallGit,
  doing: string,
  first: readonly (readonly [string, string])[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const pairs = new Map(first.map((pair) => [pair.join(" "), pair]));
  // A map's walk meets what is added to it meanwhile.
  for (const [one, other] of pairs.values()) {
    const args = ["merge-base", "--all", gitObjectId(one), gitObjectId(other)];
    const { stdout } = await git({ doing, args, answers: [0, 1] });
    const bases = capturedText(stdout).split("\n").filter((line) => line !== "").sort();
    for (const [at, base] of bases.entries()) {
      found.add(base);
      if (pairs.size > first.length + MOST_PAIRS) continue;
      for (const next of bases.slice(at + 1)) pairs.set(`${base} ${next}`, [base, next]);
    }
  }
  return found;
}

/** Fetches what a partial clone lacks of new commits, and of the commits where their branches left the registered one:
 * all that a merge, a look at the branch or a checkout reads. */
export async function complete(
  ports: RemotePorts,
  repo: GitLocation,
  wanted: Omit<Wanted, "filter">,
  { tips, known, branch }: {
    readonly tips: readonly string[];
    /** Tips whose contents were fetched before. */
    readonly known: readonly string[];
    /** Tip of the registered one. */
    readonly branch: string;
  },
): Promise<void> {
  const { doing } = wanted;
  const git = gitIn(ports.runner, repo);
  // Where the registered branch moved, others may share more with it than they did.
  const others = tips.includes(branch) ? [...tips, ...known] : tips;
  const bases = await basesOf(git, doing, others.map((tip) => [tip, branch]));
  const ids = new Set(await missing(git, doing, ["--no-walk", ...tips, ...bases]));
  // A server may leave out of a fetch what it takes this clone to have: contents of a commit before (pack-bitmap.c).
  if (known.length > 0) {
    for (const id of await missing(git, doing, [...tips, "--not", ...known])) ids.add(id);
  }
  if (ids.size > 0) await fetchObjects(ports, repo, wanted, [...ids]);
}

/** @returns the filter of a fetch into this clone */
export const filterOf = (partial: boolean) => partial ? { filter: ALL } : {};
