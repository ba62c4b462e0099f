/** A job that fails before it has its ticket, which stays in the backlog. */
import assert from "node:assert/strict";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
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

Deno.test("while a person edits the model overrides, a ticket waits and is not handed out without end", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint(TEAM);
  const id = await registered(ports, repo.path);
  const job = await queued(ports, id, "engineer", await ticketed(ports, repo.path));
  await repo.write(".harness/model-overrides.yaml", "roles: [\n");
  const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url });
  const first = await seen(({ kind }) => kind === "ended" || kind === "given_back");
  assert.match(JSON.stringify(first), /"given_back".*Cannot read .*model-overrides\.yaml/);
  assert.deepEqual(await jobLines(ports), ["engineer T-0001 pending -"]);
  assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "backlog");
  assert.equal(endpoint.requests.length, 0);
  await Deno.remove(`${repo.path}/.harness/model-overrides.yaml`);
  await ports.db.updateTable("jobs").set({ run_after: 1 }).where("id", "=", job.id).execute();
  engine.wake();
  await seen((event) => event.kind === "ended" && event.job.role === "qa");
  await engine.idle();
  await engine.stop();
  assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "done");
});
