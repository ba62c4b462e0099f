/** What the stored events say of jobs that were queued. */
import { eventsAfter } from "svc/features/telemetry/event_store.ts";
import type { Db } from "svc/store/schema.ts";

/** "qa route", oldest first, of each pending `job_update`. */
export async function queuedTold(db: Db): Promise<string[]> {
  return (await eventsAfter(db, 0, 1000)).filter(({ type }) => type === "job_update")
    .map(({ data }) => JSON.parse(data) as Record<string, unknown>)
    .filter(({ status, held_back }) => status === "pending" && held_back === undefined)
    .map(({ role, trigger }) => `${role} ${trigger}`);
}
