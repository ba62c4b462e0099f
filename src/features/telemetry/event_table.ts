/** Local events: everything that happened, on this machine only; streams and pages read it. */
import type { Table } from "svc/store/columns.ts";
import type { Generated } from "svc/store/query.ts";

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

export interface EventTable {
  /** Grows; a stream resumes after it. */
  id: Generated<number>;
  /** Epoch ms. */
  at: number;
  type: EventType;
  repo_id: string | null;
  job_id: string | null;
  /** JSON object of the type's own shape. */
  data: string;
}

export const table: Table<EventTable> = {
  name: "events",
  columns: {
    id: "INTEGER NOT NULL",
    at: "INTEGER NOT NULL",
    type: "TEXT NOT NULL",
    repo_id: "TEXT",
    job_id: "TEXT",
    data: "TEXT NOT NULL",
  },
};
