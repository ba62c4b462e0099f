/** Tool calls that the policy refused. */
import type { Table } from "svc/store/columns.ts";
import type { Generated, Selectable } from "svc/store/query.ts";
import type { PolicyPart } from "./policy_question.ts";

export interface DenialTable {
  id: Generated<number>;
  /** Epoch ms. */
  at: number;
  repo_id: string;
  /** Id of the job, or of the session where there is none. */
  job_id: string;
  role: string;
  tool: string;
  /** The first part that said no. */
  part: PolicyPart;
  /** Redacted. */
  reason: string;
}
export type Denial = Selectable<DenialTable>;

export const table: Table<DenialTable> = {
  name: "denials",
  columns: {
    id: "INTEGER NOT NULL",
    at: "INTEGER NOT NULL",
    repo_id: "TEXT NOT NULL",
    job_id: "TEXT NOT NULL",
    role: "TEXT NOT NULL",
    tool: "TEXT NOT NULL",
    part: "TEXT NOT NULL",
    reason: "TEXT NOT NULL",
  },
};
