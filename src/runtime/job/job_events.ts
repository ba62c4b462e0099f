/** Jobs that are queued, cancelled or taken back, together with the stored event that tells of it. */
import { cancel, enqueue, type NewJob } from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { Db } from "svc/store/schema.ts";

/** In the transaction that changes the job, so that neither is there without the other. */
export async function recordJob(
  db: Db,
  { id, repo_id, role, ticket_id }: Pick<Job, "id" | "repo_id" | "role" | "ticket_id">,
  more: { readonly status: string } & Readonly<Record<string, unknown>>,
  now: number,
): Promise<void> {
  const data = { id, repo_id, role, ticket_id, ...more };
  await recordEvent(db, { type: "job_update", repoId: repo_id, jobId: id, data }, now);
}

/** As `enqueue`; call it in a transaction. */
export async function queueJob(
  db: Db,
  order: NewJob,
  now: number,
): Promise<{ readonly job: Job; readonly existed: boolean }> {
  const { job, existed } = await enqueue(db, order, now);
  if (!existed) await recordJob(db, job, { status: job.status, trigger: job.trigger }, now);
  return { job, existed };
}

/**
 * As `cancel`; call it in a transaction.
 * @returns undefined when it has ended before, or there is no such job
 */
export async function cancelJob(
  db: Db,
  id: string,
  reason: string,
  now: number,
): Promise<"cancelled" | "requested" | undefined> {
  const outcome = await cancel(db, id, reason, now);
  if (outcome !== "cancelled" && outcome !== "requested") return undefined;
  const job = await jobById(db, id);
  const ended = outcome === "cancelled" ? { status: "failed", disposition: "cancelled" } : {
    status: "running",
    cancel_requested: true,
  };
  await recordJob(db, job!, { ...ended, reason }, now);
  return outcome;
}
