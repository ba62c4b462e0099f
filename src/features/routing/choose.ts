/** Chooses the tickets that may be started, and the role that continues a ticket. Pure. */
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { waitsFor } from "svc/features/tickets/dependencies.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { needsVouching } from "svc/features/tickets/ticket_names.ts";

/** By priority, then by age; without those from outside that nobody vouches for. */
export function startable(tickets: readonly Ticket[]): Ticket[] {
  const states = new Map(tickets.map(({ id, state }) => [id, state]));
  return tickets
    .filter((ticket) =>
      ticket.state === "backlog" && !needsVouching(ticket) &&
      waitsFor(ticket, (id) => states.get(id)).length === 0
    )
    .sort((a, b) =>
      a.priority.localeCompare(b.priority) || Number(a.id.slice(2)) - Number(b.id.slice(2))
    );
}

export function roleFor(
  ticket: Pick<Ticket, "state" | "role">,
  { roles }: Pick<Manifest, "roles">,
): string | undefined {
  if (ticket.state === "review") {
    const judges = Object.entries(roles).filter(([, { routes }]) =>
      routes.approved?.ticket === "done"
    );
    return judges[0]?.[0];
  }
  return Object.hasOwn(roles, ticket.role) ? ticket.role : undefined;
}
