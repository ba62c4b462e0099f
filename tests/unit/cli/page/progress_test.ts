/** What a command is at, where only lines can be written: after a silence, and ever less often. */
import assert from "node:assert/strict";
import { progressLines } from "svc/cli/page/progress.ts";

/** Sleeps end when the test says so; each is told how long it was asked for. */
function sleeper() {
  const asked: number[] = [];
  let wake = () => {};
  return {
    asked,
    clock: {
      sleep(ms: number, signal?: AbortSignal) {
        if (signal?.aborted) return Promise.resolve();
        asked.push(ms);
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        signal?.addEventListener("abort", () => resolve());
        return promise;
      },
    },
    async pass() {
      wake();
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    },
  };
}

Deno.test("progressLines breaks a silence with what is at work now, ever less often", async () => {
  const { asked, clock, pass } = sleeper();
  let written = "";
  const progress = progressLines({ write: (text) => void (written += text) }, clock);
  progress.update("asks the model");
  progress.update("asks the model \x1b[2J");
  assert.equal(written, "");
  for (let count = 0; count < 9; count++) await pass();
  assert.equal(written, "asks the model ␛[2J\n".repeat(9));
  const secs = asked.map((ms) => ms / 1000);
  assert.deepEqual(secs, [3, 6, 12, 24, 48, 96, 192, 300, 300, 300]);

  progress.done();
  await pass();
  assert.equal(written.split("\n").length, 10, "nothing after its end");
  progress.update("runs the checks");
  assert.equal(asked.at(-1), 10_000, "after a line a silence may be longer");
  await pass();
  assert.ok(written.endsWith("\nruns the checks\n"));
  progress.done();
});
