/** A living service that is paused, begun anew and stopped while it lives, with real repos and a scripted model. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import { minimalStatus } from "svc/runtime/views/status_view.ts";
import type { Db } from "svc/store/schema.ts";
import { modelEndpoint, type Step } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import {
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  type Taps,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { dataOf, type WatchedService, watchedService } from "tests/unit/runtime/service_place.ts";
import { ORCHESTRATOR, TEAM } from "tests/unit/runtime/team.ts";

const HANGS_ONCE: Step[] = [{ bad: "hang" }, ...ORCHESTRATOR];

/** A registered repo, and a service over it whose orchestrator hangs the first time it is asked. */
async function place(taps: Taps = {}, orchestrator: Step[] = HANGS_ONCE) {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const ports = parts.use(await enginePorts(base.path, taps));
  const endpoint = parts.use(modelEndpoint({ roles: { ...TEAM.roles, orchestrator } }));
  const id = await registered(ports, repo.path);
  let engines = 0;
  const start = () =>
    parts.use(watchedService(ports, {
      modelEndpoint: endpoint.url,
      times: { restartGraceMs: 0 },
      node: { name: "n", hold: () => undefined, watch: () => void engines++ },
    }));
  return { parts, repo, ports, endpoint, id, start, engines: () => engines };
}

const running = (watched: WatchedService) => watched.stored((_, { state }) => state === "running");
const ended = (watched: WatchedService) => watched.said(({ kind }) => kind === "ended");

verifies(
  [
    "3.2:pause:broadcasts-status-change",
    "3.2:resume:broadcasts-status-change",
    "6:status-change:on-control",
    "6:status-change:state-field",
  ],
  "a service that is paused claims no job, goes on when it is resumed, and tells each change",
  async () => {
    const { parts, repo, ports, id, start } = await place({}, ORCHESTRATOR);
    await using _parts = parts;
    await ticketed(ports, repo.path);
    await recordEvent(ports.db, { type: "telemetry", data: {} }, 1);
    const watched = start();
    const { service, stored } = watched;
    await running(watched);
    assert.equal((await service.feed.after(0, 1))[0]!.type, "status_change"); // the old one is gone
    await service.pause("a person looks at it");
    await queued(ports, id, "engineer", "T-0001");
    const paused = await service.status();
    assert.deepEqual([paused.claims, paused.reason], ["paused", "a person looks at it"]);
    assert.ok((await jobLines(ports)).includes("engineer T-0001 pending -"));
    await service.resume();
    await stored((type, { to }) => type === "ticket_update" && to === "done");
    await service.restart();
    const status = await service.status();
    assert.equal(status.repos[0]!.tickets.done, 1);
    assert.deepEqual([status.condition, status.healthy, status.jobs.failed], ["running", true, 0]);
    assert.ok(status.decisions.some(({ ticket }) => ticket === "T-0001"));
    await service.stop();
    await service.done;
    assert.deepEqual(watched.states(), [
      ...["running", "paused", "claiming", "restarting", "running", "stopping", "stopped"],
    ]);
    const last = await service.status();
    assert.deepEqual([last.condition, last.healthy], ["stopped", false]);
  },
);

verifies(
  ["3.2:restart:reloads-manifests-and-triggers"],
  "a warm restart gives running jobs back, reads manifests anew, and keeps who listens",
  async () => {
    const { parts, repo, ports, id, endpoint, start } = await place();
    await using _parts = parts;
    const good = await repo.read(MANIFEST_PATH);
    await queued(ports, id, "orchestrator");
    const watched = start();
    const { service, said } = watched;
    await endpoint.asked(1);
    await repo.write(MANIFEST_PATH, `${good}\nroles: 7\n`);
    const first = service.restart();
    await Promise.all([first, service.restart()]);
    // Once by the loops that ended, once by the next ones, whose manifest is bad.
    await said((event) => event.kind === "given_back" && /^nothing can/.test(event.reason));
    assert.match((await service.status()).repos[0]!.problem!, /manifest/);
    assert.deepEqual(await jobLines(ports), ["orchestrator - pending -"]);
    const cron = "triggers: [{ on: cron, schedule: '0 6 1 1 *', time_zone: UTC },";
    await repo.write(MANIFEST_PATH, good.replace("triggers: [", cron));
    await ports.db.updateTable("jobs").set({ run_after: Date.now() }).execute();
    await service.restart();
    await ended(watched);
    const [status] = (await service.status()).repos;
    assert.equal(status!.problem, undefined);
    assert.ok(status!.next.some(({ why }) => why === 'cron "0 6 1 1 *" (UTC)'));
    const [job] = await ports.db.selectFrom("jobs").selectAll().execute();
    assert.deepEqual([job!.status, job!.attempt], ["completed", 1]);
    const kinds = watched.told.map(({ kind }) => kind);
    assert.equal(kinds.filter((kind) => kind === "restarting").length, 2);
    assert.ok(!kinds.includes("stopped"));
  },
);

