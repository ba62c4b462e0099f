/** Every change of trust, by whom and why; the database refuses to change or delete a row. */
import type { TrustLevel } from "svc/core/permission.ts";
import { integer, type Row, rowId, text } from "svc/store/columns.ts";

export const table = {
  name: "trust_audit",
  columns: {
    id: rowId(),
    at: integer(),
    /** Name of the user; "svc" when automatic. */
    who: text(),
    repo_id: text(),
    role: text(),
    from_level: text<TrustLevel>(),
    to_level: text<TrustLevel>(),
    reason: text(),
    /** 1: a demotion, which no person decided. */
    automatic: integer(),
  },
};
export type TrustChange = Row<typeof table>;
