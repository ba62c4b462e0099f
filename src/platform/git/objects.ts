/** Makes the objects of a commit without the user's index and without any program. */
import { gitObjectId, gitPath } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { together } from "svc/core/together.ts";
import { eachItem, lineOf } from "./answers.ts";
import { blobPack, PACKED_BYTES } from "./blob_pack.ts";
import { type CallGit, gitIn, type GitRunner, mayStore } from "./call.ts";
import type { CommitPlan, FileChange } from "./commit_plan.ts";
import type { GitLocation } from "./hardening.ts";
import { indexInfo } from "./index.ts";
import type { Person } from "./person.ts";
import type { Processes } from "svc/platform/process/process.ts";

/** Files at a time. */
const ATTRIBUTES_A_LOOK = 100;
const FILES_AT_ONCE = 4;

/** The paths that are stored as executable: where the file system keeps no modes, the commit before says so. */
async function executables(
  git: CallGit,
  { doing, changes }: CommitPlan,
  parent: string | undefined,
): Promise<ReadonlySet<string>> {
  const args = ["config", "--includes", "--type=bool", "--get", "core.fileMode"];
  if (await lineOf(git, doing, args, [0, 1]) !== "false") {
    return new Set(changes.filter(({ executable }) => executable).map(({ path }) => path));
  }
  const before = new Set<string>();
  const paths = changes.map(({ path, from = path }) => gitPath(from));
  if (parent !== undefined) {
    await eachItem(git, { doing, args: ["ls-tree", "-z", parent, "--", ...paths] }, (item) => {
      const [entry = "", path = ""] = new TextDecoder().decode(item).split("\t");
      if (entry.startsWith("100755")) before.add(path);
    });
  }
  const stored = changes.filter(({ path, from = path }) => before.has(from));
  return new Set(stored.map(({ path }) => path));
}

const CARRIAGE_RETURN = 13;
const DOLLAR = 36;

/** Attributes have git change CRs, and what follows `$Id` (gitattributes(5)); an encoding is asked for before. */
function storedAsIs(bytes: Uint8Array): boolean {
  if (bytes.length > PACKED_BYTES || bytes.includes(CARRIAGE_RETURN)) return false;
  for (let at = bytes.indexOf(DOLLAR); at >= 0; at = bytes.indexOf(DOLLAR, at + 1)) {
    if (bytes[at + 1] === 0x49 && bytes[at + 2] === 0x64) return false;
  }
  return true;
}

type Written = FileChange & { readonly bytes: Uint8Array };

/** Those that git stores as they are, no more than one pack may hold. */
function packable(changes: readonly Written[], encoded: ReadonlySet<string>): Written[] {
  let room = PACKED_BYTES;
  return changes.filter(({ path, bytes }) =>
    !encoded.has(path) && storedAsIs(bytes) && (room -= bytes.length) >= 0
  );
}

/** @returns the ids of what the files hold */
async function storedFiles(
  runner: GitRunner,
  place: GitLocation,
  { doing, changes }: CommitPlan,
  parent: string | undefined,
): Promise<ReadonlyMap<FileChange, string>> {
  const git = gitIn(runner, place);
  const written = changes.filter((change): change is Written => change.bytes !== null);
  const stored = new Map<FileChange, string>();
  const store = async (change: Written) => void stored.set(change, await blob(git, change, doing));
  for (let from = 0; from < written.length; from += ATTRIBUTES_A_LOOK) {
    const group = written.slice(from, from + ATTRIBUTES_A_LOOK);
    // A call without that look runs no driver either.
    const encoded = await mayStore(runner, place, {
      doing,
      mutates: group.map(({ path }) => path),
    });
    const packed = packable(group, encoded);
    if (packed.length > 1) {
      // Before the first commit only an id tells how the repo names objects.
      if (parent === undefined && stored.size === 0) await store(packed.shift()!);
      const { bytes, ids } = await blobPack(
        packed.map((change) => change.bytes),
        parent ?? [...stored.values()][0]!,
      );
      await git({ doing, args: ["unpack-objects", "-q"], stdin: bytes });
      for (const [nth, change] of packed.entries()) stored.set(change, ids[nth]!);
    }
    const single = group.filter((change) => !stored.has(change));
    for (let at = 0; at < single.length; at += FILES_AT_ONCE) {
      await together(...single.slice(at, at + FILES_AT_ONCE).map(store));
    }
  }
  return stored;
}

/** @returns `mode SP oid` for each change, or "" where the file is gone */
async function blobs(
  runner: GitRunner,
  place: GitLocation,
  plan: CommitPlan,
  parent: string | undefined,
): Promise<string[]> {
  const [stored, executable] = await together(
    storedFiles(runner, place, plan, parent),
    executables(gitIn(runner, place), plan, parent),
  );
  return plan.changes.map((change) => {
    const oid = stored.get(change);
    return oid === undefined ? "" : `${executable.has(change.path) ? "100755" : "100644"} ${oid}`;
  });
}

