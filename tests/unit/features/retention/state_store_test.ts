/** Who takes the day's run over a database, and when the next is due. */
import assert from "node:assert/strict";
import {
  isRunDue,
  RETENTION_EVERY_MS,
  retentionState,
  runEnded,
  takeRun,
} from "svc/features/retention/state_store.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 22);

Deno.test("a run is due a day after the last, and where the last is ahead of the clock", () => {
  const due = (ran_at: number | null) => isRunDue({ ran_at }, NOW);
  assert.deepEqual(
    [null, NOW - RETENTION_EVERY_MS, NOW - RETENTION_EVERY_MS + 1, NOW, NOW + 1].map(due),
    [true, true, false, false, true],
  );
});

Deno.test("of two that ask at once one has the run; killed, it is due an hour later", async () => {
  await using store = await tempStore();
  const { db } = store;
  const seen = await retentionState(db);
  assert.deepEqual([await takeRun(db, seen, NOW), await takeRun(db, seen, NOW + 1)], [true, false]);
  const begun = await retentionState(db);
  assert.equal(isRunDue(begun, NOW + HOUR - 1), false);
  assert.equal(isRunDue(begun, NOW + HOUR), true);
  await runEnded(db, NOW + 1); // of a run that it never had
  assert.deepEqual(await retentionState(db), begun);
  assert.equal(await takeRun(db, begun, NOW + HOUR), true);
  await runEnded(db, NOW); // of the one that was given up
  assert.equal(isRunDue(await retentionState(db), NOW + 2 * HOUR), true);
  await runEnded(db, NOW + HOUR);
  assert.equal(isRunDue(await retentionState(db), NOW + HOUR + RETENTION_EVERY_MS - 1), false);
});
