/** Every change of trust, by whom and why; the database refuses to change or delete a row. */
import type { TrustLevel } from "svc/core/permission.ts";
import type { Table } from "svc/store/columns.ts";
import type { Generated, Selectable } from "svc/store/query.ts";

export interface TrustAuditTable {
  id: Generated<number>;
  /** Epoch ms. */
  at: number;
  /** Name of the user; "svc" when automatic. */
  who: string;
  repo_id: string;
  role: string;
  /** What was in force before, by the manifest or an earlier change. */
  from_level: TrustLevel;
  to_level: TrustLevel;
  reason: string;
  /** 1: a demotion, which no person has decided. */
  automatic: number;
}
export type TrustChange = Selectable<TrustAuditTable>;

export const table: Table<TrustAuditTable> = {
  name: "trust_audit",
  columns: {
    id: "INTEGER NOT NULL",
    at: "INTEGER NOT NULL",
    who: "TEXT NOT NULL",
    repo_id: "TEXT NOT NULL",
    role: "TEXT NOT NULL",
    from_level: "TEXT NOT NULL",
    to_level: "TEXT NOT NULL",
    reason: "TEXT NOT NULL",
    automatic: "INTEGER NOT NULL",
  },
};
