/** Jobs for tests, and the ways they change, by the names of the machine's moves. */
import {
  cancel,
  claimNext,
  enqueue,
  finish,
  type NewJob,
  release,
  rescueExpired,
  retry,
  snooze,
} from "svc/features/jobs/job_store.ts";
import { jobMachine } from "svc/features/jobs/job_machine.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { leaseWatch } from "svc/features/jobs/lease_watch.ts";
import type { Db } from "svc/store/schema.ts";

export const REPO = "0123456789ab";
export const NOW = 1_000_000;

export function asked(other: Partial<NewJob> = {}): NewJob {
  return {
    repo_id: REPO,
    role: "engineer",
    trigger: "manual",
    source_trust: "contributor",
    ...other,
  };
}

export async function running(db: Db, other: Partial<NewJob> = {}): Promise<Job> {
  const { job } = await enqueue(db, asked(other), NOW);
  const claimed = await claimNext(db, { owner: "w", now: NOW });
  if (claimed?.id !== job.id) throw new Error("another job was claimed");
  return claimed;
}

/** Nothing to be seen of any worker. */
export const nobody = { watch: leaseWatch({ monotonic: () => 0 }) };

/** Each tries its move on `job` at `now`, whatever state the job is in. */
export const MOVES: Record<
  keyof typeof jobMachine.moves,
  (db: Db, job: Job, now: number) => Promise<unknown>
> = {
  claim: (db, _, now) => claimNext(db, { owner: "mover", now }),
  complete: (db, job, now) => finish(db, job, { disposition: "submitted" }, now),
  retry: (db, job, now) =>
    retry(db, job, { category: "internal", reason: "fell", runAfter: now + 5 }, now),
  release: (db, job, now) => release(db, job, now),
  snooze: (db, job, now) => snooze(db, job, { until: now + 9, reason: "waits" }, now),
  rescue: (db, _, now) => rescueExpired(db, { now, isAlive: () => "dead", ...nobody }),
  cancel: async (db, job, now) => {
    if (await cancel(db, job.id, "not wanted", now) !== "requested") return;
    const current = (await jobById(db, job.id))!;
    await finish(db, current, { disposition: "cancelled", reason: "not wanted" }, now);
  },
  giveUp: (db, job, now) => finish(db, job, { disposition: "stuck", category: "stuck" }, now),
};
