import assert from "node:assert/strict";
import { modelFault } from "svc/features/models/client/faults.ts";
import { backoffMs, type Retry, waitMs, withRetries } from "svc/features/models/client/retry.ts";
import { faultOf, route } from "tests/unit/features/models/asking.ts";

const target = route("http://127.0.0.1:8080/v1");

Deno.test("backoffMs doubles from 2 s to 60 s, with full jitter", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7].map((tried) => backoffMs(tried, 1)), [
    2000,
    4000,
    8000,
    16_000,
    32_000,
    60_000,
    60_000,
  ]);
  assert.equal(backoffMs(3, 0), 0);
  assert.equal(backoffMs(3, 0.5), 4000);
});

Deno.test("waitMs honours the provider's wish up to 90 s", () => {
  const limited = (retryAfterMs: number) =>
    modelFault(target, "rate_limited", "x", { retryAfterMs });
  assert.equal(waitMs(limited(5000), 1, 0), 5000);
  assert.equal(waitMs(limited(500), 1, 1), 2000);
  assert.equal(waitMs(limited(90_000), 1, 1), 90_000);
  assert.equal(waitMs(limited(90_001), 1, 1), undefined);
});

Deno.test("waitMs gives up after five tries, and at once on what another try does not mend", () => {
  assert.equal(waitMs(modelFault(target, "server", "x"), 4, 0), 0);
  assert.equal(waitMs(modelFault(target, "server", "x"), 5, 0), undefined);
  for (
    const kind of ["idle", "auth", "quota", "not_found", "bad_request", "context_overflow"] as const
  ) {
    assert.equal(waitMs(modelFault(target, kind, "x"), 1, 0), undefined, kind);
  }
});

Deno.test("withRetries tries five times and passes on what is no fault of a model", async () => {
  const waits: number[] = [];
  const told: string[] = [];
  const ports = {
    clock: { sleep: (ms: number) => Promise.resolve(void waits.push(ms)) },
    signal: new AbortController().signal,
    random: () => 1,
    onRetry: ({ fault, waitMs }: Retry) => void told.push(`${waitMs} ${fault.kind}`),
  };
  let tries = 0;
  const fault = await faultOf(withRetries(ports, () => {
    tries++;
    return Promise.reject(modelFault(target, "server", `try ${tries}`));
  }));
  assert.deepEqual(waits, [2000, 4000, 8000, 16_000]);
  assert.deepEqual(told, waits.map((ms) => `${ms} server`));
  assert.match(fault.message, /try 5$/);
  const bug = new RangeError("a bug");
  await assert.rejects(withRetries(ports, () => Promise.reject(bug)), bug);
});
