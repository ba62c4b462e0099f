import assert from "node:assert/strict";
import { WakeUp } from "svc/features/jobs/wake_up.ts";
import { claimNext, finish } from "svc/features/jobs/job_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { fireDue, runScheduler, type SchedulerEvent } from "svc/runtime/service/scheduler.ts";
import { openStore } from "svc/store/open.ts";
import type { Db } from "svc/store/schema.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { HandClock, viewOf } from "tests/unit/runtime/trigger_kit.ts";

const CEO =
  `ceo: { prompt: p.md, triggers: [{ on: cron, schedule: "0 6 * * *", time_zone: UTC }] }`;
const VIEW = viewOf(CEO);

/** Two connections to one database, as two processes have them. */
async function place(now: string) {
  const parts = new AsyncDisposableStack();
  const folder = parts.use(await tempFolder());
  const open = async () => {
    const ports = { files: denoFiles(), clock: systemClock };
    return parts.use(await openStore(ports, `${folder.path}/svc.db`)).db;
  };
  const clock = new HandClock(now);
  const [db, other] = [await open(), await open()];
  const fire = async (at: string, view = VIEW, using: Db = db) => {
    clock.set(at);
    return await fireDue({ db: using, clock, profile: "host" }, view);
  };
  return { parts, db, other, clock, fire };
}

const jobsIn = (db: Db) =>
  db.selectFrom("jobs").select(["role", "trigger", "status", "payload", "unique_key"])
    .orderBy("id").execute();

/** Whoever works ends all jobs that wait. */
async function work(db: Db, clock: HandClock): Promise<void> {
  for (;;) {
    const job = await claimNext(db, { owner: "w", now: clock.now() });
    if (job === undefined) return;
    await finish(db, job, { disposition: "planned" }, clock.now());
  }
}

Deno.test("fireDue gives one job for a tick, and a new schedule counts from now on", async () => {
  const { parts, db, fire } = await place("2026-11-20T10:00Z");
  await using _parts = parts;
  const first = await fire("2026-11-20T10:00Z");
  assert.deepEqual(first.ticks, []);
  assert.equal(first.next, Date.parse("2026-11-21T06:00Z"));
  const { ticks } = await fire("2026-11-21T06:00Z");
  assert.equal(ticks.length, 1);
  assert.equal(ticks[0]!.missed, false);
  assert.deepEqual((await fire("2026-11-21T06:00Z")).ticks, []);
  const [job, ...more] = await jobsIn(db);
  assert.deepEqual(more, []);
  assert.deepEqual([job!.role, job!.trigger], ["ceo", "cron"]);
  assert.equal(
    job!.unique_key,
    `cron:${VIEW.id}:ceo:0 6 * * * UTC:${Date.parse("2026-11-21T06:00Z")}`,
  );
});

Deno.test("fireDue in several processes at once gives one job", async () => {
  const { parts, db, other, fire } = await place("2026-11-20T10:00Z");
  await using _parts = parts;
  await fire("2026-11-20T10:00Z");
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, at) => fire("2026-11-21T06:00Z", VIEW, at % 2 ? db : other)),
  );
  assert.equal(all.flatMap(({ ticks }) => ticks).length, 1);
  assert.equal((await jobsIn(db)).length, 1);
});

for (
  const [what, times] of [
    ["goes back", ["06:00", "05:00", "05:30", "06:00", "06:30", "07:00"]],
    ["goes forward", ["05:30", "06:31", "07:00"]],
    ["goes back and forth", ["05:59", "06:59", "05:58", "06:00", "07:00", "06:01"]],
  ] as const
) {
  Deno.test(`fireDue gives one job for a tick when the clock ${what} an hour`, async () => {
    const { parts, db, clock, fire } = await place("2026-11-20T10:00Z");
    await using _parts = parts;
    await fire("2026-11-20T10:00Z");
    for (const time of times) {
      await fire(`2026-11-21T${time}Z`);
      await work(db, clock); // its key is free again
    }
    assert.equal((await jobsIn(db)).length, 1);
    await fire("2026-11-22T06:00Z");
    assert.equal((await jobsIn(db)).length, 2);
  });
}

Deno.test("fireDue makes up once for all that was missed within a day, and says so", async () => {
  const { parts, db, fire } = await place("2026-11-18T10:00Z");
  await using _parts = parts;
  await fire("2026-11-18T10:00Z");
  const { ticks } = await fire("2026-11-21T10:00Z");
  assert.deepEqual(ticks.map(({ tick, missed }) => [new Date(tick).toISOString(), missed]), [
    ["2026-11-21T06:00:00.000Z", true],
  ]);
  assert.deepEqual((await fire("2026-11-21T10:01Z")).ticks, []);
  const [job, ...more] = await jobsIn(db);
  assert.deepEqual(more, []);
  assert.equal(JSON.parse(job!.payload).missed, true);
});

