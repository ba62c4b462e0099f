/** Reports of a service: when they are queued and sent, over real HTTP, with a clock that the test turns. */
import assert from "node:assert/strict";
import { Config } from "svc/features/settings/config_file.ts";
import type { SaidByEnvironment } from "svc/features/settings/reporting.ts";
import { outboxCounts, reportState } from "svc/features/telemetry/outbox_store.ts";
import { denoEntrance } from "svc/platform/entrance.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { runReports } from "svc/runtime/service/report_loop.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { doorbell, ear } from "tests/kit/telemetry_place.ts";
import { type TempStore, tempStore } from "tests/unit/store/temp_store.ts";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-11-22T12:00:00Z");
const of = { repoId: "0123456789ab", role: "qa", disposition: "approved" } as const;
const { load } = denoEntrance(new URL("../../../../main.ts", import.meta.url).href);

/** Each pause of the loop runs a step, which may set the clock and do some work; then it ends. */
async function turns(
  { db, folder }: TempStore,
  said: SaidByEnvironment,
  steps: readonly ((clock: { at: number }) => Promise<void> | void)[],
  settings = () => Config.parse({}),
) {
  const over = new AbortController();
  const clock = { at: NOW };
  const told: object[] = [];
  const logged: string[] = [];
  let nth = 0;
  const real = (signal?: AbortSignal) =>
    new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
  await runReports({
    ...{ db, load, fetch, files: denoFiles(), profile: "observer" as const },
    home: { config: `${folder}/config.yaml` },
    settings: () => Promise.resolve().then(settings),
    clock: {
      now: () => clock.at,
      monotonic: () => clock.at,
      processor: () => 0,
      async sleep(ms, signal) {
        // The bound of a request.
        if (ms === 10_000) return await real(signal);
        const step = steps[nth++];
        if (step === undefined) over.abort();
        else await step(clock);
      },
    },
    log: { write: (_, text) => void logged.push(text), path: () => "", open() {}, close() {} },
    signal: over.signal,
  }, { said, target: "x86_64-unknown-linux-gnu", on: (sent) => told.push(sent) });
  return { told, logged, turns: nth };
}

const sentCounts = ({ heard }: { readonly heard: readonly { readonly body: string }[] }) =>
  heard.map(({ body }) => JSON.parse(body).jobs[0].count);

Deno.test("each interval what ended since goes out, and nothing goes between or when nothing ended", async () => {
  await using store = await tempStore();
  await using collector = ear();
  await endedJob(store.db, { ...of, at: NOW - HOUR });
  const said = { reporting: "anonymous", endpoint: collector.url, interval: "6h" };
  const { told, logged } = await turns(store, said, [
    async (clock) => {
      for (let nth = 0; nth < 3; nth++) await endedJob(store.db, { ...of, at: NOW + nth });
      clock.at += 5 * HOUR;
    },
    (clock) => {
      assert.equal(collector.heard.length, 1);
      clock.at += HOUR;
    },
    (clock) => {
      assert.equal(collector.heard.length, 2);
      clock.at += 7 * HOUR;
    },
  ]);
  assert.deepEqual(sentCounts(collector), [1, 3]);
  assert.deepEqual(told.length, 2);
  assert.deepEqual(logged, []);
});

Deno.test("after a failure it waits as long as it was asked to, and each further time longer", async () => {
  await using store = await tempStore();
  let status = 503;
  await using collector = ear(() =>
    new Response(null, { status, headers: status === 429 ? { "retry-after": "7200" } : {} })
  );
  await endedJob(store.db, { ...of, at: NOW - HOUR });
  const said = { reporting: "anonymous", endpoint: collector.url, interval: "24h" };
  const waits: number[] = [];
  const wait = async (clock: { at: number }) => {
    const { retry_at } = await reportState(store.db);
    waits.push(Math.round((retry_at! - clock.at) / 60_000));
    clock.at = retry_at! - 1;
  };
  const past = (clock: { at: number }) => void (clock.at += 2);
  const { told } = await turns(store, said, [
    wait,
    past,
    wait,
    past,
    (clock) => {
      status = 429;
      clock.at += HOUR;
    },
    wait,
    (clock) => {
      assert.equal(collector.heard.length, 4);
      status = 202;
      past(clock);
    },
  ]);
  assert.deepEqual(waits, [1, 2, 120]);
  assert.equal(collector.heard.length, 5);
  assert.equal(told.length, 5);
  const { counts } = await outboxCounts(store.db);
  assert.deepEqual([counts.sent, counts.pending], [1, 0]);
});

Deno.test("where reporting is off nothing is looked at: no turn, no report, no connection", async () => {
  await using store = await tempStore();
  await using door = doorbell();
  await endedJob(store.db, { ...of, at: NOW - HOUR });
  const silent: SaidByEnvironment[] = [
    {},
    { endpoint: door.url },
    { reporting: "off", endpoint: door.url },
    { reporting: "anonymous" },
    { reporting: "anonymous", endpoint: "http://collect.example" },
  ];
  for (const said of silent) {
    assert.equal((await turns(store, said, [() => {}])).turns, 0, JSON.stringify(said));
  }
  assert.equal(door.rings.count, 0);
  assert.deepEqual((await outboxCounts(store.db)).counts, { pending: 0, sent: 0, refused: 0 });
  assert.equal((await reportState(store.db)).looked_at, null);
});

Deno.test("whoever turns reporting off in the config is heard by the service that runs", async () => {
  await using store = await tempStore();
  await using collector = ear();
  await endedJob(store.db, { ...of, at: NOW - HOUR });
  const telemetry = { reporting: "anonymous", endpoint: collector.url };
  const file = `${store.folder}/config.yaml`;
  const write = (reporting: string) =>
    Deno.writeTextFile(file, `telemetry: # or anonymous\n  ${reporting}\n`);
  await write("reporting: anonymous");
  const { logged } = await turns(store, {}, [
    async (clock) => {
      assert.equal(collector.heard.length, 1);
      telemetry.reporting = "off";
      await write("reporting: off");
      await endedJob(store.db, { ...of, at: clock.at });
      clock.at += 25 * HOUR;
    },
    (clock) => {
      assert.equal(collector.heard.length, 1, "it is off");
      telemetry.reporting = "anonymous";
      clock.at += HOUR;
    },
  ], () => Config.parse({ telemetry }));
  assert.deepEqual(logged, []);
  assert.equal(collector.heard.length, 2);
});

Deno.test("a database that fails is logged, and the loop goes on", async () => {
  await using store = await tempStore();
  await using collector = ear();
  await endedJob(store.db, { ...of, at: NOW - HOUR });
  const said = { reporting: "anonymous", endpoint: collector.url };
  await store.db.schema.alterTable("jobs").renameTo("gone").execute();
  const { logged, told } = await turns(store, said, [
    async (clock) => {
      await store.db.schema.alterTable("gone").renameTo("jobs").execute();
      clock.at += 25 * HOUR;
    },
  ]);
  assert.deepEqual(logged, ["telemetry: a round failed"]);
  assert.equal(told.length, 1);
});
