import assert from "node:assert/strict";
import { finish, finishFor } from "svc/features/tools/finish.ts";
import { knowledgeRead } from "svc/features/tools/knowledge_read.ts";
import { recordDecision } from "svc/features/tools/record_decision.ts";
import { ticketCreate } from "svc/features/tools/ticket_create.ts";
import { ticketList } from "svc/features/tools/ticket_list.ts";
import { ticketRead } from "svc/features/tools/ticket_read.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { toolPlace } from "tests/kit/tool_place.ts";
import { manifest, site } from "./session_site.ts";

const wish = (title: string, more: Record<string, unknown> = {}) => ({
  ...{ title, type: "bug", context: "seen in a.ts:1", acceptance: ["make test passes"] },
  ...more,
});

Deno.test("ticket_create writes a ticket once, as the role, without secrets", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using tools = await site(repo, { role: "ceo" });
  const first = await tools.call(
    ticketCreate,
    wish("Refuse an empty name", { context: "hush-hush" }),
  );
  assert.deepEqual(first.facts, { id: "T-0001", created: true });
  const again = await tools.call(ticketCreate, wish("refuse an EMPTY name!"));
  assert.deepEqual(again.facts, { id: "T-0001", created: false });
  assert.match(again.text, /^T-0001 says this already/);
  const text = (await tools.call(ticketRead, { id: "1" })).text;
  assert.match(text, /^state: backlog \(docs\/tickets\/backlog\/T-0001-refuse-an-empty-name\.md\)/);
  assert.match(text, /source: "agent:ceo"/);
  assert.match(text, /\[redacted\]/);
  assert.doesNotMatch(text, /hush-hush/);
  assert.equal(
    (await repo.git("log", "-1", "--format=%s")).trim(),
    "chore(tickets): create T-0001",
  );
});

Deno.test("ticket_create names the roles there are, and fails for unknown dependencies", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using tools = await site(repo, { manifest: manifest() });
  const wrong = await tools.call(ticketCreate, wish("One", { role: "wizard" }));
  assert.deepEqual([wrong.ok, wrong.text.includes("engineer")], [false, true]);
  await assert.rejects(tools.call(ticketCreate, wish("Two", { depends_on: ["T-0009"] })), /T-0009/);
  assert.match((await tools.call(ticketList)).text, /^No ticket/);
});

Deno.test("ticket_list orders by urgency and leaves out what is done", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using tools = await site(repo);
  await tools.call(ticketCreate, wish("Later", { priority: "p3" }));
  await tools.call(ticketCreate, wish("Now", { priority: "p0", depends_on: ["T-0001"] }));
  const lines = (await tools.call(ticketList)).text.split("\n");
  assert.equal(lines[0], "T-0002 backlog p0 bug engineer: Now · depends on T-0001");
  assert.equal(lines[1], "T-0001 backlog p3 bug engineer: Later");
  assert.match((await tools.call(ticketList, { state: "done" })).text, /^No ticket in done/);
  await assert.rejects(tools.call(ticketRead, { id: "T-0042" }), /Cannot find ticket/);
});

Deno.test("record_decision numbers records on, and never writes over one", async () => {
  await using repo = await tempRepo({
    files: { "docs/decisions/0007-old.md": "# 7\n" },
    commit: true,
  });
  await using tools = await site(repo, { ticket: "T-0003" });
  const decision = {
    title: "Use SQLite: one file",
    context: "# Not a title\nhush-hush",
    decision: "SQLite",
    consequences: "No server",
  };
  const { facts } = await tools.call(recordDecision, decision);
  assert.equal(facts?.["path"], "docs/decisions/0008-use-sqlite-one-file.md");
  const text = await repo.read("docs/decisions/0008-use-sqlite-one-file.md");
  assert.match(
    text,
    /^# 0008 Use SQLite: one file\n\n## Status\n\nAccepted, \d{4}-\d\d-\d\d \(engineer, T-0003\)\n/,
  );
  assert.deepEqual(text.match(/^## .*$/gm), [
    "## Status",
    "## Context",
    "## Decision",
    "## Consequences",
  ]);
  assert.match(text, /^\\# Not a title\n\[redacted\]$/m);
  const next = await tools.call(recordDecision, { ...decision, status: "proposed" });
  assert.equal(next.facts?.["path"], "docs/decisions/0009-use-sqlite-one-file.md");
  assert.equal(await repo.read("docs/decisions/0007-old.md"), "# 7\n");
});

Deno.test("record_decision commits with the title, in whatever script it is", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using tools = await site(repo);
  const more = { context: "x", decision: "x", consequences: "x" };
  const { facts } = await tools.call(recordDecision, { title: "署名を\n検証する", ...more });
  assert.equal(facts?.["path"], "docs/decisions/0001.md");
  const subject = async () => (await repo.git("log", "-1", "--format=%s")).trim();
  assert.equal(await subject(), "docs(decisions): 0001 署名を 検証する");
  const second = await tools.call(recordDecision, { title: "Sign with hush-hush", ...more });
  assert.equal(second.facts?.["path"], "docs/decisions/0002-sign-with-redacted.md");
  assert.equal(await subject(), "docs(decisions): 0002 Sign with [redacted]");
});