verifies(
  ["4.3:emergency-stop:runs-callbacks"],
  "an emergency stop ends the running job by itself, and no other is begun",
  async () => {
    const { parts, ports, id, endpoint, start } = await place();
    await using _parts = parts;
    await queued(ports, id, "orchestrator");
    const { service } = start();
    await endpoint.asked(1);
    await service.emergencyStop();
    const { claims, running, reason } = await service.status();
    assert.deepEqual([claims, reason, running.length], ["paused", "emergency stop", 0]);
    assert.deepEqual(await jobLines(ports), ["orchestrator - pending -"]);
    await service.stop();
  },
);

Deno.test("an emergency stop ends what runs, holds claims for every process, and stays up", async () => {
  const { parts, ports, id, endpoint, start } = await place();
  await using _parts = parts;
  await queued(ports, id, "orchestrator");
  const watched = start();
  const { service } = watched;
  await endpoint.asked(1);
  await service.pause("a person looks at it");
  await Promise.all([service.emergencyStop(), service.emergencyStop(), service.restart()]);
  const claims = await claimState(ports.db);
  assert.equal(claims.paused && claims.reason, "emergency stop");
  assert.deepEqual(await jobLines(ports), ["orchestrator - pending -"]);
  const status = await service.status();
  assert.deepEqual([status.claims, status.running.length], ["paused", 0]);
  await service.resume();
  await ended(watched);
  assert.deepEqual(await jobLines(ports), ["orchestrator - completed no_work"]);
  const [job] = await ports.db.selectFrom("jobs").selectAll().execute();
  assert.equal(job!.attempt, 1);
  assert.ok(watched.states().includes("emergency_stop"));
});

verifies(
  ["6:status-change:state-field"],
  "whoever follows the states is told that a service runs again, and still claims nothing",
  async () => {
    const { parts, start } = await place({}, ORCHESTRATOR);
    await using _parts = parts;
    const watched = start();
    const { service, stored } = watched;
    const runs = (wanted: string) =>
      stored((_, { state, claims }) => state === "running" && claims === wanted);
    await runs("claiming");
    await service.emergencyStop();
    const { reason } = dataOf(await runs("paused"));
    assert.equal(reason, "emergency stop");
    assert.deepEqual(watched.states(), ["running", "emergency_stop", "running"]);
  },
);

