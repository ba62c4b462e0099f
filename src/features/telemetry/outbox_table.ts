/** Anonymous reports that wait to be sent, and the newest of those that were. */
import { integer, integerOrNull, type Row, text } from "svc/store/columns.ts";

export const OUTBOX_STATES = ["pending", "sent", "refused"] as const;
export type OutboxState = typeof OUTBOX_STATES[number];

export const table = {
  name: "telemetry_outbox",
  columns: {
    report_id: text(),
    /** The bytes that are sent, as text. */
    body: text(),
    queued_at: integer(),
    state: text<OutboxState>(),
    /** Set exactly when it is no longer pending. */
    settled_at: integerOrNull(),
  },
};
export type QueuedReport = Row<typeof table>;
