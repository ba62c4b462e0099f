/** Merges whose files nobody has checked yet: what is to be checked, by whom, and what came of it. */
import { integer, type Row, text, textOrNull } from "svc/store/columns.ts";

export const table = {
  name: "merge_checks",
  columns: {
    settlement_id: text(),
    repo_id: text(),
    /** Tip of the registered branch, as the merge would find it. */
    into_commit: text(),
    /** Names the files that the merge comes to (`UnprovenMerge`). */
    files: text(),
    /** As in `owner.ts`; set exactly while the checks run. */
    owner: textOrNull(),
    /** Null until the checks have ended. */
    outcome: textOrNull<"passed" | "checks_failed">(),
    /** How they ended; set with the outcome. */
    said: textOrNull(),
    /** Epoch ms. */
    at: integer(),
  },
};
export type MergeCheck = Row<typeof table>;
