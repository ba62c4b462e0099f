/** A ticket that its role blocked is settled in the dashboard of a living `svc start`, and goes to done. */
import assert from "node:assert/strict";
import { Dashboard } from "demo/dashboard.ts";
import type { DecisionItem } from "svc/runtime/views/decision_item.ts";
import type { Card } from "svc/runtime/views/card.ts";
import type { Pipeline } from "svc/runtime/views/pipeline_view.ts";
import { HOST, runSite } from "tests/kit/run_site.ts";
import { said } from "tests/kit/scripted_turns.ts";
import { serving } from "tests/kit/service_site.ts";
import { until } from "tests/kit/until.ts";
import { call, CEO, finish, ORCHESTRATOR, QA, turns } from "tests/unit/runtime/team.ts";

const SECRET = "canary-of-the-control-secret-2b7d90aa41c6";
const WORD = "1 and 2 make 3: add them";

const ENGINEER = turns(
  (request) =>
    said(request).includes(WORD)
      ? call("file_edit", { path: "add.sh", old: "$1 - $2", new: "$1 + $2" })
      : finish("blocked", { evidence: "may it add?" }),
  call("git_commit", { message: "fix(add): add, not subtract" }),
  finish("submitted"),
);

Deno.test("a blocked ticket is unblocked over the API as its card says, once, and goes to done", async () => {
  await using site = await runSite({
    scenario: { roles: { ceo: CEO, orchestrator: ORCHESTRATOR, engineer: ENGINEER, qa: QA } },
  });
  const { repo: { path }, env, model } = site;
  await site.svc("tickets", "new", "--title", "Mend add");
  await using service = serving({
    ...{ cwd: path, env: { ...env, SVC_DASHBOARD_CONTROL_SECRET: SECRET } },
    args: [
      ...["start", "--json", "--model-endpoint", model.url, ...HOST],
      ...["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"],
    ],
  });
  const dashboard = new Dashboard((await service.first).dashboard_url);
  await dashboard.login(SECRET);
  let card: Card | undefined;
  await until(async () => {
    const { cards } = await dashboard.read<Pipeline>("/api/pipeline");
    card = cards.find(({ zone, ticket_id }) => zone === "needs_you" && ticket_id === "T-0001");
    return card !== undefined;
  }, () => "T-0001 that needs nobody");
  const [unblock] = card!.actions;
  assert.equal(unblock!.command, 'svc tickets unblock T-0001 --reason "…"');
  const listed = await site.svc("inbox", "--json");
  assert.deepEqual(
    listed.json().cards[0].actions.map(({ id }: { id: string }) => id),
    card!.actions.map(({ id }) => id),
  );
  const body = { ...unblock!.given, note: WORD, request: crypto.randomUUID() };
  const send = (more = {}) => dashboard.post(`/api/${unblock!.operation}`, { ...body, ...more });
  const [one, other] = await Promise.all([send(), send()]);
  const answers = [await one.json(), await other.json()];
  assert.deepEqual(answers.map(({ ok }) => ok), [true, true]);
  assert.equal(answers[0].decision_id, answers[1].decision_id);
  const late = await send({ request: crypto.randomUUID() });
  assert.equal(late.status, 409);
  assert.match(
    (await late.json()).error,
    /settled already: a person at the dashboard unblocked it/,
  );

  const done = () =>
    [...Deno.readDirSync(`${path}/docs/tickets/done`)].some(({ name }) =>
      name.startsWith("T-0001")
    );
  await until(done, () => "T-0001 that is not done");
  const { decisions } = await dashboard.read<{ decisions: DecisionItem[] }>(
    "/api/orchestration/decisions",
  );
  const decided = decisions.filter(({ rule }) => rule === "person");
  assert.deepEqual(decided.map(({ id, move }) => [id, move]), [
    [answers[0].decision_id, "blocked → backlog"],
  ]);
  const explained = await site.svc("explain", decided[0]!.id);
  assert.match(explained.stdout, /^rule: +person$/m);
  assert.match(explained.stdout, new RegExp(WORD));
  assert.match(
    await site.repo.git("log", "--format=%s", "-p"),
    /· a person at the dashboard · blocked → backlog: 1 and 2 make 3: add them ·/,
  );
  const undo = await dashboard.post("/api/undo-decision", { decision_id: decided[0]!.id });
  assert.equal(undo.status, 409, "its work is done");
  service.signal("SIGTERM");
  assert.equal((await service.ended).code, 0, (await service.ended).stderr);
});
