import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, noPager, otherwise, repo, text, whole } from "svc/cli/flags.ts";
import { statesOf } from "svc/core/machine.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { nameOf } from "svc/core/path_parts.ts";
import { searchTickets, TICKET_SORTS } from "svc/features/tickets/search_tickets.ts";
import { TextRoom, TicketHold } from "svc/features/tickets/ticket_hold.ts";
import { readAll, type TicketFileRead } from "svc/features/tickets/ticket_list.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";
import { ticketResult } from "svc/cli/page/ticket.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { PRIORITIES, TICKET_TYPES } from "svc/features/tickets/ticket_names.ts";

export default command({
  about: "List the tickets of a repo, and the files that cannot be read as one",
  details: "The folder of docs/tickets that a ticket lies in is its state. A search looks at id, " +
    "title, text, role, state, type, priority, source and the name of the repo: all its words must " +
    'occur, in any case; "several words" in quotes are one. On a terminal a list that does not fit ' +
    "is shown in $PAGER, or less.",
  examples: [
    { line: "svc tickets list --state backlog", about: "what waits to be done" },
    { line: 'svc tickets list --search "upload 503" --sort updated', about: "newest change first" },
    {
      line: "svc tickets list --priority p0 --limit 10",
      about: "the first ten of the urgent ones",
    },
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
    priority: choice(PRIORITIES, "Only tickets of this priority"),
    search: text("words", "Only tickets that have these words"),
    sort: otherwise(
      choice(TICKET_SORTS, "Order of the list; best goes by where the words were found"),
      "id",
    ),
    limit: whole("number", "At most this many", { min: 1, max: 1_000_000 }),
    noPager,
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      tickets: z.array(ticketResult(z)),
      /** How many match, without the limit. */
      total: z.int(),
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
    const hold = new TicketHold<TicketFileRead>(
      asked.search === undefined ? undefined : { room: new TextRoom(Infinity), shown: app.redact },
    );
    const { list: { tickets, broken, cycles } } = await readAll(checkout, hold);
    const name = nameOf(checkout.root);
    const repo = { id: "", name, tickets, text: (path: string) => hold.text(path)! };
    const { found } = searchTickets([repo], asked, asked.sort);
    const shown = found.slice(0, asked.limit).map(({ ticket }) => ticket);
    return { repo: checkout.root, tickets: shown, total: found.length, broken, cycles };
  },

  show({ tickets, total, broken, cycles }, page, asked) {
    const here = samePlace(asked);
    const { state, role, type, priority, search } = asked;
    if (tickets.length === 0) {
      const narrowed = [state, role, type, priority, search].some((word) => word !== undefined);
      page.line(narrowed ? "No tickets match" : "No tickets");
      page.next(
        narrowed
          ? `svc tickets list${here}`
          : `svc tickets new --title "…"${here}, or: svc scan --tickets${here}`,
      );
    } else {
      page.table(
        ["id", "state", "priority", "type", "role", "title"],
        tickets.map(({ id, state, priority, type, role, title }) => [
          ...[id, state, priority, type, role, title],
        ]),
      );
    }
    if (tickets.length < total) page.line(`${tickets.length} of ${total} are shown`);
    for (const { reason, remedy } of broken) {
      page.line(page.tone("bad", reason));
      page.next(remedy);
    }
    for (const ring of cycles) {
      page.line(page.tone("warn", `These wait for each other: ${[...ring, ring[0]].join(" → ")}`));
    }
  },
});
