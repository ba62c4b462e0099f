import assert from "node:assert/strict";
import fc from "fast-check";
import { wilson } from "svc/features/scores/wilson.ts";

/** Successes, samples, and the two roots p of (share − p)² = z² p (1 − p) / n, times 100. */
const KNOWN: readonly (readonly [number, number, number, number])[] = [
  [0, 5, 0, 43.4],
  [5, 5, 56.6, 100],
  [5, 10, 23.7, 76.3],
  [8, 8, 67.6, 100],
  [45, 50, 78.6, 95.7],
  [1, 1, 20.7, 100],
];

for (const [successes, samples, lower, upper] of KNOWN) {
  Deno.test(`wilson of ${successes} in ${samples} is ${lower} to ${upper}`, () => {
    assert.deepEqual(wilson(successes, samples), { lower, upper });
  });
}

const trials = fc.integer({ min: 1, max: 10_000 })
  .chain((samples) => fc.tuple(fc.integer({ min: 0, max: samples }), fc.constant(samples)));

Deno.test("wilson holds the share, rises with successes, and narrows with samples", () => {
  fc.assert(fc.property(trials, ([successes, samples]) => {
    const { lower, upper } = wilson(successes, samples);
    const share = successes / samples * 100;
    assert.ok(0 <= lower && lower <= share + 0.05 && share - 0.05 <= upper && upper <= 100);
    if (successes < samples) assert.ok(wilson(successes + 1, samples).lower >= lower);
    const more = wilson(successes * 4, samples * 4);
    assert.ok(more.upper - more.lower <= upper - lower);
    assert.ok(more.lower >= lower);
  }));
});
