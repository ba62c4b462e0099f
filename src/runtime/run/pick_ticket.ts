/** Which ticket a manual run of a role is for. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { startable } from "svc/features/routing/choose.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { type Ticket, ticketId } from "svc/features/tickets/ticket_list.ts";

/** Undefined for a role that works without a ticket, such as a planner. */
export function ticketUse(
  { routes }: Pick<ManifestRole, "routes">,
): "judges" | "works" | undefined {
  if (routes.approved?.ticket === "done") return "judges";
  const works = routes.submitted?.ticket === "review" && routes.blocked?.ticket !== undefined;
  return works ? "works" : undefined;
}

export function noTicketFor(role: string, use: "judges" | "works"): string {
  return use === "judges" ? "no ticket is in review" : `no ticket for "${role}" can be started`;
}

/**
 * Undefined for a role that works without a ticket, and if there is none for it.
 * @param taken ids of tickets to leave out, since somebody works on them
 */
export function pickTicket(
  role: string,
  definition: Pick<ManifestRole, "routes">,
  tickets: readonly Ticket[],
  taken: ReadonlySet<string | null> = new Set(),
): Ticket | undefined {
  const use = ticketUse(definition);
  if (use === undefined) return undefined;
  const fits = use === "judges" ? tickets.filter(({ state }) => state === "review") : [
    ...tickets.filter((ticket) => ticket.state === "in-progress" && ticket.role === role),
    ...startable(tickets).filter((ticket) => ticket.role === role),
  ];
  return fits.find(({ id }) => !taken.has(id));
}

interface TicketPlace {
  readonly repo: Pick<Repo, "tickets">;
  readonly definition: ManifestRole;
}

interface TicketWish {
  readonly role: string;
  readonly ticket: string | undefined;
  readonly task: string | undefined;
}

export interface FoundTicket {
  readonly ticket?: Ticket | undefined;
  /** Why there is none, for a role that needs one. */
  readonly missing?: Failure;
}

function neededTicket(
  role: string,
  definition: Pick<ManifestRole, "routes">,
  tickets: readonly Ticket[],
): FoundTicket {
  const use = ticketUse(definition);
  const ticket = pickTicket(role, definition, tickets);
  if (use === undefined || ticket !== undefined) return { ticket };
  const missing = new Failure("not_found", `Cannot run "${role}": ${noTicketFor(role, use)}`, {
    remedy: use === "judges"
      ? "svc tickets list --state review"
      : `svc tickets new --title "…" --role ${role}, or say what to do: --task "…"`,
  });
  return { missing };
}

/** @throws Failure `usage` for both a ticket and a task; `not_found` for a ticket that is named and not there */
export async function lookForTicket(
  { repo, definition }: TicketPlace,
  { role, ticket, task }: TicketWish,
): Promise<FoundTicket> {
  if (task !== undefined && ticket === undefined) return {};
  if (task !== undefined) {
    throw new Failure("usage", "Cannot run with both --ticket and --task", {
      remedy: "Write what is to be done into the ticket, or leave --ticket out",
    });
  }
  const { tickets } = await repo.tickets.list();
  if (ticket === undefined) return neededTicket(role, definition, tickets);
  const id = ticketId(ticket);
  const found = tickets.find((one) => one.id === id);
  if (found !== undefined) return { ticket: found };
  throw new Failure("not_found", `Cannot find ticket ${quoted(id)}`, {
    remedy: "svc tickets list",
  });
}

/** @throws Failure as `lookForTicket`; `not_found` too when the role needs a ticket and there is none */
export async function ticketFor(
  place: TicketPlace,
  wish: TicketWish,
): Promise<Ticket | undefined> {
  const { ticket, missing } = await lookForTicket(place, wish);
  if (missing !== undefined) throw missing;
  return ticket;
}
