/** A settlement as it is first written down: what it says, and nothing done of it yet. Pure. */
import { uuidV7 } from "svc/core/ids.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import type { Settlement } from "./settlement_table.ts";

export interface Owed {
  readonly repoId: string;
  readonly ticket?: string | undefined;
  readonly move?: { readonly from: TicketState; readonly to: TicketState } | undefined;
  /** Exactly for a move to blocked. */
  readonly unblock?: { readonly owner: string; readonly action: string } | undefined;
  /** Joins the ticket's evidence. */
  readonly reason: string;
  readonly actor: string;
  /** What asked for it; absent for the audit of tickets and for events from outside. */
  readonly by?: { readonly decision: string; readonly job: string };
  /** Counts a run without a result. */
  readonly attempt?: boolean;
  readonly merge?:
    | { readonly from: string; readonly into: string; readonly commit: string }
    | undefined;
}

/** Settlements are done in the order of `now`. */
export function newSettlement(owed: Owed, now: number): Settlement {
  const { move, unblock, by, merge } = owed;
  return {
    id: uuidV7(now),
    repo_id: owed.repoId,
    decision_id: by?.decision ?? null,
    job_id: by?.job ?? null,
    ticket_id: owed.ticket ?? null,
    from_state: move?.from ?? null,
    to_state: move?.to ?? null,
    unblock: unblock === undefined ? null : JSON.stringify(unblock),
    reason: owed.reason,
    actor: owed.actor,
    attempt: owed.attempt ? 1 : 0,
    merge_from: merge?.from ?? null,
    merge_into: merge?.into ?? null,
    merge_commit: merge?.commit ?? null,
    state: "pending",
    waits_for: null,
    created_at: now,
    settled_at: null,
    outcome: null,
  };
}
