/** Retention by hand: over every database of the home, or the one that is named. */
import { Failure } from "svc/core/failure.ts";
import { policyOf, type RetentionPolicy } from "svc/features/retention/policy.ts";
import { storeClock } from "svc/features/retention/state_store.ts";
import { runningJobs } from "svc/features/jobs/job_views.ts";
import type { RemoveOwn } from "svc/platform/files/remove_below.ts";
import type { PreparationPorts, ProgressPort } from "svc/runtime/ports.ts";
import { compact } from "svc/store/compact.ts";
import { openToRead, type Store } from "svc/store/open.ts";
import { openShared } from "svc/store/placement.ts";
import { timeByHand } from "./believed_now.ts";
import { databasesIn, retainHome } from "./home_files.ts";
import { type RetentionGroup, RetentionTally } from "./report.ts";
import { retainDatabase } from "./retain.ts";
import { filesOfJobs, type JobFiles } from "./stored_files.ts";

export type PrunePorts = PreparationPorts & ProgressPort & {
  readonly removeOwn: RemoveOwn;
  diskFree(): Promise<number>;
};

export interface PruneRequest {
  /** Absolute; default: all of the home. */
  readonly db: string | undefined;
  readonly apply: boolean;
  /** Believes a clock that jumped ahead. */
  readonly trustClock: boolean;
}

export interface PrunedDatabase {
  readonly path: string;
  /** `older`: another svc wrote it, and a dry run changes nothing. `failed`: why is among the problems. */
  readonly state: "read" | "older" | "failed";
  /** Epoch ms to which ages were counted. */
  readonly now: number | null;
  readonly clock_doubted: boolean;
  /** Jobs whose files are old, and needed still. */
  readonly needed: number;
  /** Bytes that the file gave back to the disk. */
  readonly compacted: number;
}

export interface Pruned {
  readonly policy: RetentionPolicy;
  readonly databases: readonly PrunedDatabase[];
  readonly groups: readonly RetentionGroup[];
  readonly problems: readonly string[];
  /** Bytes of the files of all jobs, before. */
  readonly held: number;
}

const UNREAD = { now: null, clock_doubted: false, needed: 0, compacted: 0 } as const;

function open(ports: PrunePorts, path: string, apply: boolean): Promise<Store | undefined> {
  return apply ? openShared(ports, { db: path }) : openToRead(ports, path);
}

interface PruneStep extends PruneRequest {
  readonly path: string;
  readonly policy: RetentionPolicy;
  readonly tally: RetentionTally;
  readonly found: readonly JobFiles[];
}

async function pruneDatabase(ports: PrunePorts, step: PruneStep): Promise<PrunedDatabase> {
  const { path, policy, tally, apply, trustClock, found } = step;
  await using store = await open(ports, path, apply);
  if (store === undefined) return { path, state: "older", ...UNREAD };
  const { db } = store;
  const wall = ports.clock.now();
  const believed = await timeByHand(db, wall);
  const now = trustClock ? wall : believed.now;
  const clock_doubted = believed.doubted && !trustClock;
  if (apply && !clock_doubted) await storeClock(db, { believed_at: wall, doubted_at: null });
  const { needed } = await retainDatabase({ ...ports, db }, tally, {
    ...{ policy, now, apply, found, repos: true },
    looks: (what) => ports.progress?.update(what),
  });
  const quiet = apply && (await runningJobs(db)).length === 0;
  const compacted = quiet ? await compact(db, await ports.diskFree()) : 0;
  return { path, state: "read", now, clock_doubted, needed, compacted };
}

/** If one database is damaged or locked, the others are still pruned: a full disk may depend on it. */
async function pruneOne(ports: PrunePorts, step: PruneStep): Promise<PrunedDatabase> {
  try {
    return await pruneDatabase(ports, step);
  } catch (thrown) {
    ports.signal.throwIfAborted();
    const failure = Failure.from(thrown);
    if (failure.code === "internal" || failure.code === "interrupted") throw thrown;
    const { path, tally } = step;
    tally.problems.push(`${failure.message}. ${failure.remedy}`);
    return { path, state: "failed", ...UNREAD };
  }
}

/** Without `apply` it changes nothing. @throws Failure where the database that is named cannot be used */
export async function prune(ports: PrunePorts, asked: PruneRequest): Promise<Pruned> {
  const policy = policyOf(await ports.settings());
  const tally = new RetentionTally();
  const found = await filesOfJobs(ports);
  const paths = asked.db === undefined ? await databasesIn(ports) : [asked.db];
  const databases: PrunedDatabase[] = [];
  const one = asked.db === undefined ? pruneOne : pruneDatabase;
  for (const path of paths) {
    databases.push(await one(ports, { ...asked, path, policy, tally, found }));
  }
  // If one database distrusts the clock, files of the home are not judged by that clock either.
  const now = Math.min(ports.clock.now(), ...databases.flatMap((one) => one.now ?? []));
  await retainHome(ports, tally, { policy, now, apply: asked.apply, found });
  const held = found.reduce((sum, { bytes }) => sum + bytes, 0);
  return { policy, databases, groups: tally.groups, problems: tally.problems, held };
}
