/** On which card a pending merge or move appears, and what settles it. Pure. */
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { waitActions } from "svc/runtime/inbox/card_actions.ts";
import type { RepoBoardFacts } from "./board_facts.ts";
import type { CardPlace } from "./card.ts";
import { personsWait, settlementWait } from "./settlement_wait.ts";

/** @param ticket undefined for work without one */
export function owedPlace(
  owed: Settlement,
  { ground }: Pick<RepoBoardFacts, "ground">,
  ticket?: Ticket,
): CardPlace {
  const place = { ...settlementWait(owed), since: owed.created_at };
  if (place.zone === "waiting") return place;
  const wait = owed.waits_for === null ? undefined : personsWait(owed.waits_for);
  return { ...place, actions: waitActions(ground, { owed, wait, ticket }) };
}
