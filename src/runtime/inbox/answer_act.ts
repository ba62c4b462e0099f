/**
 * A person answers a role's question: the answer goes into the ticket's file, and the database stores who gave
 * it.
 */
import type { Repo } from "svc/features/repos/repo.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { GivenAnswer } from "svc/features/tickets/answer_ticket.ts";
import type { ActContext } from "./act_context.ts";
import { recordAnswer } from "./person_decision.ts";

/** Both the page and the command line answer questions through this function. @throws Failure as `answerTicket` */
export async function answerAs(
  { clock, db, redact }: Pick<ActContext["ports"], "clock" | "db" | "redact">,
  repo: Repo,
  ticket: string,
  answer: GivenAnswer,
) {
  const given = await repo.tickets.answer(ticket, answer);
  const data = { repo_id: repo.id, ticket_id: ticket, from: "blocked", to: "backlog" };
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    await recordEvent(tx, { type: "ticket_update", repoId: repo.id, data }, now);
    const said = { ticket, by: answer.actor, question: given.question, said: given.answer };
    await recordAnswer(tx, repo.id, said, { now, redact });
  });
  return given;
}
