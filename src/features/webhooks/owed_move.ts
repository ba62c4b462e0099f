/** A ticket's move that an event from outside asks for, as a settlement: git is changed later. */
import { uuidV7 } from "svc/core/ids.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import { actorOf, type WishWork } from "./fulfilment.ts";

export interface OwedMove {
  readonly ticket: Pick<Ticket, "id" | "state">;
  readonly to: TicketState;
  readonly reason: string;
  /** Exactly for a block. */
  readonly unblock?: { readonly owner: string; readonly action: string };
}

/** Settlements are done in the order of `now`. */
export function moveOwed(
  work: WishWork,
  { ticket, to, reason, unblock }: OwedMove,
  now: number,
): Settlement {
  return {
    id: uuidV7(now),
    repo_id: work.view.id,
    decision_id: null,
    job_id: null,
    ticket_id: ticket.id,
    from_state: ticket.state,
    to_state: to,
    unblock: unblock === undefined ? null : JSON.stringify(unblock),
    reason,
    actor: actorOf(work),
    attempt: 0,
    merge_from: null,
    merge_into: null,
    merge_commit: null,
    state: "pending",
    waits_for: null,
    created_at: now,
    settled_at: null,
    outcome: null,
  };
}
