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
    job_id: text(),
    role: text(),
    tool: text(),
    part: text<PolicyPart>(),
    /** Redacted. */
    reason: text(),
  },
};
export type Denial = Row<typeof table>;
