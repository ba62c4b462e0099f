/**
 * Keeps what a work tree has not committed as a commit under `refs/svc/leftovers/`: no hook and no person's name takes
 * part, no index of the tree changes, and svc never pushes such a ref.
 */
import { joinBytes } from "svc/core/bytes.ts";
import { commitBody, wholeLines } from "svc/core/commit_text.ts";
import { Failure } from "svc/core/failure.ts";
import { gitRef, isObjectId } from "svc/core/git_args.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Clock } from "svc/platform/clock.ts";
import { eachItem, lineOf } from "./answers.ts";
import { type CallGit, gitIn, type GitRunner } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { branchOf, headTip } from "./head.ts";
import { commitsAt } from "./named.ts";
import { indexInfo } from "./index.ts";
import { commitObject, ownIndex, stagedTree, treeOf, withOwnIndex } from "./objects.ts";
import { type ListedPath, listedPath } from "./output.ts";
import { NOBODY } from "./person.ts";
import { refsInFiles } from "./refs.ts";
import { type UncommittedFile, type UncommittedFiles, uncommittedFiles } from "./uncommitted.ts";

export const LEFTOVERS = "refs/svc/leftovers";

/** Files and bytes that one ref keeps: changes of tracked files first, then the smallest. */
const LEFTOVER_FILES = 5_000;
const LEFTOVER_BYTES = 64 * 1024 * 1024;

/** Lines about what is not kept. */
const NOTES_SHOWN = 20;

/** Calls of git that may fail before the rest of what it refuses is given up. */
const STAGE_FAILURES = 100;

export interface KeepPlan {
  readonly path: string;
  /** Names the ref. */
  readonly job: string;
  readonly role: string;
}

export interface KeptFile extends ListedPath {
  /** As `git diff --name-status` against what was committed. */
  readonly letter: string;
}

export interface Leftovers {
  readonly ref: string;
  readonly job: string;
  readonly role: string;
  /** What the tree's branch had last committed; undefined for nothing. */
  readonly base: string | undefined;
  readonly files: readonly KeptFile[];
  /** What is not kept, or not as it was, and why; a line each. */
  readonly notes: readonly string[];
}

interface Snapshot {
  readonly tree: string;
  readonly notes: readonly string[];
}

interface TreeAt {
  readonly runner: GitRunner;
  readonly place: GitLocation;
  readonly doing: string;
  readonly head: string | undefined;
}

export function within(files: readonly UncommittedFile[]): [UncommittedFile[], UncommittedFile[]] {
  const order = files.toSorted((a, b) => Number(b.tracked) - Number(a.tracked) || a.size - b.size);
  let bytes = 0;
  const taken = order.findIndex(({ size }, at) =>
    at === LEFTOVER_FILES || (bytes += size) > LEFTOVER_BYTES
  );
  return taken === -1 ? [order, []] : [order.slice(0, taken), order.slice(taken)];
}

function most(lines: readonly string[]): string[] {
  const rest = lines.length - NOTES_SHOWN;
  return rest <= 0 ? [...lines] : [...lines.slice(0, NOTES_SHOWN), `and ${rest} more`];
}

/** Puts them into an index of svc's own. @returns those that git refuses */
async function stage(
  git: CallGit,
  doing: string,
  files: readonly UncommittedFile[],
): Promise<UncommittedFile[]> {
  let failures = 0;
  const some = async (part: readonly UncommittedFile[]): Promise<UncommittedFile[]> => {
    if (part.length === 0 || failures > STAGE_FAILURES) return [...part];
    const { code } = await git({
      doing,
      args: [
        ...["-c", "core.safecrlf=false"],
        ...["update-index", "-z", "--add", "--remove", "--replace", "--stdin"],
      ],
      stdin: joinBytes(part.flatMap(({ name }) => [name, new Uint8Array(1)])),
      answers: [0, 1, 128],
    });
    if (code === 0) return [];
    failures++;
    if (part.length === 1) return [...part];
    const middle = Math.ceil(part.length / 2);
    return [...await some(part.slice(0, middle)), ...await some(part.slice(middle))];
  };
  return await some(files);
}

