import assert from "node:assert/strict";
import { WakeUp } from "svc/features/jobs/wake_up.ts";
import { systemClock } from "svc/platform/clock.ts";

const NEVER_MS = 3_600_000;

Deno.test("a wake-up reaches all who wait", async () => {
  const wakeUp = new WakeUp();
  const waits = [1, 2].map(() => wakeUp.wait(wakeUp.count, systemClock, NEVER_MS));
  wakeUp.send();
  await Promise.all(waits);
  assert.equal(wakeUp.count, 1);
});

Deno.test("a wake-up between the look and the wait is not missed", async () => {
  const wakeUp = new WakeUp();
  const seen = wakeUp.count;
  wakeUp.send();
  await wakeUp.wait(seen, systemClock, NEVER_MS);
});

Deno.test("a wait ends by its signal and by its time", async () => {
  const wakeUp = new WakeUp();
  const stop = new AbortController();
  const waiting = wakeUp.wait(0, systemClock, NEVER_MS, stop.signal);
  stop.abort();
  await waiting;
  await wakeUp.wait(0, systemClock, NEVER_MS, stop.signal);
  await wakeUp.wait(0, systemClock, 1);
});
