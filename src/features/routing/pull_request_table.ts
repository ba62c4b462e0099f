/** Pull requests that settlements wait for, and when the code host may be asked again. */
import { integer, integerOrNull, type Row, text } from "svc/store/columns.ts";

export const table = {
  name: "pull_requests",
  columns: {
    settlement_id: text(),
    /** Null until one is open. */
    number: integerOrNull(),
    /** Epoch ms. */
    ask_at: integer(),
  },
};
export type PullRequestRow = Row<typeof table>;
