/** Repos without checks whose approved work is merged all the same, because a person allowed it. */
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
