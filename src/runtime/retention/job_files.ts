/**
 * Removes traces, outputs and leftovers of ended jobs. The note that they are gone is stored before they are
 * removed.
 */
import { Failure } from "svc/core/failure.ts";
import { chooseFiles } from "svc/features/retention/choose_files.ts";
import { endedAmong, type EndedJob, type RepoNeeds } from "svc/features/retention/ended_jobs.ts";
import { recordRemovals } from "svc/features/retention/removal_store.ts";
import type { Removed, RemoveOwn } from "svc/platform/files/remove_below.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Db } from "svc/store/schema.ts";
import { removalsOf, RETENTION_PAUSE_MS } from "./job_records.ts";
import type { RetentionTally } from "./report.ts";
import type { JobFiles } from "./stored_files.ts";

/**
 * Jobs in one transaction. After a kill the files of at most these jobs are left, and the next run removes
 * them.
 */
const FILES_AT_ONCE = 20;

export type FilePorts = Pick<RuntimePorts, "clock" | "db" | "signal"> & {
  readonly removeOwn: RemoveOwn;
};

export interface FilesPlan {
  readonly needs: readonly RepoNeeds[];
  readonly found: readonly JobFiles[];
  readonly now: number;
  readonly keepMs: number;
  /** Bytes of the files of all jobs. */
  readonly total: number;
  readonly most: number;
  readonly apply: boolean;
}

interface Removable extends JobFiles {
  readonly endedAt: number;
  readonly needs: RepoNeeds;
}

async function removable(db: Db, { needs, found }: FilesPlan): Promise<Removable[]> {
  const files = new Map(found.map((one) => [one.job, one]));
  const ids = [...files.keys()];
  const all: Removable[] = [];
  for (const repo of needs) {
    for (const { id, finished_at } of await endedAmong(db, repo, ids)) {
      all.push({ ...files.get(id)!, endedAt: finished_at, needs: repo });
    }
  }
  return all;
}

/**
 * Ended jobs that nothing needs, checked again under the write lock. From now on their pages say that the files
 * are gone.
 */
async function note(
  { db, clock }: FilePorts,
  batch: readonly Removable[],
): Promise<readonly EndedJob[]> {
  return await db.transaction().execute(async (tx) => {
    const ended: EndedJob[] = [];
    for (const [needs, files] of Map.groupBy(batch, (one) => one.needs)) {
      ended.push(...await endedAmong(tx, needs, files.map(({ job }) => job)));
    }
    await recordRemovals(tx, removalsOf(ended, "files", clock.now()));
    return ended;
  });
}

/**
 * On a disk without any room the note cannot be stored, so the files of one job are removed first, to make
 * room.
 */
async function noted(
  ports: FilePorts,
  batch: readonly Removable[],
  remove: (files: Removable) => Promise<void>,
): Promise<readonly EndedJob[]> {
  try {
    return await note(ports, batch);
  } catch (thrown) {
    if (Failure.from(thrown).code !== "environment") throw thrown;
    await remove(batch[0]!);
    return await note(ports, batch);
  }
}

/** A file that cannot be removed is told of, and does not stop the others. */
export async function removeFiles(
  { removeOwn }: Pick<FilePorts, "removeOwn">,
  tally: RetentionTally,
  paths: readonly string[],
): Promise<Removed> {
  let [files, bytes] = [0, 0];
  for (const path of paths) {
    try {
      const removed = await removeOwn(path);
      files += removed.files;
      bytes += removed.bytes;
    } catch (thrown) {
      const { code, message } = Failure.from(thrown);
      if (code === "internal" || code === "interrupted") throw thrown;
      tally.problems.push(message);
    }
  }
  return { files, bytes };
}

async function removeAll(
  ports: FilePorts,
  tally: RetentionTally,
  files: readonly Removable[],
  because: "age" | "size",
): Promise<void> {
  const removed = new Set<string>();
  const remove = async (one: Removable) => {
    if (removed.has(one.job)) return;
    removed.add(one.job);
    const { bytes } = await removeFiles(ports, tally, one.paths);
    tally.add("job files", because, 1, bytes);
  };
  for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
    ports.signal.throwIfAborted();
    const batch = files.slice(at, at + FILES_AT_ONCE);
    const gone = new Set((await noted(ports, batch, remove)).map(({ id }) => id));
    for (const one of batch) if (gone.has(one.job)) await remove(one);
    await ports.clock.sleep(RETENTION_PAUSE_MS, ports.signal);
  }
}

/** @returns how many jobs had files past their time */
export async function retainJobFiles(
  ports: FilePorts,
  tally: RetentionTally,
  plan: FilesPlan,
): Promise<number> {
  const free = await removable(ports.db, plan);
  const { aged, crowded } = chooseFiles(free, plan);
  for (const [because, files] of [["age", aged], ["size", crowded]] as const) {
    if (plan.apply) await removeAll(ports, tally, files, because);
    else for (const { bytes } of files) tally.add("job files", because, 1, bytes);
  }
  return aged.length;
}