Deno.test("fireDue passes over what was missed longer ago, says so once, and goes on", async () => {
  const { parts, db, fire } = await place("2026-11-12T10:00Z");
  await using _parts = parts;
  const weekly = viewOf(CEO.replace("0 6 * * *", "0 6 * * 1"));
  await fire("2026-11-12T10:00Z", weekly);
  const { ticks } = await fire("2026-11-18T10:00Z", weekly);
  assert.match(ticks[0]!.passedOver!, /^it came at 2026-11-16T06:00:00.000Z, and nobody ran/);
  assert.equal(ticks[0]!.job, undefined);
  assert.deepEqual((await fire("2026-11-18T10:01Z", weekly)).ticks, []);
  assert.equal((await fire("2026-11-23T06:00Z", weekly)).ticks.length, 1);
  assert.equal((await jobsIn(db)).length, 1);
});

Deno.test("fireDue does not pile up ticks behind a job that waits", async () => {
  const { parts, db, clock, fire } = await place("2026-11-20T10:00Z");
  await using _parts = parts;
  await fire("2026-11-20T10:00Z");
  await fire("2026-11-21T06:00Z");
  const { ticks } = await fire("2026-11-22T06:00Z");
  assert.match(ticks[0]!.passedOver!, /of an earlier tick still waits$/);
  await work(db, clock);
  await fire("2026-11-23T06:00Z");
  assert.equal((await jobsIn(db)).length, 2);
});

Deno.test("fireDue counts from now on again after a clock that was days ahead", async () => {
  const { parts, fire } = await place("2026-12-24T10:00Z");
  await using _parts = parts;
  await fire("2026-12-24T10:00Z");
  assert.deepEqual((await fire("2026-11-20T10:00Z")).ticks, []);
  assert.equal((await fire("2026-11-21T06:00Z")).ticks.length, 1);
});

Deno.test("fireDue begins anew with a schedule that was taken out, but not while the manifest is broken", async () => {
  const { parts, db, fire } = await place("2026-11-20T10:00Z");
  await using _parts = parts;
  await fire("2026-11-20T10:00Z");
  const none = viewOf("ceo: { prompt: p.md }");
  const broken = { ...none, manifest: undefined, problem: "line 3" };
  await fire("2026-11-20T11:00Z", broken as unknown as typeof VIEW);
  assert.equal((await fire("2026-11-21T06:01Z")).ticks.length, 1);
  await fire("2026-11-21T12:00Z", none);
  assert.deepEqual((await fire("2026-11-22T07:00Z")).ticks, []);
  assert.equal((await jobsIn(db)).length, 1);
});

Deno.test("fireDue names a schedule that is wrong, and fires the others", async () => {
  const { parts, fire } = await place("2026-11-20T10:00Z");
  await using _parts = parts;
  const view = viewOf(`${CEO}\nqa: { prompt: p.md, triggers: [{ on: cron, schedule: "x" }] }`);
  await fire("2026-11-20T10:00Z", view);
  const { ticks, problems } = await fire("2026-11-21T06:00Z", view);
  assert.equal(ticks.length, 1);
  assert.match(problems[0]!, /^roles\.qa\.triggers\[0\]\.schedule: "x": it is no five fields/);
});

Deno.test("runScheduler sleeps at most a minute, survives a repo that fails, and reads manifests again", async () => {
  const { parts, db, clock } = await place("2026-11-21T05:58:30Z");
  await using _parts = parts;
  const repo = (path: string): RegisteredRepo => ({
    ...{
      id: path === "/bad" ? "bbbbbbbbbbbb" : VIEW.id,
      path,
      ...{ url: null, node_id: null },
      branch: "main",
      remote: null,
      host: null,
    },
    ...{ created_at: 1, updated_at: 1 },
  });
  let view = VIEW;
  let woken = 0;
  const logged: string[] = [];
  const events: SchedulerEvent[] = [];
  const stop = new AbortController();
  const reload = new WakeUp();
  const log = {
    ...{ open() {}, path: () => undefined, close() {} },
    write: (_level: string, message: string) => void logged.push(message),
  };
  const running = runScheduler({ db, clock, log, signal: stop.signal } as never, {
    repos: () => Promise.resolve([repo("/bad"), repo("/shop")]),
    manifestAt: (path) =>
      path === "/bad" ? Promise.reject(new Error("disk")) : Promise.resolve(view),
    reload,
    wake: () => void woken++,
    on: (event) => void events.push(event),
  });
  await clock.quiet();
  assert.deepEqual(clock.slept, [60_000]);
  await clock.advance("2026-11-21T05:59:30Z");
  await clock.quiet();
  assert.deepEqual(clock.slept, [60_000, 30_000]);
  await clock.advance("2026-11-21T06:00:00Z");
  await clock.quiet();
  assert.equal(woken, 1);
  assert.equal(events.filter(({ kind }) => kind === "tick").length, 1);
  assert.equal(logged.length, 3);

  view = viewOf(CEO.replace("0 6", "61 6"));
  const problem = Promise.withResolvers<void>();
  const push = events.push.bind(events);
  events.push = (...more) => {
    problem.resolve();
    return push(...more);
  };
  reload.send(); // at once, not after the minute
  await problem.promise;
  const last = events.at(-1)!;
  assert.equal(last.kind, "problems");
  stop.abort();
  await running;
});
