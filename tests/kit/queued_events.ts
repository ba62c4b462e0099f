/** What the stored events say of jobs. */
import { eventsAfter, eventsOfJob } from "svc/features/telemetry/event_store.ts";
import type { Db } from "svc/store/schema.ts";

/** "qa route", oldest first, of each pending `job_update`. */
export async function queuedTold(db: Db): Promise<string[]> {
  return (await eventsAfter(db, 0, 1000)).filter(({ type }) => type === "job_update")
    .map(({ data }) => JSON.parse(data) as Record<string, unknown>)
    .filter(({ status, trigger }) => status === "pending" && trigger !== undefined)
    .map(({ role, trigger }) => `${role} ${trigger}`);
}

/** What the events say of the job since it was queued, oldest first. */
export async function toldOf(db: Db, jobId: string): Promise<Record<string, unknown>[]> {
  return (await eventsOfJob(db, jobId, ["job_update"]))
    .map(({ data }) => JSON.parse(data) as Record<string, unknown>)
    .filter(({ trigger }) => trigger === undefined);
}
