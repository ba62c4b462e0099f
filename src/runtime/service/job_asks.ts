/**
 * What people can ask of one job: to end it, to repeat it, to tell it something. All entrances use these
 * functions.
 */
import { Failure } from "svc/core/failure.ts";
import { flatLine } from "svc/core/question.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { tellJob } from "svc/features/jobs/note_store.ts";
import { cancelJob } from "svc/features/jobs/order_job.ts";
import type { RuntimePorts, StoredPorts } from "svc/runtime/ports.ts";

export interface RetriedJob {
  /** Id of the new job. */
  readonly job: string;
  /** A retry of the same job waits or runs already: this one. */
  readonly existed: boolean;
}

/** The part of a running service that deals with single jobs. */
export interface JobControls {
  /** @throws Failure `not_found`; `conflict` for a job that has ended; `usage` for a long reason */
  cancelJob(jobId: string, reason: string): Promise<void>;
  /** @throws Failure as `retryJob`; `not_found` also for a job of a repo that is not of this service */
  retryJob(jobId: string): Promise<RetriedJob>;
  /** @throws Failure as `tellJob` */
  tellJob(jobId: string, text: string): Promise<void>;
}

/** Characters of a reason: it is shown on one line. */
const REASON_CHARS = 500;

/** The actor of requests from the dashboard, which knows its users only by the secret and has no names. */
export const AT_DASHBOARD = "a person at the dashboard";

/** Why a person ended a job, as stored. @param given redacted @throws Failure `usage` */
export function cancelReason(by: string, given: string | undefined): string {
  const why = flatLine(given ?? "");
  if (why.length > REASON_CHARS) {
    const much = `the reason has ${why.length} characters, and ${REASON_CHARS} are taken`;
    throw new Failure("usage", `Cannot cancel the job: ${much}`, {
      remedy: "Say it in fewer words",
    });
  }
  return why === "" ? by : `${by}: ${why}`;
}

/** @throws Failure `not_found` */
export async function jobToBe(done: string, { db }: Pick<StoredPorts, "db">, id: string) {
  const job = await jobById(db, id);
  if (job !== undefined) return job;
  throw new Failure("not_found", `Cannot ${done} job ${quoted(id)}: there is none`, {
    remedy: "svc jobs list",
  });
}

/**
 * Ends a job that waits, and asks the worker of one that runs to end it, whichever process that is.
 * Send a wake-up afterwards. @throws Failure `not_found`; `conflict` when the job has ended
 */
export async function cancelNow(
  ports: StoredPorts,
  id: string,
  reason: string,
): Promise<"cancelled" | "requested"> {
  const { db, clock } = ports;
  const outcome = await db.transaction().execute((tx) => cancelJob(tx, id, reason, clock.now()));
  if (outcome !== undefined) return outcome;
  const job: Job = await jobToBe("cancel", ports, id);
  const ended = job.disposition ?? job.status;
  throw new Failure("conflict", `Cannot cancel job ${id}: it has ended (${ended})`, {
    remedy: `Nothing is left to do; to repeat it: svc jobs retry ${id}`,
  });
}

/** Send a wake-up afterwards. @throws Failure as `tellJob` */
export async function tellNow(
  { db, clock, redact }: Pick<RuntimePorts, "clock" | "db" | "redact">,
  job: string,
  text: string,
): Promise<void> {
  await tellJob(db, { job, author: AT_DASHBOARD, text: redact(text) }, clock.now());
}
