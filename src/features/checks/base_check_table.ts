/** How a check ended on a commit from which work sets out: asked once for each commit and definition. */
import { integer, type Row, text } from "svc/store/columns.ts";
import type { OUTCOMES } from "./check_table.ts";

export const table = {
  name: "base_checks",
  columns: {
    repo_id: text(),
    commit_id: text(),
    /** SHA-256 (hex) of what is run: words and time limit of the check, and the set-up of the tree. */
    definition: text(),
    name: text(),
    outcome: text<typeof OUTCOMES[number]>(),
    /** How it ended, and the end of its output; one line, redacted. */
    said: text(),
    /** Epoch ms. */
    checked_at: integer(),
  },
};
export type BaseCheck = Row<typeof table>;
