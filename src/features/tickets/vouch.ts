/** Writes into a ticket from outside who vouches for it; its text must be the one that they have seen. */
import { flat } from "svc/core/flat.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import { bodySections, isHeadingOf } from "./body_sections.ts";
import { rewrite, type TicketWriting } from "./rewrite_ticket.ts";
import { contextOf, type TicketDraft } from "./ticket_draft.ts";
import { ticketBody } from "./ticket_file.ts";
import { type OpenTicket, openTicket, type Ticket } from "./ticket_list.ts";
import { needsVouching } from "./ticket_names.ts";

/** @param vouched a name that people know, such as "ada at GitHub" */
export const vouching = (id: string, vouched: string) => ({
  edits: { vouched },
  what: `${vouched} vouches for it`,
  message: `chore(tickets): vouch for ${id}`,
});

type SeenText = Pick<TicketDraft, "title" | "context">;

function saysStill({ ticket, content }: OpenTicket, seen: SeenText): boolean {
  const body = ticketBody(content.bytes);
  const section = bodySections(body).find(({ heading }) => isHeadingOf(heading, "Context"));
  if (section === undefined || ticket.title !== flat(seen.title)) return false;
  return body.slice(section.textFrom, section.to).trim() === contextOf(seen).trim();
}

/**
 * Undefined where nobody need vouch for the ticket, or its text is another one than `seen`: an issue may have been
 * edited since its ticket was made.
 */
export async function vouchFor(
  checkout: Checkout,
  id: string,
  { seen, vouched, ...writing }: TicketWriting & {
    readonly seen: SeenText;
    readonly vouched: string;
  },
): Promise<Ticket | undefined> {
  return await checkout.locked(`vouch for ${id}`, async () => {
    const opened = await openTicket(checkout, id);
    const { state } = opened.ticket;
    if (state === "done" || !needsVouching(opened.ticket) || !saysStill(opened, seen)) return;
    const change = { ...vouching(id, vouched), to: state };
    return (await rewrite(checkout, opened, change, writing)).ticket;
  });
}
