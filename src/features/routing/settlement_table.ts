/** What a decision asks of git; the next process does what a killed one left. */
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import { integer, integerOrNull, type Row, text, textOrNull } from "svc/store/columns.ts";

const SETTLEMENT_STATES = ["pending", "done", "superseded"] as const;
export type SettlementState = typeof SETTLEMENT_STATES[number];

export const table = {
  name: "settlements",
  columns: {
    /** Settled in the order of ids. */
    id: text(),
    repo_id: text(),
    /** Null when the audit of tickets asked for it. */
    decision_id: textOrNull(),
    job_id: textOrNull(),
    ticket_id: textOrNull(),
    from_state: textOrNull<TicketState>(),
    to_state: textOrNull<TicketState>(),
    /** JSON `{owner, action, question?}`; set exactly for a move to blocked. */
    unblock: textOrNull(),
    reason: text(),
    actor: text(),
    /** 1: counts as a run without a result. */
    attempt: integer(),
    merge_from: textOrNull(),
    merge_into: textOrNull(),
    /** Approved commit; a branch that ends at another is not merged. */
    merge_commit: textOrNull(),
    state: text<SettlementState>(),
    waits_for: textOrNull(),
    /** Epoch ms. */
    created_at: integer(),
    settled_at: integerOrNull(),
    outcome: textOrNull(),
    /** Set where the machine, not the work, made it block the ticket. */
    fault: textOrNull<"environment">(),
  },
};
export type Settlement = Row<typeof table>;
