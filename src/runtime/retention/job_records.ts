/** Removes the records of ended jobs in short transactions, each leaving notes of what went. */
import { forgetChecksWithin, forgetJoblessChecks } from "svc/features/checks/check_store.ts";
import { forgetJoblessCommits } from "svc/features/jobs/commit_store.ts";
import { forgetJobs } from "svc/features/jobs/job_store.ts";
import { endedBefore, type EndedJob, type RepoNeeds } from "svc/features/retention/ended_jobs.ts";
import type { Removal } from "svc/features/retention/removal_table.ts";
import { forgetFileRemovals, recordRemovals } from "svc/features/retention/removal_store.ts";
import { decisionsOfJobs, forgetDecisions } from "svc/features/routing/decision_store.ts";
import {
  forgetJoblessSettlements,
  forgetSettlementsOf,
} from "svc/features/routing/settlement_store.ts";
import { forgetDenialsOf, forgetJoblessDenials } from "svc/features/trust/denial_store.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Db } from "svc/store/schema.ts";

/** Jobs of one transaction: it holds the write lock for some milliseconds. */
const RECORDS_AT_ONCE = 50;

/** Pause between two transactions, in which other processes get the lock. */
export const RETENTION_PAUSE_MS = 10;

export function removalsOf(
  jobs: readonly EndedJob[],
  what: "files" | "job",
  removed_at: number,
): Removal[] {
  return jobs.map(({ id, repo_id, role, ticket_id, disposition, finished_at }) => ({
    ...{ id, what, job_id: id, repo_id, role, ticket_id, disposition },
    ...{ ended_at: finished_at, removed_at },
  }));
}

interface RecordsPlan {
  readonly needs: RepoNeeds;
  /** Epoch ms. */
  readonly before: number;
  readonly left: number;
  readonly now: number;
}

/** Checks again, under the write lock, what is needed. @returns how many */
async function forgetSome(tx: Db, { needs, now, ...range }: RecordsPlan): Promise<number> {
  const jobs = await endedBefore(tx, needs, { ...range, limit: RECORDS_AT_ONCE });
  if (jobs.length === 0) return 0;
  const ids = jobs.map(({ id }) => id);
  const decisions = await decisionsOfJobs(tx, ids);
  await forgetFileRemovals(tx, ids);
  await recordRemovals(tx, removalsOf(jobs, "job", now));
  await recordRemovals(
    tx,
    decisions.map(({ id, job_id, repo_id, role, ticket_id, disposition, at }) => ({
      ...{ id, what: "decision", job_id, repo_id, role, ticket_id, disposition },
      ...{ ended_at: at, removed_at: now },
    } as const)),
  );
  await forgetDecisions(tx, decisions.map(({ id }) => id));
  await forgetSettlementsOf(tx, ids);
  await forgetDenialsOf(tx, ids);
  await forgetJobs(tx, ids);
  for (const { repo_id: repoId, role, started_at: from, finished_at: to } of jobs) {
    if (from !== null) await forgetChecksWithin(tx, { repoId, role, from, to });
  }
  return jobs.length;
}

type RecordPorts = Pick<RuntimePorts, "clock" | "db" | "signal">;

/** Repeats `work` until it finds nothing more. */
async function inTurns(
  { clock, db, signal }: RecordPorts,
  work: (tx: Db) => Promise<number>,
): Promise<number> {
  let done = 0;
  for (;;) {
    signal.throwIfAborted();
    const some = await db.transaction().execute(work);
    done += some;
    if (some < RECORDS_AT_ONCE) return done;
    await clock.sleep(RETENTION_PAUSE_MS, signal);
  }
}

/** @returns how many jobs */
export async function forgetRecords(ports: RecordPorts, plan: RecordsPlan): Promise<number> {
  const { needs: { repoId, open }, before } = plan;
  const jobs = await inTurns(ports, (tx) => forgetSome(tx, plan));
  const bounds = { before, limit: RECORDS_AT_ONCE };
  await inTurns(ports, (tx) => forgetJoblessChecks(tx, repoId, bounds));
  await inTurns(ports, (tx) => forgetJoblessCommits(tx, repoId, bounds));
  await inTurns(ports, (tx) => forgetJoblessDenials(tx, repoId, bounds));
  if (open !== undefined) {
    await inTurns(ports, (tx) => forgetJoblessSettlements(tx, repoId, { ...bounds, open }));
  }
  return jobs;
}
