import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { required, text, whole } from "svc/cli/flags.ts";
import { decidingPlace, PLACE_FLAGS } from "svc/cli/person_decides.ts";
import { personText } from "svc/cli/person_text.ts";
import { questionResult, ticketResult, userName } from "svc/cli/page/ticket.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { answerTicket, type GivenAnswer } from "svc/features/tickets/answer_ticket.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { answerAs } from "svc/runtime/inbox/answer_act.ts";

interface Place {
  readonly repo: string | undefined;
  readonly db: string | undefined;
}

type Said = Pick<GivenAnswer, "choice" | "text">;

async function answered(app: App, place: Place, ticket: string, said: Said) {
  await using at = await decidingPlace(app, place);
  const { ports, repo, root, by } = at;
  return { root, ...await answerAs(ports, repo, ticket, { ...said, actor: by }) };
}

/** Opens no database, which it would make. */
async function tried(app: App, { repo = app.cwd() }: Place, ticket: string, said: Said) {
  using checkout = await openCheckout(app, repo);
  const actor = await userName(app, checkout.git);
  const given = await answerTicket(checkout, ticket, { ...said, actor, dryRun: true });
  return { root: checkout.git.root, ...given };
}

export default command({
  about: "Answer what a role asked about a ticket, so that work on it goes on",
  details:
    "A role may end its job with a question: its ticket then waits, blocked, and `svc tickets " +
    "show` has the question with its choices and why it is asked. The answer is written into the " +
    "ticket, which goes back to the backlog; the next role reads question and answer. What looks " +
    "like a secret is left out. The answer is stored as your decision, like one at the dashboard. " +
    "It does not vouch for a ticket from outside: svc tickets move does.",
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
    ...PLACE_FLAGS,
    choice: whole("number", "Choose this one of the question's choices; a text may add to it", {
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

  async run(app: App, { id, answer: typed, choice, repo, db, dryRun }) {
    const ticket = ticketId(id);
    const { text, redacted } = await personText(app, typed);
    const said = { text, choice };
    const place = { repo, db };
    const { root, ...given } = dryRun
      ? await tried(app, place, ticket, said)
      : await answered(app, place, ticket, said);
    return {
      ...{ repo: root, ticket: given.ticket, question: given.question, answer: given.answer },
      redacted,
      ...(given.commit !== undefined && { commit: given.commit }),
      dry_run: dryRun,
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
      const run = `svc run ${shellWord(ticket.role)} --ticket ${ticket.id}${samePlace(asked)}`;
      page.next(`a running svc continues with it; otherwise svc start, or: ${run}`);
    }
  },
});
