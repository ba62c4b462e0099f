/** Keys of a service that writes lines: each does what it does on the live screen, and a line says so. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { systemClock } from "svc/platform/clock.ts";
import { hearKeys } from "svc/terminal/key_lines.ts";
import { FakeService } from "tests/kit/fake_service.ts";
import { verifies } from "tests/kit/verifies.ts";

function start(service: FakeService, takeKeys = () => Promise.resolve()) {
  const calls: string[] = [];
  const lines: string[] = [];
  let heard = (_typed: string) => {};
  let came = Promise.withResolvers<void>();
  const terminal = {
    takeKeys: () => (calls.push("take"), takeKeys()),
    giveBack: () => (calls.push("give back"), Promise.resolve()),
    listen: (listener: (typed: string) => void) => {
      heard = listener;
      return new Promise<void>(() => {});
    },
  };
  const ports = { clock: systemClock, log: { write() {} }, terminal };
  const running = hearKeys(ports, service, (text) => {
    lines.push(text);
    came.resolve();
    came = Promise.withResolvers();
  });
  return {
    ...{ calls, lines, running, press: (typed: string) => heard(typed) },
    async says(pattern: RegExp): Promise<void> {
      while (!lines.some((line) => pattern.test(line))) await came.promise;
    },
  };
}

verifies(
  [
    "4.4:keys:pause-or-resume",
    "4.4:keys:warm-restart",
    "4.4:keys:scan",
    "4.4:keys:help",
    "4.4:keys:graceful-stop",
  ],
  "each key does its work where lines are shown, and says it in a line",
  async () => {
    const service = new FakeService();
    const shown = start(service);
    await shown.says(/keys: p pause, r restart, s scan, q stop, h help/);
    shown.press("p");
    await shown.says(/Paused: no new job starts; p resumes/);
    shown.press("p");
    await shown.says(/Resumed: jobs start again/);
    shown.press("r");
    await shown.says(/Restarted: manifests and triggers were read again/);
    shown.press("s");
    await shown.says(/Scanned \d/);
    const before = shown.lines.length;
    shown.press("h");
    shown.press("h");
    const help = shown.lines.slice(before);
    assert.equal(help.length, 12, help.join("\n"));
    assert.match(help[0]!, /^p: pause or resume/);
    assert.match(help[5]!, /^Ctrl-C: stop gracefully/);
    shown.press("q");
    await shown.running;
    assert.deepEqual(service.asked.slice(0, 3), [
      "pause: p was pressed in the terminal of svc start",
      "resume",
      "restart",
    ]);
    assert.equal(service.asked.at(-1), "stop");
    assert.deepEqual(shown.calls, ["take", "give back"]);
  },
);

Deno.test("a terminal that another job has is left alone, and the service runs on", async () => {
  const taken = new Failure("environment", "Cannot hear keys: svc runs in the background");
  const { calls, lines, running } = start(new FakeService(), () => Promise.reject(taken));
  await running;
  assert.deepEqual(calls, ["take"]);
  assert.deepEqual(lines, []);
});
