/** Trust records (spec section 2.2): levels that replace the manifest's, one per role and repo. */
import type { TrustLevel } from "svc/core/permission.ts";
import { integer, type Row, text } from "svc/store/columns.ts";

export const table = {
  name: "trust",
  columns: {
    repo_id: text(),
    role: text(),
    level: text<TrustLevel>(),
    reason: text(),
    set_by: text(),
    /** Epoch ms. */
    set_at: integer(),
    automatic: integer(),
  },
};
export type TrustRecord = Row<typeof table>;
