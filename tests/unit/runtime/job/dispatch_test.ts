/** Who chooses the next ticket: svc in `dispatch.mode: routed`, the role in `orchestrator`, over real HTTP. */
import assert from "node:assert/strict";
import { findDecisions } from "svc/features/routing/decision_store.ts";
import { dispatchOrder } from "svc/runtime/job/team.ts";
import { queueJob } from "svc/features/jobs/order_job.ts";
import { modelEndpoint, type Scenario } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
  ticketsOf,
} from "tests/unit/runtime/engine_place.ts";
import { ENGINEER, ORCHESTRATOR, QA } from "tests/unit/runtime/team.ts";

const asRouted = (text: string) => text;
const byRole = (text: string) => text.replace("  mode: routed\n", "  mode: orchestrator\n");

async function play(manifest: (text: string) => string, scenario: Scenario, trigger?: "manual") {
  await using repo = await harnessedRepo({ manifest });
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint(scenario);
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path, { priority: "p2" });
  await ticketed(ports, repo.path, { title: "Say more", depends_on: ["T-0001"] });
  if (trigger === undefined) {
    const order = dispatchOrder({ id, manifest: undefined }, "orchestrator");
    await queueJob(ports.db, order, { now: ports.clock.now(), profile: "host" });
  } else await queued(ports, id, "orchestrator");
  await carryOut(ports, endpoint.url);
  const jobs = await ports.db.selectFrom("jobs").selectAll().where("role", "=", "orchestrator")
    .orderBy("id").execute();
  const asked = endpoint.requests.filter(({ request }) =>
    request.messages[0]!.content.startsWith("# Role: orchestrator")
  );
  const [decision] = await findDecisions(ports.db, jobs[0]!.id);
  const tickets = await ticketsOf(ports, repo.path);
  return { jobs, asked, decision: decision!, lines: await jobLines(ports), tickets };
}

Deno.test("svc hands out tickets itself: no model is asked, and the decision says why", async () => {
  // The endpoint refuses a role that it has no steps for.
  const { jobs, asked, decision, lines, tickets } = await play(asRouted, {
    roles: { engineer: ENGINEER, qa: QA },
  });
  assert.deepEqual(lines.filter((line) => !line.startsWith("engineer T-0002")).slice(0, 4), [
    "orchestrator - completed routed",
    "engineer T-0001 completed submitted",
    "qa T-0001 completed approved",
    "orchestrator - completed routed",
  ]);
  assert.ok(lines.some((line) => line.startsWith("engineer T-0002")), "what waited comes next");
  assert.equal(tickets[0]!.state, "done");
  assert.equal(asked.length, 0);
  assert.deepEqual(
    jobs.map(({ turns, tokens_in, model }) => [turns, tokens_in, model])[0],
    [0, 0, null],
  );
  assert.equal(decision.rule, "roles.orchestrator.routes.routed");
  assert.deepEqual([decision.next_role, decision.refused], ["engineer", "[]"]);
  assert.match(
    JSON.parse(decision.inputs).evidence,
    /^T-0001: p2, the only one that can be started; T-0002 waits for T-0001 \(backlog\)$/,
  );
});

Deno.test("where the manifest names the orchestrator, the role chooses", async () => {
  const roles = { orchestrator: ORCHESTRATOR, engineer: ENGINEER, qa: QA };
  const { jobs, asked } = await play(byRole, { roles });
  assert.ok(asked.length >= 2);
  assert.equal(jobs[0]!.model, "fixture-model");
});

Deno.test("a person who runs the orchestrator gets the role", async () => {
  const roles = { orchestrator: ORCHESTRATOR, engineer: ENGINEER, qa: QA };
  const { jobs, asked } = await play(asRouted, { roles }, "manual");
  assert.equal(asked.length, 2);
  assert.deepEqual(jobs.map(({ turns }) => turns), [2, ...jobs.slice(1).map(() => 0)]);
});
