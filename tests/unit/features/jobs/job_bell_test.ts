import assert from "node:assert/strict";
import { JobBell } from "svc/features/jobs/job_bell.ts";
import { systemClock } from "svc/platform/clock.ts";

const NEVER_MS = 3_600_000;

Deno.test("a ring wakes all who wait", async () => {
  const bell = new JobBell();
  const waits = [1, 2].map(() => bell.wait(bell.rings, systemClock, NEVER_MS));
  bell.ring();
  await Promise.all(waits);
  assert.equal(bell.rings, 1);
});

Deno.test("a ring between the look and the wait is not missed", async () => {
  const bell = new JobBell();
  const heard = bell.rings;
  bell.ring();
  await bell.wait(heard, systemClock, NEVER_MS);
});

Deno.test("a wait ends by its signal and by its time", async () => {
  const bell = new JobBell();
  const stop = new AbortController();
  const waiting = bell.wait(0, systemClock, NEVER_MS, stop.signal);
  stop.abort();
  await waiting;
  await bell.wait(0, systemClock, NEVER_MS, stop.signal);
  await bell.wait(0, systemClock, 1);
});
