/** Changes of several files as one: written down first, then done; after a crash finished or undone. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Files } from "./files.ts";
import {
  folderOf,
  type Found,
  type Ground,
  isStrange,
  look,
  makeFolder,
  put,
  remove,
  removeEmptyFolder,
  removeTree,
  sweepFolder,
} from "./journal_ground.ts";

/** A journal of one command over a repo: some forty small files, old and new, in base64. */
const JOURNAL_BYTES = 64 * 1024 * 1024;

/** One version of a file; `content` in base64. Without `mode` a new file gets the usual one. */
export interface Version {
  readonly sha256: string;
  readonly content: string;
  readonly mode?: number;
}

/** Paths are relative to the repo, or absolute. Null: no file. */
export type Step =
  | {
    readonly kind: "file";
    readonly path: string;
    readonly before: Version | null;
    readonly after: Version | null;
  }
  /** Made, or removed when it is empty. */
  | { readonly kind: "folder"; readonly path: string; readonly made: boolean };

type FileStep = Extract<Step, { kind: "file" }>;

export interface Operation {
  /** Such as "init"; for messages. */
  readonly name: string;
  /** Real path of the repo. */
  readonly repo: string;
  readonly steps: readonly Step[];
  /** Absolute paths removed with all they hold once every step is done; these are not undone. */
  readonly drops: readonly string[];
}

interface Entry extends Operation {
  readonly format: 1;
  readonly id: string;
  readonly state: "begun" | "committed";
}

export interface Desk extends Ground {
  readonly files: Ground["files"] & Pick<Files, "readText">;
  /** Folder of the journals. */
  readonly journal: string;
}

/** How an operation that was cut short ended. */
export interface Settled {
  readonly operation: string;
  /** `pending`: only looked at, for a dry run. */
  readonly outcome: "finished" | "undone" | "pending";
  /** Files that somebody edited meanwhile; left as they are. */
  readonly edited: readonly string[];
}

/** A file is neither what it was nor what it shall become. */
class Edited extends Error {
  constructor(readonly path: string) {
    super(path);
  }
}

const fileSteps = (steps: readonly Step[]) =>
  steps.filter((step): step is FileStep => step.kind === "file");

const isVersion = (found: Found, version: Version | null) =>
  !isStrange(found) && found?.sha256 === version?.sha256;

/** @throws Edited */
async function place(ground: Ground, path: string, from: Version | null, to: Version | null) {
  const now = await look(ground, path);
  if (isVersion(now, to)) return;
  if (isStrange(now) || !isVersion(now, from)) throw new Edited(path);
  if (to === null) return await remove(ground, path);
  const bytes = Uint8Array.fromBase64(to.content);
  const mode = to.mode === undefined ? {} : { mode: to.mode };
  await put(ground, path, bytes, { ...mode, over: now });
}

async function forward(ground: Ground, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (step.kind === "file") await place(ground, step.path, step.before, step.after);
    else if (step.made) await makeFolder(ground, step.path);
    else await removeEmptyFolder(ground, step.path);
  }
}

/** Gives the files that somebody edited; those stay. */
async function back(ground: Ground, steps: readonly Step[]): Promise<string[]> {
  const edited: string[] = [];
  for (const step of [...steps].reverse()) {
    if (step.kind === "file") {
      await place(ground, step.path, step.after, step.before).catch((thrown) => {
        if (!(thrown instanceof Edited)) throw thrown;
        edited.push(step.path);
      });
    } else if (step.made) await removeEmptyFolder(ground, step.path);
    else await makeFolder(ground, step.path);
  }
  return edited.reverse();
}

const pathOf = (desk: Desk, id: string) => `${desk.journal}/${id}.json`;

async function note(desk: Desk, entry: Entry): Promise<void> {
  await desk.files.writeAtomic(pathOf(desk, entry.id), JSON.stringify(entry), { mode: 0o600 });
}

/** From here on nothing is undone; the steps are forgotten, for they hold file contents. */
async function commit(desk: Desk, entry: Entry): Promise<void> {
  await note(desk, { ...entry, steps: [], state: "committed" });
  await clear(desk, entry);
}