/** A database in which no transaction can be begun while `broken` says so. */
function fragile(real: Db, broken: () => boolean): Db {
  return new Proxy(real, {
    get(target, name) {
      if (name === "transaction" && broken()) throw new Failure("environment", "Cannot write");
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

Deno.test("an emergency stop that cannot be stored ends what runs, and begins nothing", async () => {
  let broken = false;
  const { parts, ports, id, endpoint, start, engines } = await place({
    db: (real) => fragile(real, () => broken),
  });
  await using _parts = parts;
  await queued(ports, id, "orchestrator");
  const watched = start();
  const { service } = watched;
  await endpoint.asked(1);
  broken = true;
  await assert.rejects(service.emergencyStop(), { code: "environment" });
  broken = false;
  assert.deepEqual(await jobLines(ports), ["orchestrator - pending -"]);
  const status = await service.status();
  assert.deepEqual([status.condition, status.claims], ["running", "paused"]);
  assert.match(status.reason!, /emergency stop/);
  await Promise.all([service.resume(), service.resume()]);
  assert.equal(engines(), 2, "a second click begins no second engine");
  await ended(watched);
  assert.deepEqual(await jobLines(ports), ["orchestrator - completed no_work"]);
});

Deno.test("a stop in the middle of a restart wins, and what comes later is refused", async () => {
  const { parts, ports, id, endpoint, start } = await place();
  await using _parts = parts;
  await queued(ports, id, "orchestrator");
  const watched = start();
  const { service, told } = watched;
  await endpoint.asked(1);
  const restarting = assert.rejects(service.restart(), { code: "conflict" });
  const stopping = service.stop();
  await Promise.all([restarting, stopping, service.stop(), service.emergencyStop()]);
  await service.done;
  await assert.rejects(service.restart(), { code: "conflict" });
  assert.deepEqual(await jobLines(ports), ["orchestrator - pending -"]);
  assert.deepEqual(told.slice(-1).map(({ kind }) => kind), ["stopped"]);
  assert.deepEqual(watched.states().slice(-1), ["stopped"]);
});

Deno.test("an emergency stop in the middle of a stop hurries it, and holds claims all the same", async () => {
  const { parts, ports, id, endpoint, start } = await place();
  await using _parts = parts;
  await queued(ports, id, "orchestrator");
  const watched = start();
  const { service } = watched;
  await endpoint.asked(1);
  const stopping = service.stop({ graceMs: 600_000 });
  await service.emergencyStop();
  await stopping;
  const claims = await claimState(ports.db);
  assert.equal(claims.paused && claims.reason, "emergency stop");
  assert.deepEqual(await jobLines(ports), ["orchestrator - pending -"]);
  assert.deepEqual(watched.states().slice(-3), ["stopping", "emergency_stop", "stopped"]);
});

Deno.test("a service that is stopped before it began ends, and one that cannot begin says so", async () => {
  const { parts, ports, start } = await place();
  await using _parts = parts;
  const { service } = start();
  await service.stop();
  await service.done;
  const self = () => Promise.reject(new Failure("environment", "Cannot read /proc"));
  const broken = { ...ports, identities: { ...ports.identities, self } };
  await using other = watchedService(broken, { modelEndpoint: "http://127.0.0.1:9/v1" });
  await assert.rejects(other.service.done, { code: "environment" });
  assert.deepEqual((await other.service.status()).healthy, false);
});

verifies(
  ["6:status-change:on-worker-change"],
  "what svc does with its claims by itself is told as a person's doing is",
  async () => {
    const { parts, ports } = await place();
    await using _parts = parts;
    const narrow = { ...ports, diskFree: () => Promise.resolve(1) };
    await using watched = watchedService(narrow, { modelEndpoint: "http://127.0.0.1:9/v1" });
    await watched.stored((type, { state }) => type === "status_change" && state === "running");
    const event = await watched.stored((_, { state }) => state === "paused");
    assert.match(event.data, /work trees has 0 MiB left/);
  },
);

verifies(
  ["3.2:scan:emits-scan-complete", "3.2:scan:stale-ticket-hygiene"],
  "a scan writes tickets once, names stale ones, and has them looked at",
  async () => {
    const { parts, repo, id, start } = await place();
    await using _parts = parts;
    const watched = start();
    const { service, stored } = watched;
    await running(watched);
    await repo.commit("old work", { "docs/tickets/in-progress/T-0007-old.md": OLD });
    const [first, twin] = await Promise.all([service.scan(id), service.scan(id)]);
    assert.deepEqual(twin, first);
    const { created, deduplicated, stale, findings } = first;
    assert.ok(created > 0 && findings >= created, JSON.stringify(first));
    assert.deepEqual([deduplicated, stale], [0, 1]);
    const event = await stored((type) => type === "scan_complete");
    const { scan: _, ...data } = JSON.parse(event.data);
    assert.deepEqual(data, first);
    await stored((type, { ticket_id, to }) =>
      type === "ticket_update" && ticket_id === "T-0007" && to === "backlog"
    );
    const second = await service.scan(id);
    assert.deepEqual([second.created, second.deduplicated > 0], [0, true]);
    await assert.rejects(service.scan("0123456789ab"), { code: "not_found" });
  },
);

const OLD = `---
id: T-0007
title: Old work
type: bug
priority: p2
role: engineer
source: human
created: 2026-01-01T00:00:00Z
updated: 2026-01-01T00:00:00Z
depends_on: []
rework: 0
attempts: 0
branch: svc/T-0007-old
---

## Context

Nobody works on it.
`;

Deno.test("a clock that is set while a service lives does not change how long it has", async () => {
  let ahead = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  const { parts, start } = await place({ clock }, ORCHESTRATOR);
  await using _parts = parts;
  const { service } = start();
  for (const days of [-1, 400]) {
    ahead = days * 86_400_000;
    const { uptime_secs } = minimalStatus(await service.glance(), clock.now());
    assert.ok(uptime_secs < 600, `${uptime_secs} s`);
    assert.ok((await service.status()).startedAt <= clock.now());
  }
  ahead = 0;
});
