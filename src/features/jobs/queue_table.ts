/** Whether workers claim (spec section 3.1, worker claim state): one row, or none before the first pause. */
import type { Table } from "svc/store/columns.ts";

export interface QueueTable {
  /** Always 1. */
  id: number;
  paused: number;
  /** Exactly while paused. */
  reason: string | null;
  /** Epoch ms; exactly while paused. */
  since: number | null;
}

export const table: Table<QueueTable> = {
  name: "queue_state",
  columns: { id: "INTEGER NOT NULL", paused: "INTEGER NOT NULL", reason: "TEXT", since: "INTEGER" },
};