async function clear(desk: Desk, entry: Entry): Promise<void> {
  for (const path of entry.drops) await removeTree(desk.files, path);
  await desk.files.remove(pathOf(desk, entry.id));
}

/**
 * Call it with the repo locked, after `settleEarlier`. Either all steps are done or none is.
 *
 * @param id unique, without a slash; names the journal
 * @throws Failure `conflict` when a file changed since it was planned, or what made a step fail
 */
export async function runOperation(desk: Desk, id: string, operation: Operation): Promise<void> {
  const entry: Entry = { format: 1, id, ...operation, state: "begun" };
  await desk.files.makeFolder(desk.journal);
  await note(desk, entry);
  try {
    await forward(desk, entry.steps);
  } catch (thrown) {
    await back(desk, entry.steps);
    await desk.files.remove(pathOf(desk, id));
    if (!(thrown instanceof Edited)) throw thrown;
    throw new Failure(
      "conflict",
      `Cannot ${operation.name}: ${quoted(thrown.path)} changed meanwhile; nothing was done`,
      { cause: thrown, remedy: "Run the command again" },
    );
  }
  await commit(desk, entry);
}

async function settle(desk: Desk, entry: Entry): Promise<Settled> {
  const { name: operation, steps } = entry;
  if (entry.state === "committed") {
    await clear(desk, entry);
    return { operation, outcome: "finished", edited: [] };
  }
  const folders = new Set(fileSteps(steps).map(({ path }) => folderOf(path)));
  for (const path of folders) await sweepFolder(desk, path);
  try {
    await forward(desk, await canGoForward(desk, steps));
    await commit(desk, entry);
    return { operation, outcome: "finished", edited: [] };
  } catch (thrown) {
    if (!(thrown instanceof Edited || thrown instanceof Failure)) throw thrown;
    const edited = await back(desk, steps);
    await desk.files.remove(pathOf(desk, entry.id));
    return { operation, outcome: "undone", edited };
  }
}

/** Looks at every file before the first is touched. @throws Edited */
async function canGoForward(ground: Ground, steps: readonly Step[]): Promise<readonly Step[]> {
  for (const { path, before, after } of fileSteps(steps)) {
    const now = await look(ground, path);
    if (!isVersion(now, before) && !isVersion(now, after)) throw new Edited(path);
  }
  return steps;
}

async function entriesFor(desk: Desk, repo: string): Promise<Entry[]> {
  if (await desk.files.stat(desk.journal) === undefined) return [];
  const { entries } = await desk.files.list(desk.journal);
  const found: Entry[] = [];
  for (const { name, kind } of entries) {
    if (kind !== "file" || !name.endsWith(".json")) continue;
    const path = `${desk.journal}/${name}`;
    const entry = parsed(await desk.files.readText(path, { maxBytes: JOURNAL_BYTES }), path);
    if (entry.repo === repo) found.push(entry);
  }
  return found;
}

function parsed(text: string, path: string): Entry {
  try {
    const entry = JSON.parse(text) as Entry;
    if (entry.format === 1 && Array.isArray(entry.steps) && Array.isArray(entry.drops)) {
      return entry;
    }
  } catch (cause) {
    throw unreadable(path, cause);
  }
  throw unreadable(path);
}

function unreadable(path: string, cause?: unknown): Failure {
  return new Failure("environment", `Cannot read the journal ${quoted(path)}: it is damaged`, {
    cause,
    remedy: `Compare the repo with its last commit, then remove ${quoted(path)}`,
  });
}

/**
 * Finishes what a killed command began in this repo, when each file is still as that command knew
 * it; else takes it back, and leaves alone what somebody edited. Call it with the repo locked.
 */
export async function settleEarlier(desk: Desk, repo: string): Promise<Settled[]> {
  const settled: Settled[] = [];
  for (const entry of await entriesFor(desk, repo)) settled.push(await settle(desk, entry));
  return settled;
}

/** As `settleEarlier`, but only looks. */
export async function pendingEarlier(desk: Desk, repo: string): Promise<Settled[]> {
  return (await entriesFor(desk, repo)).map(({ name }) => ({
    operation: name,
    outcome: "pending",
    edited: [],
  }));
}
