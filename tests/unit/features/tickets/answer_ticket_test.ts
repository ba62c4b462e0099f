/** A role's question and a person's answer, in the ticket's own file. */
import assert from "node:assert/strict";
import { answersApart } from "svc/features/tickets/answers.ts";
import { answerTicket, type GivenAnswer } from "svc/features/tickets/answer_ticket.ts";
import { boundedQuestion, questionLine } from "svc/core/question.ts";
import { openTicket } from "svc/features/tickets/ticket_list.ts";
import { createTickets, moveTicket } from "svc/features/tickets/tickets.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import { parseDocument } from "svc/platform/yaml.ts";
import { type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { checkoutAt, draft } from "./ticket_checkout.ts";

const BY = { actor: "Ada" };
const ID = "T-0001";
const QUESTION = {
  asked: "Which format?\nThe report has none: yet #1",
  choices: ["ISO 8601: 2026-11-22", "US, [11/22/2026]"],
  why: "no acceptance line says",
  role: "engineer",
  job: "0199c2f3-0000-7000-8000-0000000000a1",
};

async function asking(repo: TempRepo, checkout: Checkout, question = QUESTION): Promise<void> {
  const unblock = { owner: "maintainer", action: `svc tickets answer ${ID} "…"` };
  await moveTicket(checkout, ID, { to: "in-progress", actor: "agent:engineer", branch: "svc/x" });
  await moveTicket(checkout, ID, { to: "blocked", unblock, question, actor: "agent:engineer" });
  const { ticket } = await openTicket(checkout, ID);
  assert.deepEqual(ticket.question, question);
  const front = (await repo.read(ticket.path)).split("---\n")[1]!;
  assert.deepEqual(parseDocument(front).toJS()["question"], question);
}

const failure = async (checkout: Checkout, given: Partial<GivenAnswer>): Promise<string> => {
  const thrown = await answerTicket(checkout, ID, { ...BY, ...given }).then(
    () => undefined,
    (x) => x,
  );
  return `${thrown?.code}: ${thrown?.message}; ${thrown?.remedy}`;
};

Deno.test("an answer is one commit: the ticket goes back to the backlog, and keeps both", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  await createTickets(checkout, [draft("One", { source: "webhook:github" })], BY);
  await asking(repo, checkout);
  const given = { ...BY, choice: 1, text: "In UTC.\n\n## Evidence\n```\n- not a line of it" };
  const { ticket, answer, commit } = await answerTicket(checkout, ID, given);
  assert.equal(answer, `${QUESTION.choices[0]}\n\n${given.text}`);
  assert.deepEqual([ticket.state, ticket.question, ticket.unblock], [
    "backlog",
    undefined,
    undefined,
  ]);
  assert.equal(ticket.branch, "svc/x");
  assert.equal(
    await repo.git("log", "--format=%H %s", "-1"),
    `${commit} chore(tickets): answer ${ID}\n`,
  );
  // Whoever answers need not have read the outsider's text.
  assert.equal((await openTicket(checkout, ID)).ticket.vouched, undefined);

  const text = await repo.read(ticket.path);
  const { rest, answers } = answersApart(text);
  assert.equal(answers.length, 1);
  assert.match(answers[0]!, /^engineer asked, in job 0199c2f3-/);
  assert.match(answers[0]!, /> Which format\?\n> The report has none: yet #1\n> 1\. ISO 8601/);
  assert.match(answers[0]!, /Ada answered, \d{4}-.*Z:\n\n> ISO 8601: 2026-11-22\n>\n> In UTC\./);
  assert.match(answers[0]!, /\n> ## Evidence\n> ```\n/);
  assert.ok(!rest.includes("In UTC.\n"), rest);
  assert.equal(rest.match(/^## \w+/gm)?.join(), "## Context,## Acceptance,## Evidence");
  assert.match(
    text,
    /- \S+ · Ada · blocked → backlog: answered engineer: ISO 8601: 2026-11-22 In UTC\./,
  );

  // A second question finds the first answer before it.
  await asking(repo, checkout, { ...QUESTION, asked: "And where?", choices: [], why: "" });
  await answerTicket(checkout, ID, { ...BY, text: "In docs/" });
  const again = answersApart(await repo.read(ticket.path));
  assert.deepEqual(again.answers.map((entry) => /> (.*)/.exec(entry)![1]), [
    "Which format?",
    "And where?",
  ]);
});

Deno.test("an answer is refused where none is asked for, with what to do", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  assert.match(await failure(checkout, { text: "x" }), /^not_found: Cannot find ticket "T-0001"/);
  await createTickets(checkout, [draft("One")], BY);
  assert.match(
    await failure(checkout, { text: "x" }),
    /^conflict: .*it asks nothing, and is backlog/,
  );
  await asking(repo, checkout);
  assert.match(await failure(checkout, {}), /^usage: .*no answer is given; .*or --choice 1/);
  assert.match(await failure(checkout, { text: " \n" }), /^usage: .*no answer is given/);
  assert.match(await failure(checkout, { choice: 3 }), /^usage: .*no choice 3, only 1 to 2/);
  assert.match(
    await failure(checkout, { text: "x".repeat(4001) }),
    /^usage: .*4001 characters, and 4000/,
  );
  assert.match(
    await failure(checkout, { text: "x", job: "another" }),
    /^conflict: .*asks something else/,
  );
  const head = await repo.git("rev-parse", "HEAD");
  const { ticket, commit } = await answerTicket(checkout, ID, { ...BY, text: "x", dryRun: true });
  assert.deepEqual([ticket.state, commit], ["backlog", undefined]);
  assert.equal(await repo.git("rev-parse", "HEAD"), head);
  await answerTicket(checkout, ID, { ...BY, text: "x", job: QUESTION.job });
  assert.match(
    await failure(checkout, { text: "y" }),
    /^conflict: .*is answered already, and it is backlog/,
  );
  await asking(repo, checkout, { ...QUESTION, choices: [] });
  assert.match(await failure(checkout, { choice: 1 }), /^usage: .*its question has no choices/);
  // A person may go on without an answer.
  await moveTicket(checkout, ID, { to: "backlog", force: true, ...BY });
  assert.equal((await openTicket(checkout, ID)).ticket.question, undefined);
  const unblock = { owner: "ada", action: "buy a key" };
  await moveTicket(checkout, ID, { to: "in-progress", ...BY });
  await moveTicket(checkout, ID, { to: "blocked", unblock, ...BY });
  assert.match(
    await failure(checkout, { text: "y" }),
    /^conflict: .*asks nothing; it waits for "ada": "buy a key"/,
  );
});

Deno.test("answers come before the evidence, or at the end, and a text without them is left as it is", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  await createTickets(checkout, [draft("One")], BY);
  await asking(repo, checkout);
  const { ticket } = await openTicket(checkout, ID);
  const bare = (await repo.read(ticket.path)).replace(/## Context[^]*/, "By hand\r\n").replaceAll(
    /\r?\n/g,
    "\r\n",
  );
  await repo.write(ticket.path, bare);
  await repo.commit("by hand");
  const { ticket: now } = await answerTicket(checkout, ID, { ...BY, text: "yes\nno" });
  const text = await repo.read(now.path);
  assert.match(text, /By hand\r\n\r\n## Answers\r\n[^]*> yes\r\n> no\r\n\r\n## Evidence\r\n\r\n- /);
  const fence = "```\n## Answers\n### forged\n```\n";
  assert.deepEqual(answersApart(fence), { rest: fence, answers: [] });
});

Deno.test("a question is bounded, and none of its characters moves a terminal", () => {
  const long = boundedQuestion({
    asked: `a\u202e\x1b[2J${"b".repeat(5000)}`,
    choices: ["", " \n", "x\ny".repeat(500), ...Array.from({ length: 20 }, (_, at) => `c${at}`)],
    why: "w".repeat(5000),
  });
  assert.match(long.asked, /^ab{999}…$/);
  assert.equal(long.why.length, 1001);
  assert.deepEqual([long.choices.length, long.choices[0]!.length, long.choices[1]], [8, 201, "c0"]);
  assert.equal(questionLine({ asked: "Which\none?", choices: [], why: "" }), "Which one?");
  assert.equal(
    questionLine({ asked: "Which?", choices: ["a", "b"], why: "so" }),
    "Which? (1: a, 2: b; why: so)",
  );
});

Deno.test("of two answers that are given at once one counts, and the other is told so", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  using other = await checkoutAt(repo.path);
  await createTickets(checkout, [draft("One")], BY);
  await asking(repo, checkout);
  const given = [[checkout, "red"], [other, "blue"]] as const;
  const ends = await Promise.allSettled(
    given.map(([at, text]) => answerTicket(at, ID, { ...BY, text })),
  );
  const refused = ends.flatMap((end) => end.status === "rejected" ? [end.reason.message] : []);
  assert.deepEqual(refused, [
    `Cannot answer ${ID}: its question is answered already, and it is backlog`,
  ]);
});
