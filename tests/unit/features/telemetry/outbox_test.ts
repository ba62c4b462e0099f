/** The outbox: every job in one report, whoever queues; bounded; what waits longer after each failure. */
import assert from "node:assert/strict";
import {
  exportReport,
  OUTBOX_REPORTS,
  outboxCounts,
  pendingReports,
  recordSendFailure,
  reportState,
  settleReport,
  takeLook,
} from "svc/features/telemetry/outbox_store.ts";
import { backoffMs, reportUrl } from "svc/features/telemetry/send_reports.ts";
import { openStore } from "svc/store/open.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { ports, tempStore } from "tests/unit/store/temp_store.ts";

const TARGET = "aarch64-unknown-linux-gnu";
const NOW = Date.parse("2026-11-22T12:00:00Z");
const MINUTE = 60_000;
const of = { repoId: "0123456789ab", role: "qa", disposition: "approved" } as const;

const countOf = ({ body }: { readonly body: string }) => JSON.parse(body).jobs[0].count;

Deno.test("two that queue at once count each job once", async () => {
  await using store = await tempStore();
  await using other = await openStore(ports, store.path);
  for (let nth = 0; nth < 5; nth++) await endedJob(store.db, { ...of, at: NOW - MINUTE - nth });
  const both = await Promise.all(
    [store, other].map(({ db }) => exportReport(db, { now: NOW, target: TARGET })),
  );
  assert.deepEqual(both.map(({ kind }) => kind).sort(), ["nothing", "queued"]);
  assert.deepEqual((await pendingReports(store.db)).map(countOf), [5]);
});

Deno.test("a full outbox loses nothing: the next report covers the time", async () => {
  await using store = await tempStore();
  const { db } = store;
  for (let nth = 0; nth < OUTBOX_REPORTS; nth++) {
    await endedJob(db, { ...of, at: NOW + nth * MINUTE });
    const { kind } = await exportReport(db, { now: NOW + nth * MINUTE + 10_000, target: TARGET });
    assert.equal(kind, "queued");
  }
  const late = NOW + OUTBOX_REPORTS * MINUTE;
  for (const at of [late, late + MINUTE]) {
    await endedJob(db, { ...of, at });
    const { kind } = await exportReport(db, { now: at + 10_000, target: TARGET });
    assert.equal(kind, "full");
  }
  const [first] = await pendingReports(db);
  await settleReport(db, first!.report_id, { state: "sent", now: late });
  await exportReport(db, { now: late + 10 * MINUTE, target: TARGET });
  const pending = await pendingReports(db);
  assert.equal(pending.length, OUTBOX_REPORTS);
  assert.equal(countOf(pending.at(-1)!), 2);
});

Deno.test("what was sent stays to be read, but not for ever, and a success ends the backing off", async () => {
  await using store = await tempStore();
  const { db } = store;
  for (let nth = 0; nth < 40; nth++) {
    const now = NOW + nth * MINUTE;
    await endedJob(db, { ...of, at: now });
    await exportReport(db, { now: now + 10_000, target: TARGET });
    const [report] = await pendingReports(db);
    await recordSendFailure(db, now + 20_000);
    assert.equal((await reportState(db)).failures, 1);
    await settleReport(db, report!.report_id, { state: "sent", now: now + 30_000 });
    const { failures, retry_at } = await reportState(db);
    assert.deepEqual([failures, retry_at], [0, null]);
  }
  const { counts, lastSentAt } = await outboxCounts(db);
  assert.deepEqual(counts, { pending: 0, sent: 32, refused: 0 });
  assert.equal(lastSentAt, NOW + 39 * MINUTE + 30_000);
});

Deno.test("one of two services takes the turn", async () => {
  await using store = await tempStore();
  const state = await reportState(store.db);
  assert.equal(await takeLook(store.db, state, NOW), true);
  assert.equal(await takeLook(store.db, state, NOW), false);
});

Deno.test("each failure doubles the wait, from a minute to six hours", () => {
  const waits = Array.from({ length: 12 }, (_, failures) => backoffMs(failures, 0.5) / MINUTE);
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360]);
  assert.deepEqual([backoffMs(0, 0), backoffMs(0, 1)], [48_000, 72_000]);
  assert.equal(backoffMs(100_000, 0.5), 6 * 60 * MINUTE);
});

Deno.test("the path is appended to whatever the endpoint has", () => {
  const path = "/v1/anonymous-telemetry/reports";
  for (
    const [endpoint, url] of [
      ["https://a.example", `https://a.example${path}`],
      ["https://a.example/", `https://a.example${path}`],
      ["https://a.example/team//", `https://a.example/team${path}`],
      ["http://localhost:9092", `http://127.0.0.1:9092${path}`],
      ["http://[::1]:9092/x", `http://[::1]:9092/x${path}`],
    ] as const
  ) {
    assert.equal(reportUrl(endpoint).href, url);
  }
});
