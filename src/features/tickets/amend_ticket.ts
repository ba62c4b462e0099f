/** Changes a ticket where no move leads: another role, or a person's decision that is taken back. */
import { Failure } from "svc/core/failure.ts";
import { commitSubject } from "svc/core/commit_text.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import type { FrontEdits } from "./front_edit.ts";
import { rewrite, type TicketWriting } from "./rewrite_ticket.ts";
import { openTicket, type Ticket } from "./ticket_list.ts";
import type { TicketState } from "./ticket_machine.ts";

interface TicketAmendment extends TicketWriting {
  readonly from: TicketState;
  readonly to: TicketState;
  /** `updated` of the ticket that the change is about. */
  readonly seen: string;
  readonly edits: FrontEdits;
  /** For the evidence. */
  readonly what: string;
  /** For the commit, such as "give T-0001 to qa". */
  readonly subject: string;
}

/** @throws Failure as `Commits`; `conflict` where the ticket changed since it was seen */
export async function amendTicket(
  checkout: Checkout,
  id: string,
  { from, to, seen, edits, what, subject, ...writing }: TicketAmendment,
): Promise<{ readonly ticket: Ticket; readonly commit: string | undefined }> {
  const doing = `change ${id}`;
  await checkout.commits.mustTakeCommits(checkout.git, doing);
  return await checkout.locked(doing, async () => {
    const opened = await openTicket(checkout, id);
    const { state, updated } = opened.ticket;
    if (state !== from || updated !== seen) {
      throw new Failure("conflict", `Cannot ${doing}: it changed meanwhile, and is ${state}`, {
        remedy: `svc tickets show ${id}`,
      });
    }
    const message = commitSubject("chore(tickets)", subject);
    return await rewrite(checkout, opened, { edits, what, message, to }, writing);
  });
}
