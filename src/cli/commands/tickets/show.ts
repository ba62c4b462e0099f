import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { repo, required, text } from "svc/cli/flags.ts";
import { ticketFields, ticketResult } from "svc/cli/page/ticket.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { ticketBody } from "svc/features/tickets/ticket_file.ts";
import { openTicket, ticketId } from "svc/features/tickets/ticket_list.ts";

export default command({
  about: "Show one ticket: its fields and its text",
  examples: [{ line: "svc tickets show T-0007", about: "or 7, or T-7" }],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: { repo },
  args: { id: required(text("id", "The ticket", { suggest: "tickets" })) },
  result: (z) => z.strictObject({ repo: z.string(), ticket: ticketResult(z), body: z.string() }),

  async run(app: App, asked) {
    using checkout = await openCheckout(app, asked.repo ?? app.cwd());
    const { ticket, content } = await openTicket(checkout, ticketId(asked.id));
    return { repo: checkout.root, ticket, body: ticketBody(content.bytes) };
  },

  show({ ticket, body }, page) {
    page.heading(`${ticket.id} ${ticket.title}`);
    page.fields(ticketFields(ticket));
    page.line();
    page.text(body.trim());
  },
});
