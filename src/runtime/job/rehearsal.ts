/** Ends rehearsals, which move no ticket, before they repeat themselves. */
import { startable } from "svc/features/routing/choose.ts";
import { rehearsals } from "svc/features/routing/decision_store.ts";
import type { RouteDecision } from "svc/features/routing/decide.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Db } from "svc/store/schema.ts";

/** `role:ticket` of each rehearsal since the ticket last changed. */
export async function rehearsed(
  db: Db,
  repoId: string,
  tickets: readonly Ticket[],
): Promise<ReadonlySet<string>> {
  const updated = new Map(tickets.map(({ id, updated }) => [id, Date.parse(updated)]));
  const found = new Set<string>();
  for (const { role, ticket_id, at } of await rehearsals(db, repoId)) {
    const since = updated.get(ticket_id);
    if (since !== undefined && at >= since) found.add(`${role}:${ticket_id}`);
  }
  return found;
}

/**
 * Ids of the tickets that can be started. A rehearsal moves no ticket, so those that were rehearsed are left
 * out.
 */
export async function openTickets(
  { db, profile }: Pick<RuntimePorts, "db" | "profile">,
  repoId: string,
  tickets: readonly Ticket[],
): Promise<string[]> {
  const open = startable(tickets).map((ticket) => ticket.id);
  if (profile !== "observer") return open;
  const seen = [...await rehearsed(db, repoId, tickets)]
    .map((key) => key.slice(key.indexOf(":") + 1));
  return open.filter((ticket) => !seen.includes(ticket));
}

/** Stops a chain of rehearsals whose next step was rehearsed already, or that has nothing left to do. */
export function endRehearsal(
  decision: RouteDecision,
  { seen, open }: { readonly seen: ReadonlySet<string>; readonly open: number },
): RouteDecision {
  const { next, ...rest } = decision;
  if (next === undefined) return decision;
  const again = next.ticket !== undefined && seen.has(`${next.role}:${next.ticket}`);
  if (again) return { ...rest, stop: `${next.role} has rehearsed ${next.ticket} already` };
  const idle = next.ticket === undefined && open === 0;
  return idle ? { ...rest, stop: "every ticket that can be started was rehearsed" } : decision;
}
