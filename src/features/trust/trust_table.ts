/** Trust records (spec section 2.2): levels that differ from what the manifest says, one for a role on a repo. */
import type { TrustLevel } from "svc/core/permission.ts";
import type { Table } from "svc/store/columns.ts";

export interface TrustTable {
  repo_id: string;
  role: string;
  level: TrustLevel;
  reason: string;
  /** Name of the user; "svc" when automatic. */
  set_by: string;
  /** Epoch ms. */
  set_at: number;
  /** 1: a demotion, which no person has decided. */
  automatic: number;
}
export type TrustRecord = TrustTable;

export const table: Table<TrustTable> = {
  name: "trust",
  columns: {
    repo_id: "TEXT NOT NULL",
    role: "TEXT NOT NULL",
    level: "TEXT NOT NULL",
    reason: "TEXT NOT NULL",
    set_by: "TEXT NOT NULL",
    set_at: "INTEGER NOT NULL",
    automatic: "INTEGER NOT NULL",
  },
};
