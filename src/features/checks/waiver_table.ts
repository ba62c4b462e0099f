/** Repos without checks whose approved work a person lets in all the same. */
import { integer, type Row, text } from "svc/store/columns.ts";

export const table = {
  name: "check_waivers",
  columns: {
    repo_id: text(),
    reason: text(),
    /** Epoch ms. */
    waived_at: integer(),
  },
};
export type CheckWaiver = Row<typeof table>;
