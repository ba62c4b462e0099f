/** Which ticket a pull request hands in, and which settlement waits for it. */
import { pendingSettlements } from "svc/features/routing/settlement_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import { pullRequestOf } from "svc/features/routing/pull_request_store.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { WishWork } from "./fulfilment.ts";
import type { Pull } from "./wish.ts";

/** The merge that waits for this pull request. */
export async function settlementOfPull(
  { ports, view }: WishWork,
  { number }: Pull,
): Promise<Settlement | undefined> {
  for (const settlement of await pendingSettlements(ports.db, view.id)) {
    if (settlement.merge_from === null) continue;
    if ((await pullRequestOf(ports.db, settlement.id))?.number === number) return settlement;
  }
  return undefined;
}

export async function ticketOfPull(
  work: WishWork,
  tickets: readonly Ticket[],
  pull: Pull,
): Promise<Ticket | undefined> {
  const named = pull.branch !== undefined && tickets.find(({ branch }) => branch === pull.branch);
  if (named) return named;
  const settlement = await settlementOfPull(work, pull);
  return tickets.find(({ id }) => id === settlement?.ticket_id);
}
