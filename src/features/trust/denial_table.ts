/** Tool calls that the policy refused. */
import { integer, type Row, rowId, text } from "svc/store/columns.ts";
import type { PolicyPart } from "./policy_question.ts";

export const table = {
  name: "denials",
  columns: {
    id: rowId(),
    /** Epoch ms. */
    at: integer(),
    repo_id: text(),
    /** Id of the job, or of the session where there is none. */
    job_id: text(),
    role: text(),
    tool: text(),
    /** The first part of the policy that refused. */
    part: text<PolicyPart>(),
    /** Redacted. */
    reason: text(),
  },
};
export type Denial = Row<typeof table>;
