/** What a ticket waits for: other tickets that are not done, and rings of tickets that wait for each other. */
import type { TicketState } from "./ticket_machine.ts";

interface TicketLinks {
  readonly id: string;
  readonly state: TicketState;
  readonly depends_on: readonly string[];
}

/** `state` is undefined where there is no such ticket. */
interface UnmetDependency {
  readonly id: string;
  readonly state: TicketState | undefined;
}

export function waitsFor(
  ticket: TicketLinks,
  stateOf: (id: string) => TicketState | undefined,
): UnmetDependency[] {
  return ticket.depends_on.map((id) => ({ id, state: stateOf(id) }))
    .filter(({ state }) => state !== "done");
}

/** Each ring of tickets that wait for each other once, from its lowest id: `["T-0001", "T-0004"]`. */
export function cycles(tickets: readonly TicketLinks[]): string[][] {
  const open = new Map(
    tickets.filter(({ state }) => state !== "done").map((ticket) => [ticket.id, ticket]),
  );
  const found: string[][] = [];
  const settled = new Set<string>();
  for (const start of [...open.keys()].sort()) {
    // No recursion: a chain may be as long as there are tickets.
    const path: { id: string; next: number }[] = [{ id: start, next: 0 }];
    const on = new Map([[start, 0]]);
    while (path.length > 0) {
      const here = path.at(-1)!;
      const to = settled.has(here.id) ? undefined : open.get(here.id)!.depends_on[here.next++];
      if (to === undefined) {
        settled.add(here.id);
        on.delete(here.id);
        path.pop();
      } else if (on.has(to)) {
        found.push(fromLowest(path.slice(on.get(to)).map(({ id }) => id)));
      } else if (open.has(to) && !settled.has(to)) {
        on.set(to, path.length);
        path.push({ id: to, next: 0 });
      }
    }
  }
  return found;
}

function fromLowest(ring: readonly string[]): string[] {
  const at = ring.indexOf([...ring].sort()[0]!);
  return [...ring.slice(at), ...ring.slice(0, at)];
}