async function blob(git: CallGit, { path, bytes }: Written, doing: string): Promise<string> {
  // The path makes git store line ends as the user's own git would.
  const args = ["hash-object", "-w", "--stdin", `--path=${gitPath(path)}`];
  const { stdout } = await git({ doing, args, stdin: bytes });
  return gitObjectId(capturedText(stdout).trim());
}

export const ownIndex = ({ gitDir }: GitLocation) => `${gitDir}/svc-index`;

/** Also one that a killed run left: whoever holds the repo's lock may. */
export function dropOwnIndex(place: GitLocation): void {
  for (const path of [ownIndex(place), `${ownIndex(place)}.lock`]) {
    try {
      Deno.removeSync(path);
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    }
  }
}

export async function withOwnIndex<T>(
  runner: GitRunner,
  place: GitLocation,
  { doing, tree }: { doing: string; tree: string | undefined },
  work: (git: CallGit) => Promise<T>,
): Promise<T> {
  const git = gitIn(runner, { ...place, index: ownIndex(place) });
  dropOwnIndex(place);
  try {
    await git({ doing, args: ["read-tree", tree ?? "--empty"] });
    return await work(git);
  } finally {
    dropOwnIndex(place);
  }
}

/**
 * What is staged, from a copy: git writes into an index that it makes a tree of. Undefined without an index, amid a
 * conflict, and for one that git cannot read.
 */
export async function stagedTree(
  runner: GitRunner,
  place: GitLocation,
  doing: string,
): Promise<string | undefined> {
  const copy = ownIndex(place);
  dropOwnIndex(place);
  try {
    await Deno.copyFile(`${place.gitDir}/index`, copy);
    return await lineOf(gitIn(runner, { ...place, index: copy }), doing, ["write-tree"], [0, 128]);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  } finally {
    dropOwnIndex(place);
  }
}

/** Trees of commits that svc made, by the repo's folder and the commit's id, which stands for its content. */
const made = new WeakMap<Pick<Processes, "run">, Map<string, string>>();

/** 200 bytes each; the oldest go first. */
const COMMITS_REMEMBERED = 1_000;

const madeIn = ({ commonDir }: GitLocation, commit: string) => `${commonDir}\0${commit}`;

function remember({ processes }: GitRunner, place: GitLocation, commit: string, tree: string) {
  const known = made.get(processes) ?? new Map<string, string>();
  made.set(processes, known.set(madeIn(place, commit), tree));
  if (known.size > COMMITS_REMEMBERED) known.delete(known.keys().next().value!);
}

/** @param commit a whole id. What svc did not make itself, git is asked for: its answer could come from a broken repo */
export async function treeOf(
  runner: GitRunner,
  place: GitLocation,
  doing: string,
  commit: string | undefined,
): Promise<string | undefined> {
  if (commit === undefined) return undefined;
  const known = made.get(runner.processes)?.get(madeIn(place, commit));
  const args = ["rev-parse", "--verify", `${commit}^{tree}`];
  return known ?? await lineOf(gitIn(runner, place), doing, args);
}

interface StoredTree {
  readonly tree: string;
  readonly entries: readonly string[];
}

/** In an index of svc's own, while the files are stored. */
export async function treeWith(
  runner: GitRunner,
  place: GitLocation,
  plan: CommitPlan,
  parent: string | undefined,
): Promise<StoredTree> {
  const { doing, changes } = plan;
  const storing = blobs(runner, place, plan, parent);
  const making = withOwnIndex(runner, place, { doing, tree: parent }, async (git) => {
    const entries = await storing;
    await git({
      doing,
      args: ["update-index", "-z", "--index-info"],
      stdin: indexInfo(changes, entries),
    });
    return { entries, tree: (await lineOf(git, doing, ["write-tree", "--missing-ok"]))! };
  });
  const [, stored] = await together(storing, making);
  return stored;
}

interface CommitParts {
  readonly tree: string;
  /** None for the first commit, two for a merge. */
  readonly parents: readonly string[];
  readonly author: Person;
  readonly committer: Person;
  /** Epoch ms. */
  readonly at: number;
}

export async function commitObject(
  runner: GitRunner,
  place: GitLocation,
  { doing, message }: Pick<CommitPlan, "doing" | "message">,
  of: CommitParts,
): Promise<string> {
  const stamp = `${Math.floor(of.at / 1000)} +0000`;
  const text = [
    `tree ${of.tree}`,
    ...of.parents.map((parent) => `parent ${parent}`),
    `author ${of.author.name} <${of.author.email}> ${stamp}`,
    `committer ${of.committer.name} <${of.committer.email}> ${stamp}`,
    "",
    `${message.replaceAll("\0", "").trimEnd()}\n`,
  ].join("\n");
  // Not commit-tree, which takes names and dates from variables only. Git checks the form.
  const { stdout } = await gitIn(runner, place)({
    doing,
    args: ["hash-object", "-t", "commit", "-w", "--stdin"],
    stdin: new TextEncoder().encode(text),
  });
  const commit = gitObjectId(capturedText(stdout).trim());
  remember(runner, place, commit, of.tree);
  return commit;
}
