import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, on, repo, required, text } from "svc/cli/flags.ts";
import { ticketResult, userName } from "svc/cli/page/ticket.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { statesOf } from "svc/core/machine.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";

const STATES = statesOf(ticketMachine);

export default command({
  about: "Move a ticket to another state, as a commit of its own",
  details:
    "Only moves of the runtime are possible: see docs/generated/states.md. To block a ticket, say " +
    "who has to do what before it can go on; it leaves that state with --force, once that has " +
    "happened. Its file gets a line of evidence. Moving a ticket that came from outside vouches " +
    "for it: before that, svc hands it out to nobody, and jobs on it can only read. To vouch for it " +
    "and leave it where it is, name the state that it has.",
  examples: [
    { line: "svc tickets move T-0007 in-progress", about: "take it" },
    {
      line: 'svc tickets move 7 blocked --owner ada --action "renew the key"',
      about: "it waits for a person",
    },
    { line: "svc tickets move 7 backlog --force", about: "the person has done it" },
    { line: "svc tickets move T-0009 backlog", about: "vouch for a ticket from outside" },
  ],
  effect: "writes_target",
  givenBy: { who: "person", because: "a move vouches for work that came from outside", asks: true },
  modes: ["json", "plain", "yes", "dry-run"],
  flags: {
    repo,
    reason: text("text", "Why, for the evidence"),
    owner: text("name", "With blocked: who can unblock it"),
    action: text("text", "With blocked: what unblocks it"),
    force: on("Say that what a blocked ticket waited for has happened"),
  },
  args: {
    id: required(text("id", "The ticket", { suggest: "tickets" })),
    state: required(choice(STATES, "Where to")),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      ticket: ticketResult(z),
      from: z.enum(STATES),
      to: z.enum(STATES),
      commit: z.string().exactOptional(),
      dry_run: z.boolean(),
    }),

  async run(app: App, asked) {
    using checkout = await openCheckout(app, asked.repo ?? app.cwd());
    const { reason, owner, action, force } = asked;
    const { ticket, from, to, commit } = await moveTicket(checkout, ticketId(asked.id), {
      to: asked.state,
      force,
      ...(reason !== undefined && { reason }),
      ...(owner !== undefined && action !== undefined && { unblock: { owner, action } }),
      actor: await userName(app, checkout.git),
      vouch: true,
      dryRun: asked.dryRun,
    });
    return {
      repo: checkout.git.root,
      ticket,
      from,
      to,
      ...(commit !== undefined && { commit }),
      dry_run: asked.dryRun,
    };
  },

  show({ ticket, from, to, commit, dry_run }, page, asked) {
    const told = from === to
      ? `${dry_run ? "Would vouch" : "Vouched"} for ${ticket.id}, which stays in ${to}`
      : `${dry_run ? "Would move" : "Moved"} ${ticket.id} ${from} → ${to}`;
    page.line(dry_run ? told : `${told}, in commit ${commit!.slice(0, 12)}`);
    if (!dry_run) page.next(`svc tickets show ${ticket.id}${samePlace(asked)}`);
  },
});
