/** Decisions (spec section 4.2, orchestration): what followed a job, by which rule, from which facts. */
import type { Disposition } from "svc/core/disposition.ts";
import type { Table } from "svc/store/columns.ts";

export interface DecisionTable {
  /** UUIDv7. */
  id: string;
  repo_id: string;
  job_id: string;
  /** Epoch ms. */
  at: number;
  role: string;
  ticket_id: string | null;
  /** As it counts; `inputs` has what the role said. */
  disposition: Disposition;
  rule: string;
  /** JSON object: everything that was looked at. */
  inputs: string;
  /** JSON array of `{rule, why}`: what else could have matched. */
  refused: string;
  /** Such as "in-progress → review"; null when the ticket stays. */
  move: string | null;
  next_role: string | null;
  next_job: string | null;
  stop: string | null;
  /** 0: a rehearsal; nothing of it was done. */
  applied: number;
}
export type Decision = DecisionTable;

export const table: Table<DecisionTable> = {
  name: "decisions",
  columns: {
    id: "TEXT NOT NULL",
    repo_id: "TEXT NOT NULL",
    job_id: "TEXT NOT NULL",
    at: "INTEGER NOT NULL",
    role: "TEXT NOT NULL",
    ticket_id: "TEXT",
    disposition: "TEXT NOT NULL",
    rule: "TEXT NOT NULL",
    inputs: "TEXT NOT NULL",
    refused: "TEXT NOT NULL",
    move: "TEXT",
    next_role: "TEXT",
    next_job: "TEXT",
    stop: "TEXT",
    applied: "INTEGER NOT NULL",
  },
};
