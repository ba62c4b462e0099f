/** Everything that happened, on this machine only; event streams and pages read it. */
import { integer, rowId, text, textOrNull } from "svc/store/columns.ts";

export const EVENT_TYPES = [
  "status_change",
  "scan_complete",
  "job_update",
  "job_turn",
  "ticket_update",
  "decision",
  "telemetry",
  "trust_change",
  "score_update",
] as const;
export type EventType = typeof EVENT_TYPES[number];

export const table = {
  name: "events",
  columns: {
    /** Grows with each event; a stream resumes after it. */
    id: rowId(),
    at: integer(),
    type: text<EventType>(),
    repo_id: textOrNull(),
    job_id: textOrNull(),
    /** JSON object whose shape depends on `type`. */
    data: text(),
  },
};
