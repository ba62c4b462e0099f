/** How far the author of a ticket is trusted. Read each time, since a person may vouch for the ticket meanwhile. */
import { Failure } from "svc/core/failure.ts";
import type { TrustLevel } from "svc/core/permission.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { trustOfTicket } from "svc/features/jobs/order_job.ts";
import { isFromOutside } from "svc/features/tickets/ticket_names.ts";

type Tickets = Pick<Repo, "tickets">;

/** @throws Failure `not_found` */
export async function ticketTrust({ tickets }: Tickets, id: string): Promise<TrustLevel> {
  return trustOfTicket((await tickets.find(id)).ticket);
}

/**
 * An outsider's request stays untrusted, unless a person vouches for its ticket. Who handed the ticket out does not
 * count: svc itself hands out whatever is in the backlog.
 */
export async function jobTrust(
  repo: Tickets,
  { source_trust, ticket }: {
    readonly source_trust: TrustLevel;
    readonly ticket: { readonly id: string; readonly source: string } | undefined;
  },
): Promise<TrustLevel> {
  if (ticket === undefined || !isFromOutside(ticket.source)) return source_trust;
  try {
    return await ticketTrust(repo, ticket.id);
  } catch (thrown) {
    const { code } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted") throw thrown;
    return "observer"; // it is gone, or its file is broken: nobody vouches for it
  }
}
