/** The cards of the board, each in exactly one zone: what needs a person is never shown as broken. Pure. */
import type { RepoFacts, ServiceFacts } from "./board_facts.ts";
import { faultCards } from "./fault_cards.ts";
import { jobCards } from "./job_place.ts";
import { type Card, type Zone, ZONES } from "./shapes.ts";
import { ticketCards } from "./ticket_place.ts";

/** Cards of one zone; a person who sees fifty wants a filter, not more of them. */
export const CARDS_A_ZONE = 50;

export interface Board {
  readonly cards: readonly Card[];
  readonly totals: Readonly<Record<Zone, number>>;
}

/** Those that stand longest first; of the done ones the newest. What has no time goes last. */
function byAge(zone: Zone): (a: Card, b: Card) => number {
  const at = ({ since }: Card) => since === null ? Infinity : Date.parse(since);
  return (a, b) => {
    const age = zone === "done" ? at(b) - at(a) : at(a) - at(b);
    return (Number.isNaN(age) ? 0 : age) || (a.key < b.key ? -1 : 1);
  };
}

export function boardOf(service: ServiceFacts, repos: readonly RepoFacts[]): Board {
  const all = [
    ...faultCards(service, repos),
    ...repos.flatMap((repo) => {
      const cards = ticketCards(repo, service);
      const shown = new Set(cards.flatMap(({ ticket_id }) => ticket_id ?? []));
      return [...cards, ...jobCards(repo, service, shown)];
    }),
  ];
  const zones = ZONES.map((zone) => all.filter((card) => card.zone === zone).sort(byAge(zone)));
  return {
    cards: zones.flatMap((cards) => cards.slice(0, CARDS_A_ZONE)),
    totals: Object.fromEntries(
      ZONES.map((zone, at) => [zone, zones[at]!.length]),
    ) as Record<Zone, number>,
  };
}
