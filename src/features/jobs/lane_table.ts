/** Paused lanes: what holds back the jobs of one model, or of one role on one repo. */
import type { FailureCategory } from "svc/core/disposition.ts";
import type { Table } from "svc/store/columns.ts";

export type LaneKind = "model" | "role";

export interface LaneTable {
  kind: LaneKind;
  /** A job's `lane`, or `<repo id>/<role>`. */
  key: string;
  /** Shown to people. */
  reason: string;
  category: FailureCategory | null;
  /** Epoch ms. */
  paused_at: number;
  /** Epoch ms; null until a person resumes it. */
  until: number | null;
}
export type Lane = LaneTable;

export const table: Table<LaneTable> = {
  name: "lanes",
  columns: {
    kind: "TEXT NOT NULL",
    key: "TEXT NOT NULL",
    reason: "TEXT NOT NULL",
    category: "TEXT",
    paused_at: "INTEGER NOT NULL",
    until: "INTEGER",
  },
};
