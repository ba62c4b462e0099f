/** A ticket's move that an event from outside asks for, as a settlement: git is changed later. */
import { newSettlement } from "svc/features/routing/settlement_store.ts";
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
  return newSettlement({
    repoId: work.view.id,
    ticket: ticket.id,
    move: { from: ticket.state, to },
    unblock,
    reason,
    actor: actorOf(work),
  }, now);
}
