import assert from "node:assert/strict";
import fc from "fast-check";
import { FAILURE_CATEGORIES } from "svc/core/disposition.ts";
import { afterFailure, RETRIED, retryDelayMs } from "svc/features/jobs/retry.ts";

Deno.test("retryDelayMs doubles from 10 s up to 300 s", () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 60].map((attempt) => retryDelayMs(attempt, 0.5));
  assert.deepEqual(delays, [10e3, 20e3, 40e3, 80e3, 160e3, 300e3, 300e3, 300e3]);
});

Deno.test("retryDelayMs varies by at most a fifth either way", () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(fc.property(fc.integer({ min: 1, max: 99 }), random, (attempt, at) => {
    const middle = Math.min(10e3 * 2 ** (attempt - 1), 300e3);
    const delay = retryDelayMs(attempt, at);
    assert.ok(delay >= middle * 0.8 - 1 && delay <= middle * 1.2 + 1);
  }));
  assert.equal(retryDelayMs(1, 0), 8000);
});

Deno.test("only what may pass by itself is tried again", () => {
  for (const category of FAILURE_CATEGORIES) {
    const { then } = afterFailure({ category, attempt: 1, random: 0.5 });
    assert.equal(then, RETRIED.has(category) ? "retry" : "give_up", category);
  }
  assert.deepEqual([...RETRIED].sort(), [
    "internal",
    "lease_expired",
    "model_protocol",
    "model_unreachable",
    "rate_limited",
  ]);
});

Deno.test("a provider's wish is honoured, and a long one frees the worker", () => {
  const after = (retryAfterMs: number) =>
    afterFailure({ category: "rate_limited", attempt: 1, retryAfterMs, random: 0.5 });
  assert.deepEqual(after(3000), { then: "retry", afterMs: 10_000 });
  assert.deepEqual(after(90_000), { then: "retry", afterMs: 90_000 });
  assert.deepEqual(after(90_001), { then: "snooze", afterMs: 90_001 });
  assert.deepEqual(
    afterFailure({ category: "budget", attempt: 1, retryAfterMs: 1e6, random: 0 }),
    { then: "give_up", disposition: "budget_exhausted" },
  );
});
