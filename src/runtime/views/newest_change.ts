/** The newest event that may have changed what pages show; turns of jobs are read separately. */
import { recentEvents } from "svc/features/telemetry/event_views.ts";
import type { EventType } from "svc/features/telemetry/event_table.ts";
import type { Db } from "svc/store/schema.ts";

const CHANGES: readonly EventType[] = [
  "decision",
  "job_update",
  "scan_complete",
  "status_change",
  "ticket_update",
  "trust_change",
];

/** Id of the event; 0 when there is none. */
export async function newestChange(db: Db): Promise<number> {
  const [newest] = await recentEvents(db, 1, CHANGES);
  return newest?.id ?? 0;
}
