/** Changes several files as one operation: journalled first, then done; after a crash finished or undone. */
import { Failure } from "svc/core/failure.ts";
import { folderOf } from "svc/core/path_parts.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Files } from "./files.ts";
import {
  type FileState,
  isStrange,
  type JournalTarget,
  look,
  makeFolder,
  put,
  remove,
  removeEmptyFolder,
  removeTree,
  sweepFolder,
} from "./journal_target.ts";

/** A usual journal holds some forty small files, old and new, in base64. */
const JOURNAL_BYTES = 64 * 1024 * 1024;

/** `content` is base64. Without `mode` a new file gets the usual mode. */
export interface FileVersion {
  readonly sha256: string;
  readonly content: string;
  readonly mode?: number;
}

/** Paths are relative to the repo, or absolute. A version of null is no file. */
export type OperationStep =
  | {
    readonly kind: "file";
    readonly path: string;
    readonly before: FileVersion | null;
    readonly after: FileVersion | null;
  }
  /** Makes the folder, or removes it when it is empty. */
  | { readonly kind: "folder"; readonly path: string; readonly made: boolean };

type FileStep = Extract<OperationStep, { kind: "file" }>;

export interface FileOperation {
  readonly name: string;
  readonly repo: string;
  readonly steps: readonly OperationStep[];
  /** Absolute paths, removed with their contents after the last step; this is not undone. */
  readonly drops: readonly string[];
}

interface OperationRecord extends FileOperation {
  readonly format: 1;
  readonly id: string;
  readonly state: "begun" | "committed";
}

export interface JournalPorts extends JournalTarget {
  readonly files: JournalTarget["files"] & Pick<Files, "readText">;
  readonly journal: string;
}

export interface SettledOperation {
  readonly operation: string;
  /** `pending`: nothing is done in a dry run. */
  readonly outcome: "finished" | "undone" | "pending";
  /** Edited by somebody meanwhile; they stay as they are. */
  readonly edited: readonly string[];
}

class Edited extends Error {
  constructor(readonly path: string) {
    super(path);
  }
}

const fileSteps = (steps: readonly OperationStep[]) =>
  steps.filter((step): step is FileStep => step.kind === "file");

const isVersion = (found: FileState, version: FileVersion | null) =>
  !isStrange(found) && found?.sha256 === version?.sha256;

async function bring(
  target: JournalTarget,
  path: string,
  from: FileVersion | null,
  to: FileVersion | null,
) {
  const now = await look(target, path);
  if (isVersion(now, to)) return;
  if (isStrange(now) || !isVersion(now, from)) throw new Edited(path);
  if (to === null) return await remove(target, path);
  const bytes = Uint8Array.fromBase64(to.content);
  const mode = to.mode === undefined ? {} : { mode: to.mode };
  await put(target, path, bytes, { ...mode, over: now });
}

async function forward(target: JournalTarget, steps: readonly OperationStep[]): Promise<void> {
  for (const step of steps) {
    if (step.kind === "file") await bring(target, step.path, step.before, step.after);
    else if (step.made) await makeFolder(target, step.path);
    else await removeEmptyFolder(target, step.path);
  }
}

async function back(target: JournalTarget, steps: readonly OperationStep[]): Promise<string[]> {
  const edited: string[] = [];
  for (const step of [...steps].reverse()) {
    if (step.kind === "file") {
      await bring(target, step.path, step.after, step.before).catch((thrown) => {
        if (!(thrown instanceof Edited)) throw thrown;
        edited.push(step.path);
      });
    } else if (step.made) await removeEmptyFolder(target, step.path);
    else await makeFolder(target, step.path);
  }
  return edited.reverse();
}

const pathOf = (ports: JournalPorts, id: string) => `${ports.journal}/${id}.json`;

async function note(ports: JournalPorts, entry: OperationRecord): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(entry));
  // A journal that could not be read back would hold up every later operation.
  if (bytes.length > JOURNAL_BYTES) {
    const { name, repo } = entry;
    throw new Failure("refused", `Cannot ${name} in ${quoted(repo)}: it is too much at once`, {
      remedy: "Move aside or shrink the largest of the files that it changes; nothing was changed",
    });
  }
  await ports.files.writeAtomic(pathOf(ports, entry.id), bytes, { mode: 0o600 });
}

