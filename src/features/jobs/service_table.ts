/** Services of this database; one whose owner is dead was killed, and counts for nothing. */
import { integer, type Row, text, textOrNull } from "svc/store/columns.ts";

export const table = {
  name: "services",
  columns: {
    /** As in `owner.ts`. */
    owner: text(),
    shape: text<"start" | "serve">(),
    profile: text<"observer" | "host">(),
    /** Set exactly for `start`. */
    repo_id: textOrNull(),
    /** Epoch ms. */
    started_at: integer(),
    dashboard_url: textOrNull(),
    control_url: textOrNull(),
  },
};
export type ServiceRecord = Row<typeof table>;