/** As they are, where git cannot store them as their attributes ask. @returns those that cannot be read */
async function stageRaw(
  git: CallGit,
  doing: string,
  root: string,
  files: readonly UncommittedFile[],
): Promise<UncommittedFile[]> {
  const unread: UncommittedFile[] = [];
  for (const file of files) {
    const { path, usable } = file;
    const info = usable && unread.length <= STAGE_FAILURES
      ? await Deno.lstat(`${root}/${path}`).catch(() => undefined)
      : undefined;
    const args = ["hash-object", "-w", "--no-filters", "--", path];
    const oid = info?.isFile ? await lineOf(git, doing, args, [0, 128]) : undefined;
    if (oid === undefined) {
      unread.push(file);
      continue;
    }
    const mode = ((info?.mode ?? 0) & 0o100) === 0 ? "100644" : "100755";
    const stdin = indexInfo([{ ...file, entry: `${mode} ${oid}` }], oid);
    await git({ doing, args: ["update-index", "-z", "--index-info"], stdin });
  }
  return unread;
}

/** Undefined where git cannot read the tree's index, which then says nothing. */
async function readableChanges(
  { runner, place, doing }: TreeAt,
): Promise<UncommittedFiles | undefined> {
  try {
    return await uncommittedFiles(gitIn(runner, place), doing, place.root);
  } catch (thrown) {
    if (Failure.from(thrown).code !== "environment") throw thrown;
    return undefined;
  }
}

async function snapshot(
  { runner, place, doing, head }: TreeAt,
  found: UncommittedFiles | undefined,
): Promise<Snapshot> {
  const { root } = place;
  return await withOwnIndex(runner, place, { doing, tree: head }, async (own) => {
    // The own index has each file looked at.
    const { files, notes } = found ?? await uncommittedFiles(own, doing, root);
    const [taken, over] = within(files);
    const unread = await stageRaw(own, doing, root, await stage(own, doing, taken));
    const said = (why: string) => ({ path, size }: UncommittedFile) =>
      `${quoted(path)}, ${size} bytes: ${why}`;
    const limit = `${LEFTOVER_FILES} files and ${LEFTOVER_BYTES} bytes are kept at most`;
    return {
      tree: (await lineOf(own, doing, ["write-tree"]))!,
      notes: [
        ...notes,
        ...over.map(said(limit)),
        ...unread.map(said("git cannot read it")),
      ],
    };
  });
}

const HEADING = "Not kept, or not as it was:";

function messageOf(
  { job, role }: KeepPlan,
  { branch, base, notes }: Pick<Leftovers, "base" | "notes"> & { readonly branch: string },
): string {
  const trailers = { Role: role, Job: job, Branch: branch, ...(base && { Base: base }) };
  return [
    `chore(leftovers): keep what job ${job} left`,
    commitBody(
      `What ${role} had not committed on ${branch}. svc keeps it here, and pushes it nowhere.`,
    ),
    ...(notes.length === 0
      ? []
      : [commitBody([HEADING, ...notes.map((note) => `- ${note}`)].join("\n"))]),
    Object.entries(trailers).map(([name, value]) => `Svc-${name}: ${value}`).join("\n"),
  ].join("\n\n");
}

/** Paths that are staged in a way that neither the last commit nor the files have. */
async function stagedAlone(
  git: CallGit,
  doing: string,
  staged: string,
  trees: readonly [committed: string, files: string],
): Promise<string[]> {
  const [before, after] = await Promise.all(
    trees.map(async (tree) =>
      (await filesBetween(git, doing, tree, staged)).map(({ path }) => path)
    ),
  );
  const other = new Set(after);
  return before!.filter((path) => other.has(path));
}

/** The ref is made once all that it names is there: a kill leaves all of it or nothing. */
export async function keepTree(
  runner: GitRunner,
  clock: Pick<Clock, "now">,
  place: GitLocation,
  plan: KeepPlan,
): Promise<Leftovers | undefined> {
  const doing = `keep what is not committed in ${quoted(place.root)}`;
  // Even commands that need no index read the tree's, which may be broken.
  const apart = { ...place, index: ownIndex(place) };
  const git = gitIn(runner, apart);
  const base = await headTip(git, place, doing);
  const at = { runner, place, doing, head: base };
  const changes = await readableChanges(at);
  // What is staged is then as committed: git compares the two whatever it is told about files.
  if (changes?.files.length === 0 && changes.notes.length === 0) return undefined;
  const committed = await treeOf(runner, apart, doing, base);
  const staged = await stagedTree(runner, place, doing);
  const files = await snapshot(at, changes);
  const { tree } = files;
  const alone = staged === undefined || committed === undefined
    ? []
    : await stagedAlone(git, doing, staged, [committed, tree]);
  if (tree === committed && files.notes.length === 0 && alone.length === 0) return undefined;
  const ref = await freeRef(runner, apart, doing, plan.job, { tree, base });
  if (ref.free) {
    const notes = most([
      ...files.notes,
      ...alone.map((path) => `${quoted(path)}: staged otherwise; ${ref.name}~1 has it as staged`),
    ]);
    const branch = await branchOf(git, place) ?? "no branch";
    const message = messageOf(plan, { base, notes, branch });
    const commit = async (of: string, parent: string | undefined) =>
      await commitObject(runner, apart, { doing, message }, {
        ...{ tree: of, parents: parent === undefined ? [] : [parent], at: clock.now() },
        ...{ author: NOBODY, committer: NOBODY },
      });
    const made = await commit(tree, alone.length > 0 ? await commit(staged!, base) : base);
    await git({ doing, args: ["update-ref", ref.name, made, "0".repeat(made.length)] });
  }
  return (await leftoversAt(git, doing, ref.name))[0];
}

