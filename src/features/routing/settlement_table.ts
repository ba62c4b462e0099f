/**
 * What a decision still owes to the repo: a merge, a ticket's move, or both. Written with the
 * decision, done in git, then confirmed; what a killed process left is done by the next.
 */
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import type { Table } from "svc/store/columns.ts";

export const SETTLEMENT_STATES = ["pending", "done", "superseded"] as const;
export type SettlementState = typeof SETTLEMENT_STATES[number];

export interface SettlementTable {
  /** UUIDv7; settled in this order. */
  id: string;
  repo_id: string;
  /** Null for what the audit of tickets asked for. */
  decision_id: string | null;
  job_id: string | null;
  ticket_id: string | null;
  /** Both set when the ticket moves. */
  from_state: TicketState | null;
  to_state: TicketState | null;
  /** JSON `{owner, action}`, exactly when it moves to blocked. */
  unblock: string | null;
  /** Joins the ticket's evidence. */
  reason: string;
  actor: string;
  /** 1: counts a run without a result. */
  attempt: number;
  /** Branch that is merged first, and the branch that takes it. */
  merge_from: string | null;
  merge_into: string | null;
  /** Commit that was approved; a branch that ends elsewhere is not merged. */
  merge_commit: string | null;
  state: SettlementState;
  /** Why it is still pending, for people. */
  waits_for: string | null;
  /** Epoch ms. */
  created_at: number;
  settled_at: number | null;
  /** Why it was superseded, or what it came to. */
  outcome: string | null;
}
export type Settlement = SettlementTable;

export const table: Table<SettlementTable> = {
  name: "settlements",
  columns: {
    id: "TEXT NOT NULL",
    repo_id: "TEXT NOT NULL",
    decision_id: "TEXT",
    job_id: "TEXT",
    ticket_id: "TEXT",
    from_state: "TEXT",
    to_state: "TEXT",
    unblock: "TEXT",
    reason: "TEXT NOT NULL",
    actor: "TEXT NOT NULL",
    attempt: "INTEGER NOT NULL",
    merge_from: "TEXT",
    merge_into: "TEXT",
    merge_commit: "TEXT",
    state: "TEXT NOT NULL",
    waits_for: "TEXT",
    created_at: "INTEGER NOT NULL",
    settled_at: "INTEGER",
    outcome: "TEXT",
  },
};
