/** How many jobs may run at a time, as a person set it for all processes of the database. */
import { integer, type Row, text } from "svc/store/columns.ts";

export const LIMIT_SCOPES = ["team", "repo", "role", "node"] as const;
export type LimitScope = typeof LIMIT_SCOPES[number];

export const table = {
  name: "job_limits",
  columns: {
    scope: text<LimitScope>(),
    /** Id of the repo or the node, name of the role in any repo; "" for the team. */
    key: text(),
    most: integer(),
  },
};
export type JobLimit = Row<typeof table>;