/** From here on nothing is undone; the steps are dropped, since they hold file contents. */
async function commit(ports: JournalPorts, entry: OperationRecord): Promise<void> {
  await note(ports, { ...entry, steps: [], state: "committed" });
  await clear(ports, entry);
}

async function clear(ports: JournalPorts, entry: OperationRecord): Promise<void> {
  for (const path of entry.drops) await removeTree(ports.files, path);
  await ports.files.remove(pathOf(ports, entry.id));
}

/** Does all steps or none; `id` is unique, without a slash. Call it with the repo locked, after
 * `settleEarlier`. @throws Failure `conflict` when a file changed since the plan, or what made a step fail */
export async function runOperation(
  ports: JournalPorts,
  id: string,
  operation: FileOperation,
): Promise<void> {
  const entry: OperationRecord = { format: 1, id, ...operation, state: "begun" };
  await ports.files.makeFolder(ports.journal);
  await note(ports, entry);
  try {
    await forward(ports, entry.steps);
  } catch (thrown) {
    await back(ports, entry.steps);
    await ports.files.remove(pathOf(ports, id));
    if (!(thrown instanceof Edited)) throw thrown;
    throw new Failure(
      "conflict",
      `Cannot ${operation.name}: ${quoted(thrown.path)} changed meanwhile; nothing was done`,
      { cause: thrown, remedy: "Run the command again" },
    );
  }
  await commit(ports, entry);
}

async function settle(ports: JournalPorts, entry: OperationRecord): Promise<SettledOperation> {
  const { name: operation, steps } = entry;
  if (entry.state === "committed") {
    await clear(ports, entry);
    return { operation, outcome: "finished", edited: [] };
  }
  const folders = new Set(fileSteps(steps).map(({ path }) => folderOf(path)));
  for (const path of folders) await sweepFolder(ports, path);
  try {
    await forward(ports, await canGoForward(ports, steps));
    await commit(ports, entry);
    return { operation, outcome: "finished", edited: [] };
  } catch (thrown) {
    if (!(thrown instanceof Edited || thrown instanceof Failure)) throw thrown;
    const edited = await back(ports, steps);
    await ports.files.remove(pathOf(ports, entry.id));
    return { operation, outcome: "undone", edited };
  }
}

/** Checks every file before the first is changed. @throws Edited */
async function canGoForward(
  target: JournalTarget,
  steps: readonly OperationStep[],
): Promise<readonly OperationStep[]> {
  for (const { path, before, after } of fileSteps(steps)) {
    const now = await look(target, path);
    if (!isVersion(now, before) && !isVersion(now, after)) throw new Edited(path);
  }
  return steps;
}

async function entriesFor(ports: JournalPorts, repo: string): Promise<OperationRecord[]> {
  if (await ports.files.stat(ports.journal) === undefined) return [];
  const { entries } = await ports.files.list(ports.journal);
  const found: OperationRecord[] = [];
  for (const { name, kind } of entries) {
    if (kind !== "file" || !name.endsWith(".json")) continue;
    const path = `${ports.journal}/${name}`;
    const entry = parsed(await ports.files.readText(path, { maxBytes: JOURNAL_BYTES }), path);
    if (entry.repo === repo) found.push(entry);
  }
  return found;
}

function parsed(text: string, path: string): OperationRecord {
  try {
    const entry = JSON.parse(text) as OperationRecord;
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

/** Finishes what a killed command began, or undoes it where a file was edited since. Lock the repo first. */
export async function settleEarlier(
  ports: JournalPorts,
  repo: string,
): Promise<SettledOperation[]> {
  const settled: SettledOperation[] = [];
  for (const entry of await entriesFor(ports, repo)) settled.push(await settle(ports, entry));
  return settled;
}

export async function pendingEarlier(
  ports: JournalPorts,
  repo: string,
): Promise<SettledOperation[]> {
  return (await entriesFor(ports, repo)).map(({ name }) => ({
    operation: name,
    outcome: "pending",
    edited: [],
  }));
}
