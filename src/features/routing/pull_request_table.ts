/** The pull request that a settlement waits for, and when the code host may be asked again. */
import type { Table } from "svc/store/columns.ts";

export interface PullRequestTable {
  settlement_id: string;
  /** Null while none is open yet. */
  number: number | null;
  /** Epoch ms. */
  ask_at: number;
}
export type PullRequestRow = PullRequestTable;

export const table: Table<PullRequestTable> = {
  name: "pull_requests",
  columns: {
    settlement_id: "TEXT NOT NULL",
    number: "INTEGER",
    ask_at: "INTEGER NOT NULL",
  },
};
