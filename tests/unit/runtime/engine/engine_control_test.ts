/** Pausing, stopping and repos in trouble, with a real engine. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { cancel } from "svc/features/jobs/job_store.ts";
import { eventsAfter } from "svc/features/telemetry/event_store.ts";
import { noBranch } from "svc/platform/git/remote_refs.ts";
import { RepoWatch } from "svc/runtime/engine/repo_watch.ts";
import { pauseClaims, resumeClaims } from "svc/runtime/service/status_event.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { toldOf } from "tests/kit/queued_events.ts";
import { verifies } from "tests/kit/verifies.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
  watchedEngine,
} from "tests/unit/runtime/engine_place.ts";
import { remotePorts } from "tests/unit/platform/remote_ports.ts";
import { finish, ORCHESTRATOR, TEAM, turns } from "tests/unit/runtime/team.ts";

verifies(
  [
    "3.1:worker-claim:closed-list",
    "3.2:pause:running-jobs-finish",
  ],
  "a paused engine lets the running job end, claims none, and goes on when it is resumed",
  async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    await using endpoint = modelEndpoint(TEAM);
    const id = await registered(ports, repo.path);
    await ticketed(ports, repo.path);
    await queued(ports, id, "orchestrator");
    const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url });
    await endpoint.asked(1);
    assert.equal(engine.state().claims, "claiming");
    assert.equal(engine.state().running[0]!.role, "orchestrator");
    await engine.pause("a person looks at it");
    assert.deepEqual([engine.state().claims, engine.state().reason], [
      "paused",
      "a person looks at it",
    ]);
    await seen(({ kind }) => kind === "ended");
    await engine.idle();
    assert.deepEqual(await jobLines(ports), [
      "orchestrator - completed routed",
      "engineer T-0001 pending -",
    ]);
    await engine.resume();
    assert.equal(engine.state().claims, "claiming");
    await seen((event) => event.kind === "ended" && event.job.role === "qa");
    await engine.idle();
    await engine.stop();
    assert.equal(engine.state().condition, "stopped");
    const told = (await eventsAfter(ports.db, 0, 1000))
      .filter(({ type }) => type === "status_change").map(({ data }) => JSON.parse(data).claims);
    assert.deepEqual(told, ["paused", "claiming"]);
  },
);

Deno.test("an engine with one worker says that it claims again once another process has resumed", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({ roles: { orchestrator: turns(finish("no_work")) } });
  const id = await registered(ports, repo.path);
  const { engine, seen } = watchedEngine(ports, {
    ...{ modelEndpoint: endpoint.url, concurrency: 1 },
  });
  await engine.begun;
  await pauseClaims(ports.db, "a person looks at it", Date.now());
  engine.wake();
  await engine.idle();
  assert.equal(engine.state().claims, "paused");
  await queued(ports, id, "orchestrator");
  await resumeClaims(ports.db, Date.now());
  engine.wake();
  await seen(({ kind }) => kind === "claimed");
  assert.deepEqual([engine.state().claims, engine.state().reason], ["claiming", undefined]);
  await engine.stop();
});

Deno.test("a repo that is gone, and one with a bad manifest, do not stop the others", async () => {
  await using good = await harnessedRepo();
  await using bad = await harnessedRepo({ manifest: (text) => `${text}\nroles: 7\n` });
  const gone = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({ roles: { orchestrator: ORCHESTRATOR } });
  for (const { path } of [gone, bad, good]) {
    await queued(ports, await registered(ports, path), "orchestrator");
  }
  await gone[Symbol.asyncDispose]();
  const { engine } = watchedEngine(ports, { modelEndpoint: endpoint.url });
  await engine.idle();
  assert.deepEqual(await jobLines(ports), [
    "orchestrator - pending -",
    "orchestrator - pending -",
    "orchestrator - completed no_work",
  ]);
  const jobs = await ports.db.selectFrom("jobs").selectAll().orderBy("created_at").orderBy("id")
    .execute();
  assert.match(jobs[0]!.reason!, /^nothing can be done in its repo now: Cannot /);
  assert.match(jobs[1]!.reason!, /manifest/);
  assert.deepEqual(jobs.map(({ attempt }) => attempt), [0, 0, 1]);
  const { problems } = engine.state();
  assert.deepEqual(problems.map(({ repo }) => repo).sort(), [gone.path, bad.path].sort());
  await engine.stop();
});

Deno.test("what a remote lacks is told with its way out", async () => {
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const url = "https://git.example/ada/shop.git";
  const remotes = remotePorts(base.path);
  const lacking = { ...remotes, clone: () => Promise.reject(noBranch("fetch", url, "main")) };
  const row = {
    ...{ id: "0".repeat(12), path: base.path, url, branch: "main", created_at: 0, updated_at: 0 },
    ...{ remote: null, host: null, node_id: null },
  };
  const signal = new AbortController().signal;
  const told: (string | undefined)[] = [];
  const watch = new RepoWatch(
    { ports: { ...ports, remotes: lacking }, repos: () => Promise.resolve([row]) },
    (_, problem) => told.push(problem),
  );
  await watch.ready(row, signal);
  const way = `svc register --url ${url} --branch <branch> --db …`;
  assert.match(told[0]!, /^Cannot fetch: it has no branch "main"; Push that branch, or register/);
  assert.ok(told[0]!.endsWith(way), told[0]);
});

Deno.test("a folder that is registered while svc runs is looked at in the next round, and its fault is told once", async () => {
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const row = (id: string, url: string | null) => ({
    ...{ id, path: `${base.path}/${id}`, url, branch: "main", created_at: 0, updated_at: 0 },
    ...{ remote: null, host: null, node_id: null },
  });
  const signal = new AbortController().signal;
  const told: string[] = [];
  const watch = new RepoWatch(
    { ports, repos: () => Promise.resolve([]) },
    (root, problem) => told.push(`${root.slice(base.path.length)} ${problem}`),
  );
  const first = row("first", null);
  await watch.greet([first], signal);
  assert.deepEqual(told, [], "what was there at the start is looked at by whoever works in it");
  const rows = [first, row("later", null), row("shared", "https://git.example/ada/shop.git")];
  for (let round = 0; round < 2; round++) await watch.greet(rows, signal);
  assert.equal(told.length, 1);
  assert.match(told[0]!, /^\/later Cannot open the repo ".*\/later": no such folder/);
  assert.deepEqual(watch.problems.map(({ repo }) => repo), [rows[1]!.path]);
  await watch.greet([first], signal);
  assert.deepEqual(watch.problems, [], "it is not registered any more");
});

Deno.test("the last good manifest counts while a new one is bad, and its fault is shown", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({ roles: { gardener: turns(finish("no_work")) } });
  const id = await registered(ports, repo.path);
  const { engine, seen, events } = watchedEngine(ports, { modelEndpoint: endpoint.url });
  await engine.begun;
  const good = await repo.read(".harness/manifest.yaml");
  // Renamed into its place: one that is half written has a fault of its own, which would be told too.
  const manifestIs = async (text: string) => {
    await Deno.writeTextFile(`${base.path}/manifest`, text);
    await Deno.rename(`${base.path}/manifest`, `${repo.path}/.harness/manifest.yaml`);
  };
  await manifestIs(`${good}\nroles: 7\n`);
  await queued(ports, id, "gardener");
  engine.wake();
  await seen(({ kind }) => kind === "ended");
  assert.deepEqual(await jobLines(ports), ["gardener - completed no_work"]);
  assert.match(engine.state().problems[0]!.why, /manifest/);
  await manifestIs(good);
  await queued(ports, id, "gardener");
  engine.wake();
  await seen((event) => event.kind === "repo" && event.problem === undefined);
  await engine.idle();
  assert.deepEqual(engine.state().problems, []);
  const told = events.filter(({ kind }) => kind === "repo");
  assert.equal(told.length, 2);
  await engine.stop();
});

Deno.test("a job waits while another branch is checked out, and uses no attempt", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({ roles: { orchestrator: ORCHESTRATOR } });
  await queued(ports, await registered(ports, repo.path), "orchestrator");
  await repo.git("switch", "--quiet", "--create", "mine");
  await carryOut(ports, endpoint.url);
  const [job] = await ports.db.selectFrom("jobs").selectAll().execute();
  assert.match(job!.reason!, /"main" to be checked out/);
  assert.deepEqual([job!.status, job!.attempt], ["pending", 0]);
});

Deno.test("a job of a role that the manifest does not name ends, and is not tried again", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({ steps: turns(finish("no_work")) });
  await queued(ports, await registered(ports, repo.path), "poet");
  await carryOut(ports, endpoint.url);
  assert.deepEqual(await jobLines(ports), ["poet - completed blocked"]);
});

for (const where of ["before the job has begun", "within the job"]) {
  Deno.test(`what fails within svc ${where} is tried again later, with the attempt counted`, async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    await using endpoint = modelEndpoint({ roles: { orchestrator: ORCHESTRATOR } });
    await queued(ports, await registered(ports, repo.path), "orchestrator");
    let opened: number | undefined;
    const fault = new Failure("internal", "Cannot open it");
    const folder: typeof ports.folder = (root) => {
      // After the claim: once to look at the repo, then for what ends with the job.
      if (where === "within the job" && opened !== undefined && ++opened === 2) throw fault;
      return ports.folder(root);
    };
    const write: typeof ports.log.write = (level, text, fields) => {
      if (where !== "within the job" && /^job .*: orchestrator$/.test(text)) throw fault;
      ports.log.write(level, text, fields);
    };
    const log = { ...ports.log, write };
    const { engine, seen } = watchedEngine({ ...ports, folder, log }, {
      modelEndpoint: endpoint.url,
      concurrency: 1,
    });
    await seen(({ kind }) => kind === "claimed").then(() => opened = 0);
    await engine.idle();
    await engine.stop();
    const [job] = await ports.db.selectFrom("jobs").selectAll().execute();
    assert.deepEqual([job!.status, job!.attempt, job!.category], ["pending", 1, "internal"]);
    assert.ok(job!.run_after > Date.now());
    const [last] = (await toldOf(ports.db, job!.id)).slice(-1);
    assert.deepEqual([last!.status, last!.reason], ["pending", job!.reason]);
  });
}

verifies(
  "3.2:stop:normal-cancellation",
  "stop gives back a job that does not end, with no attempt used",
  async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    await using endpoint = modelEndpoint({
      roles: { orchestrator: [{ bad: "hang", always: true }] },
    });
    await queued(ports, await registered(ports, repo.path), "orchestrator");
    const { engine, events } = watchedEngine(ports, { modelEndpoint: endpoint.url });
    await endpoint.asked(1);
    await engine.stop({ graceMs: 0 });
    await engine.done;
    await engine.stop();
    assert.deepEqual(await jobLines(ports), ["orchestrator - pending -"]);
    const [job] = await ports.db.selectFrom("jobs").selectAll().execute();
    assert.deepEqual([job!.attempt, job!.lease_owner], [0, null]);
    assert.deepEqual(events.slice(-3).map(({ kind }) => kind), [
      "stopping",
      "given_back",
      "stopped",
    ]);
  },
);

Deno.test("an engine that cannot tell who it is says so, and ends", async () => {
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const self = () => Promise.reject(new Failure("environment", "Cannot read /proc"));
  const broken = { ...ports, identities: { ...ports.identities, self } };
  const { engine } = watchedEngine(broken, { modelEndpoint: "http://127.0.0.1:9/v1" });
  await assert.rejects(engine.idle(), { code: "environment" });
  await assert.rejects(engine.done, { code: "environment" });
  await engine.stop();
  assert.equal(engine.state().condition, "stopped");
});

Deno.test("a job that runs learns by its heartbeat that a person cancelled it", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({
    roles: { orchestrator: [{ bad: "hang", always: true }] },
  });
  const job = await queued(ports, await registered(ports, repo.path), "orchestrator");
  const { engine, seen } = watchedEngine(ports, {
    modelEndpoint: endpoint.url,
    times: { heartbeatMs: 50 },
  });
  await endpoint.asked(1);
  await cancel(ports.db, job.id, "changed my mind", ports.clock.now());
  await seen(({ kind }) => kind === "ended");
  await engine.idle();
  await engine.stop();
  assert.deepEqual(await jobLines(ports), ["orchestrator - failed cancelled"]);
});
