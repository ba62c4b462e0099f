import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, repo, text } from "svc/cli/flags.ts";
import { statesOf } from "svc/core/machine.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { listTickets, type Ticket } from "svc/features/tickets/ticket_list.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";
import { ticketResult } from "svc/cli/page/ticket.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { TICKET_TYPES } from "svc/features/tickets/ticket_names.ts";

export default command({
  about: "List the tickets of a repo, and the files that cannot be read as one",
  details: "The folder of docs/tickets that a ticket lies in is its state.",
  examples: [
    { line: "svc tickets list --state backlog", about: "what waits to be done" },
    { line: "svc tickets list --json | jq '.tickets[].id'", about: "for scripts" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: {
    repo,
    state: choice(statesOf(ticketMachine), "Only tickets in this state"),
    role: text("role", "Only tickets for this role", { suggest: "roles" }),
    type: choice(TICKET_TYPES, "Only tickets of this type"),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      tickets: z.array(ticketResult(z)),
      broken: z.array(z.strictObject({
        path: z.string(),
        id: z.string().exactOptional(),
        reason: z.string(),
        remedy: z.string(),
      })),
      cycles: z.array(z.array(z.string())),
    }),

  async run(app: App, asked) {
    using checkout = await openCheckout(app, asked.repo ?? app.cwd());
    const { tickets, broken, cycles } = await listTickets(checkout);
    const wanted = ({ state, role, type }: Ticket) =>
      (asked.state ?? state) === state && (asked.role ?? role) === role &&
      (asked.type ?? type) === type;
    return { repo: checkout.root, tickets: tickets.filter(wanted), broken, cycles };
  },

  show({ tickets, broken, cycles }, page, asked) {
    const here = samePlace(asked);
    if (tickets.length === 0) {
      page.line("No tickets");
      page.next(`svc tickets new --title "…"${here}, or: svc scan --tickets${here}`);
    } else {
      page.table(
        ["id", "state", "priority", "type", "role", "title"],
        tickets.map(({ id, state, priority, type, role, title }) => [
          ...[id, state, priority, type, role, title],
        ]),
      );
    }
    for (const { reason, remedy } of broken) {
      page.line(page.tone("bad", reason));
      page.next(remedy);
    }
    for (const ring of cycles) {
      page.line(page.tone("warn", `These wait for each other: ${[...ring, ring[0]].join(" → ")}`));
    }
  },
});
