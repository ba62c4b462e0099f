/** A process that is stopped for longer than its lease, while another one takes its job over. */
import assert from "node:assert/strict";
import { readTrace } from "svc/features/agent/trace.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { decisionsOfJob } from "svc/features/routing/decision_store.ts";
import {
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
  ticketsOf,
  watchedEngine,
} from "tests/unit/runtime/engine_place.ts";
import { TEAM } from "tests/unit/runtime/team.ts";

const TIMES = { leaseMs: 1500, heartbeatMs: 300, watchMs: 200, settleMs: 100 };

Deno.test("the result of a worker that stood still is refused, and leaves no trace", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint(TEAM);
  const id = await registered(ports, repo.path);
  const job = await queued(ports, id, "engineer", await ticketed(ports, repo.path));
  const order = { base: base.path, endpoint: endpoint.url, times: TIMES };
  const old = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-all", "--no-check", "--quiet"],
      new URL("chaos/engine_program.ts", import.meta.url).href,
      JSON.stringify(order),
    ],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  await endpoint.asked(2);
  old.kill("SIGSTOP");
  const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url, times: TIMES });
  await seen((event) => event.kind === "rescued" && event.job.id === job.id);
  await seen((event) => event.kind === "ended" && event.job.role === "qa");
  old.kill("SIGCONT");
  assert.equal((await old.status).code, 0);
  await engine.idle();
  await engine.stop();
  assert.deepEqual(await jobLines(ports), [
    "engineer T-0001 completed submitted",
    "qa T-0001 completed approved",
    "orchestrator - completed no_work",
  ]);
  assert.equal((await decisionsOfJob(ports.db, job.id)).length, 1);
  const [ended] = await ports.db.selectFrom("jobs").selectAll().where("id", "=", job.id).execute();
  assert.deepEqual([ended!.attempt, ended!.generation, ended!.crashes], [2, 2, 0]);
  const trace = readTrace(await Deno.readTextFile(ended!.trace_path!));
  const ends = trace.filter(({ kind }) => kind === "ended");
  assert.deepEqual(ends.map(({ disposition }) => disposition), ["submitted"]);
  assert.deepEqual(
    (await ticketsOf(ports, repo.path)).map(({ state, attempts }) => [state, attempts]),
    [["done", 0]],
  );
  const merges = await repo.git("log", "--merges", "--first-parent", "--format=%s");
  assert.equal(merges.trim().split("\n").length, 1);
  assert.equal(await repo.git("status", "--porcelain"), "");
});
