/** Gives a ticket the answer to its role's question: one commit, after which the ticket can be started again. */
import { Failure } from "svc/core/failure.ts";
import { plainLines } from "svc/core/plain_text.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import { answerEntry, answersApart, answerTo } from "./answers.ts";
import { planMove } from "./move_rules.ts";
import { flatLine, type Question } from "svc/core/question.ts";
import { shortened } from "svc/core/shortened.ts";
import { rewrite, type TicketWriting } from "./rewrite_ticket.ts";
import { ticketBody } from "./ticket_file.ts";
import { type OpenTicket, openTicket, type Ticket } from "./ticket_list.ts";

/** Characters of an answer: some 1,000 tokens of a prompt. */
const ANSWER_CHARS = 4_000;

/** Characters of it in the line of evidence; the section has the whole. */
const ANSWER_SHOWN = 200;

export interface GivenAnswer extends TicketWriting {
  /** Redacted. */
  readonly text?: string | undefined;
  /** From 1; the text then says more. */
  readonly choice?: number | undefined;
  /** Refuses where the ticket asks something else by now: the job whose question was shown. */
  readonly job?: string | undefined;
}

interface AnsweredTicket {
  readonly ticket: Ticket;
  readonly question: Question;
  readonly answer: string;
  readonly commit: string | undefined;
}

const usage = (message: string, remedy: string) => new Failure("usage", message, { remedy });
const conflict = (message: string, remedy: string) => new Failure("conflict", message, { remedy });

function mustAsk({ ticket, content }: OpenTicket, job: string | undefined): Question {
  const { id, state, unblock, question } = ticket;
  const cannot = `Cannot answer ${id}`;
  if (question !== undefined && state === "blocked") {
    if (job === undefined || question.job === job) return question;
    throw conflict(`${cannot}: it asks something else by now`, `svc tickets show ${id}`);
  }
  const { answers } = answersApart(ticketBody(content.bytes));
  if (state === "blocked") {
    const { owner, action } = unblock!;
    throw conflict(
      `${cannot}: it asks nothing; it waits for ${JSON.stringify(owner)}: ${
        JSON.stringify(action)
      }`,
      `When that is done: svc tickets move ${id} backlog --force`,
    );
  }
  throw conflict(
    answers.length === 0
      ? `${cannot}: it asks nothing, and is ${state}`
      : `${cannot}: its question is answered already, and it is ${state}`,
    `svc tickets show ${id}; to say more to a running job: svc jobs tell <job> "…"`,
  );
}

/** @throws Failure `usage` for no answer, a long one, or a choice that there is not */
function answerIn(
  id: string,
  { choices }: Question,
  { text = "", choice }: Pick<GivenAnswer, "text" | "choice">,
): string {
  const cannot = `Cannot answer ${id}`;
  if (choice !== undefined && choices[choice - 1] === undefined) {
    throw usage(
      choices.length === 0
        ? `${cannot}: its question has no choices`
        : `${cannot}: there is no choice ${choice}, only 1 to ${choices.length}`,
      choices.length === 0 ? `svc tickets answer ${id} "…"` : `svc tickets show ${id}`,
    );
  }
  const said = plainLines(text).trim();
  if (said.length > ANSWER_CHARS) {
    throw usage(
      `${cannot}: the answer has ${said.length} characters, and ${ANSWER_CHARS} are taken`,
      "Say the rest in a file of the repo, and name it in the answer",
    );
  }
  const chosen = choice === undefined ? [] : [choices[choice - 1]!];
  const answer = [...chosen, ...(said === "" ? [] : [said])].join("\n\n");
  if (answer !== "") return answer;
  throw usage(
    `${cannot}: no answer is given`,
    `svc tickets answer ${id} "…"${choices.length === 0 ? "" : ", or --choice 1"}`,
  );
}

/** What happened to a job's question in its ticket. @throws Failure as `openTicket` */
export async function answerOf(
  checkout: Pick<Checkout, "folder" | "git">,
  { ticket: id, job }: { readonly ticket: string; readonly job: string },
): Promise<{ readonly waits: boolean; readonly answer: string | undefined }> {
  const { ticket, content } = await openTicket(checkout, id);
  return {
    waits: ticket.state === "blocked" && ticket.question?.job === job,
    answer: answerTo(ticketBody(content.bytes), job),
  };
}

/** Raises no trust: whoever answers need not have read a text from outside. @throws Failure as `moveTicket` */
export async function answerTicket(
  checkout: Checkout,
  id: string,
  given: GivenAnswer,
): Promise<AnsweredTicket> {
  const doing = `answer ${id}`;
  await checkout.commits.mustTakeCommits(checkout.git, doing);
  const answered = async (): Promise<AnsweredTicket> => {
    const opened = await openTicket(checkout, id);
    const question = mustAsk(opened, given.job);
    const answer = answerIn(id, question, given);
    const line = flatLine(answer);
    const short = shortened(line, ANSWER_SHOWN);
    const order = {
      to: "backlog",
      force: true,
      reason: `answered ${question.role}: ${short}`,
    } as const;
    const { edits, what } = planMove(opened.ticket, order, () => undefined);
    const { actor } = given;
    const change = {
      ...{ edits, what, to: order.to, message: `chore(tickets): answer ${id}` },
      answer: (at: string) => answerEntry(question, { answer, actor, at }),
    };
    return { question, answer, ...await rewrite(checkout, opened, change, given) };
  };
  return given.dryRun ? await answered() : await checkout.locked(doing, answered);
}
