/** A role that searches and never finds, over real HTTP with the real tools. */
import assert from "node:assert/strict";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { call, turns } from "tests/unit/runtime/team.ts";

Deno.test("fifty different searches without a hit end as stuck, after the model was told", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const searches = Array.from(
    { length: 50 },
    (_, at) =>
      at % 2 === 0
        ? call("grep", { pattern: `no_such_word_${at}` })
        : call("glob", { pattern: `no_such_file_${at}` }),
  );
  await using endpoint = modelEndpoint({ roles: { engineer: turns(...searches) } });
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  const { id: first } = await queued(ports, id, "engineer", "T-0001");
  await carryOut(ports, endpoint.url);
  const job = await ports.db.selectFrom("jobs").selectAll().where("id", "=", first)
    .executeTakeFirstOrThrow();
  assert.deepEqual([job.disposition, job.category, job.turns], ["stuck", "stuck", 20]);
  assert.match(job.reason!, /^20 different searches in a row found nothing/);
  const told = endpoint.requests[10]!.request.messages.at(-1)!.content;
  assert.match(told, /10 different searches in a row found nothing[^]*finish as blocked/);
});
