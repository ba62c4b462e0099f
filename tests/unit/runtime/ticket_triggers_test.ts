/** Jobs that wait for a ticket in a state, queued when a settlement moves it there. */
import assert from "node:assert/strict";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { queuedTold } from "tests/kit/queued_events.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  ticketed,
} from "./engine_place.ts";
import { finish, TEAM, turns } from "./team.ts";

Deno.test("a ticket that moves queues each role that waits for it once, and doubles no route", async () => {
  const manifest = (text: string) =>
    text
      // Its route comes first: it names the same job.
      .replace(/(\n {2}qa:[^]*?)triggers: \[/, "$1triggers: [{ on: ticket, state: review }, ")
      .replace(/(\n {2}gardener:[^]*?)triggers: \[/, "$1triggers: [{ on: ticket, state: done }, ");
  await using repo = await harnessedRepo({ manifest });
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const roles = { ...TEAM.roles, gardener: turns(finish("no_work")) };
  await using endpoint = modelEndpoint({ roles });
  const id = await registered(ports, repo.path);
  await queued(ports, id, "engineer", await ticketed(ports, repo.path));
  await carryOut(ports, endpoint.url);
  const jobs = await ports.db.selectFrom("jobs").selectAll().orderBy("id").execute();
  const lines = jobs.filter(({ ticket_id }) => ticket_id !== null)
    .map(({ role, trigger, status }) => `${role} ${trigger} ${status}`).sort();
  assert.deepEqual(lines, [
    ...["engineer manual completed", "gardener ticket completed", "qa route completed"],
  ]);
  assert.deepEqual(await queuedTold(ports.db), [
    ...["qa route", "orchestrator route", "gardener ticket"],
  ]);
});
