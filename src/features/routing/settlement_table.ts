/**
 * Settlements: the merge, the ticket's move, or both that a decision asks for. A row is written with
 * the decision, done in git, then confirmed; the next process does what a killed one left.
 */
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import { integer, integerOrNull, type Row, text, textOrNull } from "svc/store/columns.ts";

const SETTLEMENT_STATES = ["pending", "done", "superseded"] as const;
export type SettlementState = typeof SETTLEMENT_STATES[number];

export const table = {
  name: "settlements",
  columns: {
    /** UUIDv7; rows are settled in its order. */
    id: text(),
    repo_id: text(),
    /** Null when the audit of tickets asked for it. */
    decision_id: textOrNull(),
    job_id: textOrNull(),
    ticket_id: textOrNull(),
    /** Both set when the ticket moves. */
    from_state: textOrNull<TicketState>(),
    to_state: textOrNull<TicketState>(),
    /** JSON `{owner, action}`; set exactly when the ticket moves to blocked. */
    unblock: textOrNull(),
    /** Appended to the ticket's evidence. */
    reason: text(),
    actor: text(),
    /** 1: counts as a run without a result. */
    attempt: integer(),
    /** Branch to merge before the move, and the branch that takes it. */
    merge_from: textOrNull(),
    merge_into: textOrNull(),
    /** Approved commit; a branch that ends at another is not merged. */
    merge_commit: textOrNull(),
    state: text<SettlementState>(),
    /** Why it is still pending, for people. */
    waits_for: textOrNull(),
    /** Epoch ms. */
    created_at: integer(),
    settled_at: integerOrNull(),
    /** What was done, or why it was superseded. */
    outcome: textOrNull(),
  },
};
export type Settlement = Row<typeof table>;
