import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, many, repo, required, text } from "svc/cli/flags.ts";
import { ticketResult, userName } from "svc/cli/page/ticket.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { mustNameRole } from "svc/cli/typed_role.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { personDraft } from "svc/features/tickets/person_draft.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";
import { PRIORITIES, TICKET_TYPES } from "svc/features/tickets/ticket_names.ts";
import { createTickets } from "svc/features/tickets/tickets.ts";

export default command({
  about: "Create a ticket in the backlog, as a commit of its own",
  details:
    "Commits only the ticket's file, on the branch that is checked out; whatever else is changed " +
    "or staged stays as it is. A number is never used twice. Templates of the repo are files of " +
    ".harness/ticket-templates.",
  examples: [
    { line: 'svc tickets new --title "Tidy the shed"', about: "with defaults for the rest" },
    {
      line: 'svc tickets new --title "Fix login" --type bug --priority p0 --acceptance "a test"',
      about: "with more details",
    },
    { line: 'svc tickets new --template bug --title "Login loops"', about: "from a template" },
    { line: 'svc tickets new --title "Tidy the shed" --dry-run', about: "writes nothing" },
  ],
  effect: "writes_target",
  givenBy: {
    who: "person",
    because: "what a person asks for is trusted work; roles have ticket_create",
  },
  modes: ["json", "plain", "dry-run"],
  flags: {
    repo,
    title: required(text("text", "One line that says what is to be done")),
    template: text("name", "Begin with this template: bug, feature, chore, or one of the repo's"),
    type: choice(TICKET_TYPES, "What kind of work it is (default: the template's, or feature)"),
    priority: choice(PRIORITIES, "p0 is most urgent (default: the template's, or p2)"),
    role: text("role", "Who works on it (default: the template's, or engineer)", {
      suggest: "roles",
    }),
    context: text("text", "Why it is to be done"),
    acceptance: many(text("text", "What must hold when it is done")),
    dependsOn: many(text("id", "A ticket that must be done first", { suggest: "tickets" })),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      ticket: ticketResult(z),
      commit: z.string().exactOptional(),
      dry_run: z.boolean(),
    }),

  async run(app: App, asked) {
    using checkout = await openCheckout(app, asked.repo ?? app.cwd());
    const { title, template, type, priority, role, context, acceptance } = asked;
    if (role !== undefined) await mustNameRole(app, checkout.git.root, role);
    const draft = await personDraft(checkout, {
      title,
      template,
      ...(type !== undefined && { type }),
      ...(priority !== undefined && { priority }),
      ...(role !== undefined && { role }),
      ...(context !== undefined && { context }),
      ...(acceptance.length > 0 && { acceptance }),
      depends_on: asked.dependsOn.map(ticketId),
    }, app.redact);
    const writing = { actor: await userName(app, checkout.git), dryRun: asked.dryRun };
    const { created: [ticket], commit } = await createTickets(checkout, [draft], writing);
    return {
      repo: checkout.git.root,
      ticket: ticket!,
      ...(commit !== undefined && { commit }),
      dry_run: asked.dryRun,
    };
  },

  show({ ticket, commit, dry_run }, page, asked) {
    page.line(
      dry_run
        ? `Would create ${ticket.id} as ${ticket.path}`
        : `Created ${ticket.id} as ${ticket.path}, in commit ${commit!.slice(0, 12)}`,
    );
    if (!dry_run) page.next(`svc tickets show ${ticket.id}${samePlace(asked)}`);
  },
});
