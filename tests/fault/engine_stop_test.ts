/** Stopping an engine, and a service, whose jobs run programs that ignore TERM. */
import assert from "node:assert/strict";
import { runningJobs } from "svc/features/jobs/job_views.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { watchedEngine } from "tests/unit/runtime/engine_place.ts";
import { watchedService } from "tests/unit/runtime/service_place.ts";
import { type DeafJobs, deafJobs } from "./deaf_jobs.ts";

/** No process, no lease, no attempt used. */
async function nothingLeft(deaf: DeafJobs): Promise<void> {
  const jobs = await deaf.ports.db.selectFrom("jobs").selectAll().execute();
  assert.deepEqual(
    jobs.map(({ status, attempt, lease_owner }) => [status, attempt, lease_owner]),
    deaf.ids.map(() => ["pending", 0, null]),
  );
  assert.deepEqual(await deaf.left(), []);
}

Deno.test("a stop ends three jobs whose programs ignore TERM: nothing of them is left", async () => {
  await using base = await tempFolder();
  await using deaf = await deafJobs(base.path, 3);
  const { ports, modelEndpoint } = deaf;
  const { engine } = await deaf.begun(() =>
    watchedEngine(ports, { modelEndpoint, concurrency: 3 })
  );
  assert.equal((await runningJobs(ports.db)).length, 3);
  await engine.stop({ graceMs: 0 });
  await nothingLeft(deaf);
});

Deno.test("a service that is asked twice to stop leaves nothing of twenty such jobs", async () => {
  await using base = await tempFolder();
  await using deaf = await deafJobs(base.path, 20);
  const { ports, modelEndpoint } = deaf;
  const watched = await deaf.begun(() => watchedService(ports, { modelEndpoint, concurrency: 20 }));
  await using _watched = watched;
  const { service } = watched;
  assert.equal((await service.status()).running.length, 20);
  const first = service.stop();
  await service.stop();
  await first;
  await nothingLeft(deaf);
  assert.deepEqual(watched.states().slice(-2), ["stopping", "stopped"]);
});
