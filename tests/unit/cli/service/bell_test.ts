import assert from "node:assert/strict";
import { Bell, BELL_REST_MS, bellSink, needsOf, ringBell } from "svc/cli/service/bell.ts";
import type { Clock } from "svc/platform/clock.ts";
import { FakeService } from "tests/kit/fake_service.ts";
import { quiet, repoStatus, troubled } from "tests/kit/service_statuses.ts";

Deno.test("Bell rings for what is new alone, and rests between", () => {
  let now = 0;
  let rang = 0;
  const bell = new Bell(() => rang++, () => now);
  bell.look(["a"]);
  assert.equal(rang, 0, "what was there is not new");
  bell.look(["a", "b"]);
  bell.look(["b"]);
  assert.equal(rang, 1);
  bell.look(["b", "c"]);
  assert.equal(rang, 1, "it rests");
  now += BELL_REST_MS;
  bell.look(["b", "c"]);
  assert.equal(rang, 1, "it is not new any more");
  bell.look(["a"]);
  assert.equal(rang, 2, "it came again");
});

Deno.test("needsOf names questions, other blocks, what is held back, and paused claims", () => {
  assert.deepEqual(needsOf(quiet()), []);
  const asked = { ticket: "T-1", role: "qa", asked: "?", choices: [], why: "so" };
  const tickets = { ...repoStatus("shop").tickets, blocked: 3 };
  const status = quiet({
    repos: [repoStatus("shop", { tickets, questions: [asked] })],
    heldBack: [{ kind: "role", key: "id/qa", reason: "3 failed" }],
    ...{ claims: "paused", reason: "a person" },
  });
  assert.deepEqual(needsOf(status), [
    ...["id-of-shop T-1", "id-of-shop 0", "id-of-shop 1", "role id/qa", "claims"],
  ]);
  assert.ok(needsOf(troubled()).length > 0);
});

const sink = (terminal: boolean) => {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  return { terminal, written, write, columns: () => undefined };
};

Deno.test("only a terminal hears the bell, never a pipe, and no output for programs", () => {
  const [screen, pipe, log] = [sink(true), sink(false), sink(true)];
  const on = { bell: true, json: false, plain: false };
  assert.equal(bellSink({ stdout: screen, stderr: log }, on), screen);
  assert.equal(bellSink({ stdout: pipe, stderr: log }, on), log);
  assert.equal(bellSink({ stdout: pipe, stderr: sink(false) }, on), undefined);
  for (const other of [{ json: true }, { plain: true }, { bell: false }]) {
    assert.equal(bellSink({ stdout: screen, stderr: log }, { ...on, ...other }), undefined);
  }
});

Deno.test("ringBell rings once when a service newly needs somebody, and is silent after its end", async () => {
  const shown = { ...quiet() };
  const service = new FakeService(shown);
  const rang = Promise.withResolvers<void>();
  const plain = sink(true);
  const stdout = {
    ...plain,
    write(text: string) {
      plain.write(text);
      rang.resolve();
    },
  };
  const clock = { monotonic: () => 0 } as Clock;
  const end = ringBell({ clock, stdout, stderr: sink(true) }, service, {
    ...{ bell: true, json: false, plain: false },
  });
  await service.status();
  await Promise.resolve();
  Object.assign(shown, { heldBack: [{ kind: "model", key: "m", reason: "quota" }] });
  service.happen();
  await rang.promise;
  service.happen();
  assert.deepEqual(stdout.written, ["\x07"]);
  end();
  assert.equal(service.listeners, 0);
});
