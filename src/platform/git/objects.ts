/** Makes the objects of a commit without the user's index and without any program. */
import { Failure } from "svc/core/failure.ts";
import { gitObjectId, gitPath } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { together } from "svc/core/together.ts";
import { eachItem, lineOf } from "./answers.ts";
import { type CallGit, gitIn, type GitRunner, mayStore } from "./call.ts";
import type { CommitPlan, FileChange } from "./commit_plan.ts";
import type { GitLocation } from "./hardening.ts";
import { ObjectPack, PACKED_BYTES } from "./object_pack.ts";
import type { Person } from "./person.ts";
import { changedTree, readTrees } from "./trees.ts";
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

interface StoredFiles {
  readonly ids: ReadonlyMap<FileChange, string>;
  /** What is not in the repo yet. */
  readonly pack: ObjectPack;
}

/** Files that git stores as they are wait in the pack, as many as one may hold; the others are stored. */
async function storedFiles(
  runner: GitRunner,
  place: GitLocation,
  { doing, changes }: CommitPlan,
  parent: string | undefined,
): Promise<StoredFiles> {
  const git = gitIn(runner, place);
  const written = changes.filter((change): change is Written => change.bytes !== null);
  const ids = new Map<FileChange, string>();
  const store = async (change: Written) => void ids.set(change, await blob(git, change, doing));
  const waiting: Written[] = [];
  let room = PACKED_BYTES;
  for (let from = 0; from < written.length; from += ATTRIBUTES_A_LOOK) {
    const group = written.slice(from, from + ATTRIBUTES_A_LOOK);
    // A call without that look runs no driver either.
    const encoded = await mayStore(runner, place, {
      doing,
      mutates: group.map(({ path }) => path),
    });
    const single: Written[] = [];
    for (const change of group) {
      const { path, bytes } = change;
      const waits = !encoded.has(path) && storedAsIs(bytes) && bytes.length <= room;
      if (waits) room -= bytes.length;
      (waits ? waiting : single).push(change);
    }
    for (let at = 0; at < single.length; at += FILES_AT_ONCE) {
      await together(...single.slice(at, at + FILES_AT_ONCE).map(store));
    }
  }
  const pack = new ObjectPack(parent ?? [...ids.values()][0] ?? await emptyTree(git, doing));
  for (const change of waiting) ids.set(change, await pack.add("blob", change.bytes));
  return { ids, pack };
}

/** Before the first commit only an id tells how the repo names objects. */
async function emptyTree(git: CallGit, doing: string): Promise<string> {
  const { stdout } = await git({
    doing,
    args: ["hash-object", "-t", "tree", "--stdin"],
    stdin: new Uint8Array(0),
  });
  return gitObjectId(capturedText(stdout).trim());
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
  /** That of the commit before. */
  readonly treeBefore: string | undefined;
  /** `mode SP id` for each change, or "" where the file is gone. */
  readonly entries: readonly string[];
  /** What the repo lacks of it: files and trees, which wait for the commit. */
  readonly pack: ObjectPack;
}

export async function treeWith(
  runner: GitRunner,
  place: GitLocation,
  plan: CommitPlan,
  parent: string | undefined,
): Promise<StoredTree> {
  const { doing, changes } = plan;
  const git = gitIn(runner, place);
  const [{ ids, pack }, executable, before] = await together(
    storedFiles(runner, place, plan, parent),
    executables(git, plan, parent),
    readTrees(git, doing, parent, changes.map(({ path }) => path)),
  );
  const changed = changes.map((change) => {
    const id = ids.get(change);
    const mode = executable.has(change.path) ? "100755" : "100644";
    return { path: change.path, entry: id === undefined ? "" : `${mode} ${id}` };
  });
  const tree = await changedTree(pack, doing, before, changed);
  return { tree, treeBefore: before.root, entries: changed.map(({ entry }) => entry), pack };
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

/** As commit objects name people (git-commit-tree(1)): git itself checks a new object no further. */
function personLine(role: string, { name, email }: Person, at: number): string {
  if (/[<>\n\0]/.test(name + email) || name === "") {
    throw new Failure("refused", `Cannot commit as ${JSON.stringify(`${name} <${email}>`)}`, {
      remedy: "Name somebody without <, > and line feeds",
    });
  }
  return `${role} ${name} <${email}> ${Math.floor(at / 1000)} +0000`;
}

/** @param pack what the repo lacks of the tree */
export async function commitObject(
  runner: GitRunner,
  place: GitLocation,
  { doing, message }: Pick<CommitPlan, "doing" | "message">,
  of: CommitParts,
  pack = new ObjectPack(of.tree),
): Promise<string> {
  const text = [
    ...[`tree ${gitObjectId(of.tree)}`, ...of.parents.map((id) => `parent ${gitObjectId(id)}`)],
    personLine("author", of.author, of.at),
    personLine("committer", of.committer, of.at),
    "",
    `${message.replaceAll("\0", "").trimEnd()}\n`,
  ].join("\n");
  // Not commit-tree, which takes names and dates from variables only.
  const commit = await pack.add("commit", new TextEncoder().encode(text));
  const stdin = await pack.bytes();
  await gitIn(runner, place)({ doing, args: ["unpack-objects", "-q"], stdin });
  remember(runner, place, commit, of.tree);
  return commit;
}