/** One that keeps the same already, or one that nothing has. */
async function freeRef(
  runner: GitRunner,
  apart: GitLocation,
  doing: string,
  job: string,
  same: { readonly tree: string; readonly base: string | undefined },
): Promise<{ readonly name: string; readonly free: boolean }> {
  const git = gitIn(runner, apart);
  for (let nth = 1;; nth++) {
    const name = gitRef(`${LEFTOVERS}/${job}${nth === 1 ? "" : `-${nth}`}`);
    const [old] = await commitsAt(git, doing, [name]);
    if (old === undefined) return { name, free: true };
    const [before] = await leftoversAt(git, doing, name);
    const tree = await treeOf(runner, apart, doing, old);
    if (tree === same.tree && before?.base === same.base) return { name, free: false };
  }
}

const trailer = (message: string, name: string) =>
  new RegExp(`^Svc-${name}: (.+)$`, "m").exec(message)?.[1];

function notesIn(message: string): string[] {
  const block = message.split("\n\n").find((part) => part.startsWith(`${HEADING}\n`));
  if (block === undefined) return [];
  return wholeLines(block).split("\n").slice(1).map((line) => line.slice(2));
}

async function filesBetween(
  git: CallGit,
  doing: string,
  base: string | undefined,
  commit: string,
): Promise<KeptFile[]> {
  const files: KeptFile[] = [];
  let letter: string | undefined;
  const from = base === undefined ? ["--root", commit] : [base, commit];
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", "--name-status"];
  await eachItem(git, { doing, args: [...args, ...from] }, (item) => {
    if (letter === undefined) letter = new TextDecoder().decode(item);
    else {
      files.push({ letter, ...listedPath(item) });
      letter = undefined;
    }
  });
  return files;
}

const FORMAT = "--format=%(refname)%00%(objectname)%00%(contents)%00";

/** @param at only what was left on this branch, when it ended at this commit */
async function leftoversAt(
  git: CallGit,
  doing: string,
  under: string,
  at?: { readonly branch: string; readonly base: string },
): Promise<Leftovers[]> {
  const decoder = new TextDecoder();
  const fields: string[] = [];
  const args = ["for-each-ref", "--sort=-creatordate", FORMAT, under];
  await eachItem(git, { doing, args }, (item) => fields.push(decoder.decode(item)));
  const found: Leftovers[] = [];
  for (let nth = 0; nth + 2 < fields.length; nth += 3) {
    const [ref = "", commit = "", message = ""] = fields.slice(nth, nth + 3);
    const base = trailer(message, "Base");
    if (at !== undefined && (at.base !== base || trailer(message, "Branch") !== at.branch)) {
      continue;
    }
    const [job = "", role = ""] = [trailer(message, "Job"), trailer(message, "Role")];
    if (base !== undefined && !isObjectId(base)) continue;
    const files = await filesBetween(git, doing, base, commit);
    found.push({ ref: ref.trim(), job, role, base, files, notes: notesIn(message) });
  }
  return found;
}

/** Newest first. @param at a branch, and the commit at which it ended */
export async function leftoversOf(
  git: CallGit,
  repo: GitLocation,
  at: { readonly branch: string; readonly base: string },
): Promise<Leftovers[]> {
  if (refsInFiles(repo, LEFTOVERS)?.size === 0) return [];
  return await leftoversAt(git, `look for leftovers of ${quoted(at.branch)}`, `${LEFTOVERS}/`, at);
}
