import assert from "node:assert/strict";
import { threadTime } from "svc/platform/clock.ts";

Deno.test("a thread's time is at most what passed, and at most what the process worked", () => {
  let [worked, passed] = [100, 5000];
  let asked = 0;
  const time = threadTime({
    processor() {
      asked++;
      return worked;
    },
    monotonic: () => passed,
  });
  assert.equal(asked, 0); // most scans never ask
  assert.equal(time(), 0);
  [worked, passed] = [worked + 20, passed + 10]; // a second thread worked as well
  assert.equal(time(), 10);
  [worked, passed] = [worked + 3, passed + 900]; // the machine was busy with others
  assert.equal(time(), 13);
  assert.equal(time(), 13);
});
