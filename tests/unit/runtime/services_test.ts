/** Several services on one database, several repos of one service: nobody fights, and none stops the others. */
import assert from "node:assert/strict";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  reposIn,
} from "./engine_place.ts";
import { dataOf, watchedService } from "./service_place.ts";
import { verifies } from "tests/kit/verifies.ts";
import { CEO, finish, ORCHESTRATOR, turns } from "./team.ts";

/** There is nothing to start, which svc tells it; it says so again. */
const PLANS_NOTHING = turns(finish("planned"), finish("planned"));

const ROLES = { orchestrator: ORCHESTRATOR, ceo: CEO, gardener: turns(finish("no_work")) };

verifies(
  ["6:runtime-events:jobs"],
  "two services on one database claim each job once, fire a tick once, and hear each other",
  async () => {
    const manifest = (text: string) =>
      text.replace(
        "triggers: [{ on: bootstrap }",
        'triggers: [{ on: cron, schedule: "* * * * *" }, { on: bootstrap }',
      );
    await using repo = await harnessedRepo({ manifest });
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    await using others = await enginePorts(base.path);
    await using endpoint = modelEndpoint({ roles: { ...ROLES, ceo: PLANS_NOTHING } });
    const id = await registered(ports, repo.path);
    // As if it had been counted five minutes ago, when the last process went.
    const key = { repo_id: id, role: "ceo", schedule: "* * * * *" };
    const counted_to = Date.now() - 300_000;
    await ports.db.insertInto("schedules").values({ ...key, counted_to }).execute();
    for (const role of ["orchestrator", "gardener"]) await queued(ports, id, role);
    const both = [ports, others].map((one) =>
      watchedService(one, { modelEndpoint: endpoint.url, times: { feedMs: 20 } })
    );
    const [one, two] = both as [typeof both[0], typeof both[0]];
    const roles = ["ceo", "gardener", "orchestrator"];
    for (const watched of both) {
      await watched.stored((type, data) =>
        type === "job_update" && data.role === "ceo" && data.status === "pending"
      );
      for (const role of roles) {
        await watched.stored((type, data) =>
          type === "job_update" && data.role === role && data.status === "completed"
        );
      }
    }
    await Promise.all(both.map(({ service }) => service.stop()));
    const jobs = await ports.db.selectFrom("jobs").selectAll().execute();
    const ticks = jobs.filter(({ trigger }) => trigger === "cron");
    assert.equal(new Set(ticks.map(({ unique_key }) => unique_key)).size, ticks.length);
    assert.ok(ticks.length >= 1);
    for (const { generation, attempt, status } of jobs) {
      assert.deepEqual([generation, attempt, status], [1, 1, "completed"]);
    }
    const claims = both.flatMap(({ told }) => told.filter(({ kind }) => kind === "claimed"));
    assert.equal(claims.length, jobs.length);
    for (const { events } of [one, two]) {
      const ids = events.map((event) => event.id);
      assert.deepEqual(ids, [...new Set(ids)].sort((a, b) => a - b));
    }
    assert.ok(two.events.some((event) => dataOf(event).role === "ceo"));
  },
);

Deno.test("a bad manifest, a wrong schedule and a vanished folder are told, and stop nobody else", async () => {
  await using good = await harnessedRepo();
  await using bad = await harnessedRepo({ manifest: (text) => `${text}\nroles: 7\n` });
  const wrong = 'triggers: [{ on: cron, schedule: "61 * * * *" }, { on: bootstrap }';
  await using odd = await harnessedRepo({
    manifest: (text) => text.replace("triggers: [{ on: bootstrap }", wrong),
  });
  const gone = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({ roles: ROLES });
  for (const { path } of [gone, bad, odd, good]) {
    await queued(ports, await registered(ports, path), "orchestrator");
  }
  await gone[Symbol.asyncDispose]();
  await using watched = watchedService(ports, { modelEndpoint: endpoint.url });
  const { service } = watched;
  await watched.said((event) =>
    event.kind === "ended" && watched.told.filter(({ kind }) => kind === "ended").length === 2
  );
  const { repos, healthy } = await service.status();
  const problemOf = (path: string) => repos.find(({ root }) => root === path)!.problem;
  assert.equal(healthy, true);
  assert.equal(problemOf(good.path), undefined);
  assert.match(problemOf(bad.path)!, /manifest/);
  assert.match(problemOf(odd.path)!, /^roles\.ceo\.triggers\[0\]\.schedule: "61 \* \* \* \*"/);
  assert.match(problemOf(gone.path)!, /Cannot open/);
  const lines = await jobLines(ports);
  assert.deepEqual(lines.slice(0, 2), Array(2).fill("orchestrator - pending -"));
  assert.deepEqual(lines.slice(2, 4), Array(2).fill("orchestrator - completed no_work"));
});

Deno.test("a service of one repo leaves the jobs of others on its database alone", async () => {
  await using mine = await harnessedRepo();
  await using theirs = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({ roles: ROLES });
  const other = await queued(ports, await registered(ports, theirs.path), "orchestrator");
  const id = await registered(ports, mine.path);
  await queued(ports, id, "orchestrator");
  const repos = async () => (await reposIn(ports)()).filter((repo) => repo.id === id);
  await using watched = watchedService(ports, {
    modelEndpoint: endpoint.url,
    repos,
    shape: "start",
  });
  await watched.said(({ kind }) => kind === "ended");
  const { jobs, repos: shown } = await watched.service.status();
  assert.deepEqual([jobs.completed, jobs.pending, shown.length], [1, 0, 1]);
  await watched.service.stop();
  const [row] = await ports.db.selectFrom("jobs").selectAll().where("id", "=", other.id).execute();
  assert.deepEqual([row!.status, row!.generation, row!.run_after], [
    ...["pending", 0, other.run_after],
  ]);
});
