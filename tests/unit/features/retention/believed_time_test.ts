import assert from "node:assert/strict";
import fc from "fast-check";
import {
  believedTime,
  CLOCK_CONFIRM_MS,
  CLOCK_STEP_MS,
  type ClockFacts,
} from "svc/features/retention/believed_time.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 22);

/** The times that ages are counted to, for what the clock says one look after another. */
function looks(facts: ClockFacts, ...walls: readonly number[]): (number | undefined)[] {
  let known = facts;
  return walls.map((wall) => {
    const { now, facts } = believedTime(known, wall);
    known = facts;
    return now;
  });
}

const believed: ClockFacts = { believed_at: NOW, doubted_at: null };
const never: ClockFacts = { believed_at: null, doubted_at: null };

Deno.test("a clock that goes on is believed, and one that was set back too", () => {
  assert.deepEqual(looks(believed, NOW + HOUR, NOW + 3 * DAY, NOW - 40 * DAY), [
    ...[NOW + HOUR, NOW + 3 * DAY, NOW - 40 * DAY],
  ]);
});

Deno.test("a clock that is years ahead for a minute makes nothing old", () => {
  const far = NOW + 3650 * DAY;
  assert.deepEqual(looks(believed, far, far + 60_000, NOW + HOUR, NOW + 2 * HOUR), [
    ...[NOW, NOW, NOW + HOUR, NOW + 2 * HOUR],
  ]);
});

Deno.test("after weeks of rest the clock is believed a day later", () => {
  const back = NOW + 30 * DAY;
  assert.deepEqual(looks(believed, back, back + 10 * HOUR, back + 20 * HOUR), [
    ...[NOW, NOW, back + 20 * HOUR],
  ]);
});

Deno.test("a clock that jumps again is doubted again, whether on or back", () => {
  const far = NOW + 3650 * DAY;
  assert.deepEqual(looks(believed, far, 2 * far - NOW, 3 * far - 2 * NOW), [NOW, NOW, NOW]);
  const less = NOW + 40 * DAY;
  assert.deepEqual(looks(believed, far, less, less + DAY), [NOW, NOW, less + DAY]);
});

Deno.test("the first look believes nothing, the look a day later does", () => {
  assert.deepEqual(looks(never, NOW, NOW + HOUR, NOW + 21 * HOUR), [
    ...[undefined, undefined, NOW + 21 * HOUR],
  ]);
});

Deno.test("no two looks within 20 hours of a jump count to a time beyond a week", () => {
  const wall = fc.integer({ min: NOW - 10 * DAY, max: NOW + 20_000 * DAY });
  fc.assert(
    fc.property(wall, fc.integer({ min: 0, max: CLOCK_CONFIRM_MS.from - 1 }), (to, more) => {
      for (const now of looks(believed, to, to + more)) {
        assert.ok(now! <= Math.max(NOW, Math.min(to + more, NOW + 2 * CLOCK_STEP_MS)));
      }
    }),
  );
});
