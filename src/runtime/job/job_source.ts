/** What makes two jobs the same work, and how far whoever asked for it is trusted. */
import type { TrustLevel } from "svc/core/permission.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { isFromOutside } from "svc/features/tickets/ticket_names.ts";

/** One job of a role on a ticket, or on a repo, waits at a time. */
export function jobKey(repoId: string, role: string, ticketOrBranch: string | undefined): string {
  return `${repoId}:${role}:${ticketOrBranch ?? "-"}`;
}

/** Of a job when it is queued; until a person moves the ticket (`trustOfTicket`). */
export function trustOfSource(source: string): TrustLevel {
  return isFromOutside(source) ? "observer" : "contributor";
}

/** Of a ticket as it is now. */
export function trustOfTicket({ source, vouched }: Pick<Ticket, "source" | "vouched">): TrustLevel {
  return vouched === undefined ? trustOfSource(source) : "contributor";
}
