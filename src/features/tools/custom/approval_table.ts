/** Tools of a repo that may run, each as it was when it was approved. */
import type { Table } from "svc/store/columns.ts";

export interface ToolApprovalTable {
  repo_id: string;
  name: string;
  /** Hex; of the definition, and of the program where that lies in the repo. */
  sha256: string;
  /** "person", or "agent:<role>". */
  approved_by: string;
  /** Epoch ms. */
  approved_at: number;
}
export type ToolApproval = ToolApprovalTable;

export const table: Table<ToolApprovalTable> = {
  name: "tool_approvals",
  columns: {
    repo_id: "TEXT NOT NULL",
    name: "TEXT NOT NULL",
    sha256: "TEXT NOT NULL",
    approved_by: "TEXT NOT NULL",
    approved_at: "INTEGER NOT NULL",
  },
};
