import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { repo, required, text, whole } from "svc/cli/flags.ts";
import { personText } from "svc/cli/person_text.ts";
import { questionResult, ticketResult, userName } from "svc/cli/page/ticket.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { answerTicket } from "svc/features/tickets/answer_ticket.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";

export default command({
  about: "Answer what a role asked about a ticket, so that work on it goes on",
  details:
    "A role may end its job with a question: its ticket then waits, blocked, and `svc tickets show` " +
    "has the question with its choices and why it is asked. The answer is kept in the ticket, which " +
    "goes back to the backlog; the next role reads question and answer. What looks like a secret is " +
    "left out. An answer does not vouch for a ticket from outside: svc tickets move does.",
  examples: [
    { line: 'svc tickets answer T-0007 "ISO 8601, in UTC"', about: "in your own words" },
    { line: "svc tickets answer 7 --choice 2", about: "one of the choices, by its number" },
    { line: "svc tickets answer T-0007 - < answer.md", about: "from standard input" },
    { line: "svc tickets answer T-0007 --choice 1 --yes", about: "where there is no terminal" },
  ],
  effect: "writes_target",
  givenBy: { who: "person", because: "roles go by an answer as by a person's word", asks: true },
  modes: ["json", "plain", "yes", "dry-run"],
  flags: {
    repo,
    choice: whole("number", "Take this of its choices; the text, if any, says more", {
      min: 1,
      max: 99,
    }),
  },
  args: {
    id: required(text("id", "The ticket", { suggest: "tickets" })),
    answer: text("text", "The answer; - reads it from standard input"),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      ticket: ticketResult(z),
      question: questionResult(z),
      answer: z.string(),
      /** Something that looked like a secret was left out of the answer. */
      redacted: z.boolean(),
      commit: z.string().exactOptional(),
      dry_run: z.boolean(),
    }),

  async run(app: App, asked) {
    using checkout = await openCheckout(app, asked.repo ?? app.cwd());
    const { text, redacted } = await personText(app, asked.answer);
    const { ticket, question, answer, commit } = await answerTicket(checkout, ticketId(asked.id), {
      text,
      choice: asked.choice,
      actor: await userName(app, checkout.git),
      dryRun: asked.dryRun,
    });
    return {
      repo: checkout.git.root,
      ticket,
      question,
      answer,
      redacted,
      ...(commit !== undefined && { commit }),
      dry_run: asked.dryRun,
    };
  },

  show({ ticket, question, answer, redacted, commit, dry_run }, page, asked) {
    const arrow = `${ticket.id} blocked → ${ticket.state}`;
    page.line(
      dry_run
        ? `Would answer ${question.role}: ${arrow}`
        : `Answered ${question.role}: ${arrow}, in commit ${commit!.slice(0, 12)}`,
    );
    page.text(answer);
    if (redacted) page.line(page.tone("warn", "what looks like a secret was left out"));
    if (!dry_run) {
      page.next(
        `svc start goes on with it, or: svc run ${ticket.role} --ticket ${ticket.id}${
          samePlace(asked)
        }`,
      );
    }
  },
});
