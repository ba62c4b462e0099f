import assert from "node:assert/strict";
import {
  EVENTS_FORGOTTEN_AT_ONCE,
  forgetEvents,
  forgetTelemetry,
  lastEventId,
  recordEvent,
} from "svc/features/telemetry/event_store.ts";
import { sql } from "svc/store/query.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

const DAY = 24 * 60 * 60 * 1000;

Deno.test("forgetEvents removes what is too old, and the oldest of too many", async () => {
  await using store = await tempStore();
  const { db } = store;
  assert.equal(await forgetEvents(db, 40 * DAY), 0);
  for (const at of [1, 2, 5 * DAY, 30 * DAY, 39 * DAY, 40 * DAY]) {
    await recordEvent(db, { type: "job_turn", data: {} }, at);
  }
  const ids = async () =>
    (await db.selectFrom("events").select("id").orderBy("id").execute()).map(({ id }) => id);
  assert.equal(await forgetEvents(db, 40 * DAY), 3);
  assert.deepEqual(await ids(), [4, 5, 6]);
  assert.equal(await forgetEvents(db, 40 * DAY, { most: 2 }), 1);
  assert.deepEqual(await ids(), [5, 6]);
  assert.equal(await forgetEvents(db, 90 * DAY), 2);
  assert.deepEqual([await ids(), await lastEventId(db)], [[], 0]);
  // Ids go on, so that nobody who has seen the last takes a new one for it.
  assert.equal(await recordEvent(db, { type: "job_turn", data: {} }, 1), 7);
});

Deno.test("forgetEvents removes more than one statement does", async () => {
  await using store = await tempStore();
  const count = EVENTS_FORGOTTEN_AT_ONCE + 10;
  await sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO events (at, type, data) SELECT 1, 'job_turn', '{}' FROM n`.execute(store.db);
  assert.equal(await forgetEvents(store.db, 40 * DAY, { most: 3 }), count);
});

Deno.test("telemetry events, which later reports count, stay until their own time", async () => {
  await using store = await tempStore();
  const { db } = store;
  for (const type of ["telemetry", "job_turn", "telemetry", "decision"] as const) {
    await recordEvent(db, { type, data: {} }, 1);
  }
  const left = () => db.selectFrom("events").select(["id", "type"]).orderBy("id").execute();
  assert.equal(await forgetEvents(db, 90 * DAY), 2);
  assert.deepEqual(await left(), [{ id: 1, type: "telemetry" }, { id: 3, type: "telemetry" }]);
  await forgetTelemetry(db, 1);
  assert.equal((await left()).length, 2);
  await forgetTelemetry(db, 2);
  assert.deepEqual(await left(), []);
});
