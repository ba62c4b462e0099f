/** Whether a ticket may wait for others: they are there, and none of them waits for it. */
import { Failure } from "svc/core/failure.ts";
import { openTicket, type TicketReading } from "./ticket_list.ts";
import type { TicketFile } from "./ticket_places.ts";

/** Reads only what the ticket would wait for. @throws Failure `not_found`, `conflict`; as `openTicket` */
export async function mustNotCircle(
  checkout: Pick<TicketReading, "folder" | "git">,
  id: string,
  wanted: readonly string[],
  found: readonly TicketFile[],
): Promise<void> {
  const cannot = (other: string) => `Cannot let ${id} depend on "${other}"`;
  const states = new Map(found.map((place) => [place.id, place.state]));
  const missing = wanted.find((other) => !states.has(other));
  if (missing !== undefined) {
    throw new Failure("not_found", `${cannot(missing)}: no such ticket`, {
      remedy: "svc tickets list",
    });
  }
  /** By ticket, the one that was seen to wait for it. */
  const cameFrom = new Map(wanted.map((other) => [other, id]));
  for (const [other, by] of cameFrom) {
    if (other === id) {
      const ring = [id];
      for (let at = by; at !== id; at = cameFrom.get(at)!) ring.unshift(at);
      const path = [id, ...ring].join(" → ");
      throw new Failure(
        "conflict",
        `${cannot(ring[0]!)}: they would wait for each other: ${path}`,
        {
          remedy: `svc tickets show ${ring.at(-2) ?? id}`,
        },
      );
    }
    if (states.get(other) === "done") continue;
    const { ticket } = await openTicket(checkout, other, found);
    for (const next of ticket.depends_on) {
      // Missing tickets are reported by the list; they cannot form a ring.
      if (states.has(next) && !cameFrom.has(next)) cameFrom.set(next, other);
    }
  }
}
