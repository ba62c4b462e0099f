/** Leases of repos that several nodes share: who may push to the registered branch now. */
import { integer, type Row, text, textOrNull } from "svc/store/columns.ts";

export const table = {
  name: "repo_leases",
  columns: {
    repo_id: text(),
    /** One opened repo of one process; null where nobody has it. */
    owner: textOrNull(),
    node_id: textOrNull(),
    /** Grows by one with each taking. */
    generation: integer(),
    /** Epoch ms by the server's clock; 0 where nobody has it. */
    until: integer(),
  },
};
export type RepoLease = Row<typeof table>;