Deno.test("record_decision follows no link", async () => {
  await using repo = await tempRepo({ files: { a: "1\n", "docs/x": "1\n" }, commit: true });
  await using outside = await tempRepo();
  await Deno.symlink(outside.path, `${repo.path}/docs/decisions`);
  await using tools = await site(repo);
  const decision = { title: "x", context: "x", decision: "x", consequences: "x" };
  await assert.rejects(tools.call(recordDecision, decision), { name: "Failure", code: "refused" });
  assert.deepEqual([...Deno.readDirSync(outside.path)].map(({ name }) => name), [".git"]);
});

const ROUTES = `version: 1
routes:
  - match: ["**"]
    read: [AGENTS.md]
  - match: ["src/db/**"]
    read: [docs/db.md, docs/gone.md, .git/config]
`;

Deno.test("knowledge_read gives the documents for a path or a topic, within the repo", async () => {
  await using repo = await tempRepo({
    files: {
      ".harness/knowledge/routes.yaml": ROUTES,
      "AGENTS.md": "Build with make\n",
      "docs/db.md": "Migrations are ordered\n",
    },
    commit: true,
  });
  await using tools = await site(repo);
  assert.match((await tools.call(knowledgeRead)).text, /src\/db\/\*\*: docs\/db\.md/);
  const forPath = (await tools.call(knowledgeRead, { path: "src/db/open.ts" })).text;
  assert.match(forPath, /=== AGENTS\.md\nBuild with make\n\n=== docs\/db\.md\nMigrations/);
  assert.match(forPath, /=== docs\/gone\.md: Cannot read/);
  assert.match(forPath, /=== \.git\/config: Cannot read/);
  const about = await tools.call(knowledgeRead, { topic: "ORDERED migrations" });
  assert.deepEqual(about.facts?.["documents"], ["docs/db.md"]);
  assert.match((await tools.call(knowledgeRead, { topic: "no such" })).text, /^No document fits/);
  await repo.write(".harness/knowledge/routes.yaml", "version: 1\nroutes: [{match: 7}]\n");
  await assert.rejects(tools.call(knowledgeRead), /line 2/);
});

Deno.test("knowledge_read says where else to look in a repo without routes", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using tools = await site(repo);
  assert.match((await tools.call(knowledgeRead)).text, /Look with file_list and grep/);
});

Deno.test("finish takes the dispositions of the session, and evidence", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using tools = await site(repo);
  const answer = await tools.call(finish, {
    disposition: "submitted",
    evidence: "tests pass",
    ticket: "7",
  });
  assert.deepEqual(answer.facts, {
    disposition: "submitted",
    evidence: "tests pass",
    ticket: "T-0007",
  });
  const own = finishFor({ dispositions: ["approved", "blocked"] });
  assert.equal(own.args.safeParse({ disposition: "submitted", evidence: "x" }).success, false);
  assert.equal(own.args.safeParse({ disposition: "approved", evidence: " " }).success, false);
});

Deno.test("finish asks a person, however the question is said, and submits nothing by it", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using tools = await site(repo);
  const asks = finishFor({ dispositions: ["submitted", "blocked"], asks: true });
  const facts = async (args: Record<string, unknown>) => (await tools.call(asks, args)).facts;
  const question = { asked: "Which?", choices: ["a", "b"], why: "so" };
  const whole = { evidence: "so", question: "Which?", choices: ["a", "b"] };
  const asked = {
    disposition: "blocked",
    evidence: "asks: Which? (1: a, 2: b; why: so)",
    question,
  };
  assert.deepEqual(await facts({ disposition: "question", ...whole }), asked);
  assert.deepEqual(await facts({ disposition: "blocked", ...whole }), asked);
  for (const more of [{}, { question: " " }, { question: "Which?" }]) {
    const { question: only } =
      (await facts({ disposition: "question", evidence: "Which?", ...more }))!;
    assert.deepEqual(only, { asked: "Which?", choices: [], why: "" });
  }
  const own = finishFor({ dispositions: ["blocked"] });
  assert.equal(own.args.safeParse({ disposition: "question", evidence: "x" }).success, false);
  assert.equal(own.args.safeParse({ disposition: "blocked", ...whole }).success, false);
});

Deno.test("finish routes to a ticket that waits in the backlog alone", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using tools = await site(repo);
  const routed = (evidence: string) => tools.call(finish, { disposition: "routed", evidence });
  assert.equal((await routed("the oldest")).ok, false);
  assert.match((await routed("T-0001: p1")).text, /^There is no ticket T-0001/);
  await tools.call(ticketCreate, wish("One"));
  assert.deepEqual((await routed("T-0001: p1")).facts?.["ticket"], "T-0001");
  await moveTicket(tools.session.repo, "T-0001", { to: "in-progress", actor: "test" });
  assert.match((await routed("T-0001: p1")).text, /is in in-progress, not in backlog/);
});

Deno.test("record_decision on a checkout is a commit of that file alone", async () => {
  await using at = await toolPlace({ files: { "a.txt": "one\n" } });
  await at.repo.write("a.txt", "mine, not committed\n");
  const asked = { title: "Use SQLite", context: "c", decision: "d", consequences: "e" };
  const { status, text, facts } = await at.call(recordDecision, asked);
  assert.equal(status, "ok", text);
  assert.equal(facts.path, "docs/decisions/0001-use-sqlite.md");
  assert.match(
    await at.repo.git("log", "-1", "--format=%B"),
    /^docs\(decisions\): 0001 Use SQLite\n/,
  );
  assert.match(await at.repo.git("log", "-1", "--format=%B"), /Svc-Role: engineer/);
  assert.equal(await at.repo.git("status", "--porcelain"), " M a.txt\n");
});
