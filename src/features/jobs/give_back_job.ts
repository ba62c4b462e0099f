/** The only door through which a job that was begun is given back: each time with its event. */
import type { Db } from "svc/store/schema.ts";
import { type Lease, release, retry, snooze } from "./job_store.ts";
import type { JobStatus } from "./job_machine.ts";
import { jobById } from "./job_views.ts";
import { recordJob } from "./order_job.ts";

/** Undefined: the lease was lost. */
type GivenBack = Promise<JobStatus | undefined>;

async function tell(db: Db, lease: Lease, now: number): Promise<void> {
  const job = await jobById(db, lease.id);
  if (job === undefined) return;
  const { status, disposition, reason } = job;
  await recordJob(db, job, {
    status,
    ...(disposition !== null && { disposition }),
    ...(reason !== null && { reason }),
  }, now);
}

async function told(db: Db, lease: Lease, now: number, give: (tx: Db) => GivenBack): GivenBack {
  return await db.transaction().execute(async (tx) => {
    const status = await give(tx);
    if (status !== undefined) await tell(tx, lease, now);
    return status;
  });
}

/** As `retry` of the store. */
export const retryJob = (
  db: Db,
  lease: Lease,
  attempt: Parameters<typeof retry>[2],
  now: number,
): GivenBack => told(db, lease, now, (tx) => retry(tx, lease, attempt, now));

/** As `release` of the store. The lease is free in any case: who stops may not be able to tell of it. */
export async function releaseJob(db: Db, lease: Lease, now: number): GivenBack {
  const status = await release(db, lease, now);
  if (status !== undefined) await tell(db, lease, now);
  return status;
}

/** As `snooze` of the store. */
export const snoozeJob = (
  db: Db,
  lease: Lease,
  until: Parameters<typeof snooze>[2],
  now: number,
): GivenBack => told(db, lease, now, (tx) => snooze(tx, lease, until, now));
