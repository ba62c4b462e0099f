/** A program that is talked to while it runs, through the broker as in a job. */
import assert from "node:assert/strict";
import type { ChildInput } from "svc/platform/process/process.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { confined } from "tests/unit/platform/confined_ports.ts";

/** Gives each part once the one before was answered. */
function talk(parts: readonly string[]) {
  const waiting = [...parts];
  const answers: string[] = [];
  let heard = Promise.withResolvers<void>();
  heard.resolve();
  const input: ChildInput = {
    async read() {
      await heard.promise;
      heard = Promise.withResolvers<void>();
      const next = waiting.shift();
      return next === undefined ? undefined : new TextEncoder().encode(next);
    },
  };
  const onOutput = (chunk: Uint8Array) => {
    answers.push(new TextDecoder().decode(chunk));
    heard.resolve();
  };
  return { input, onOutput, answers };
}

const ENV = { PATH: "/usr/bin:/bin" };
const LOUD = 'while read -r word; do echo "did $word"; done; echo over >&2';

Deno.test("a program reads what it is sent after it has answered, and ends with its input", async () => {
  await using home = await tempFolder();
  await using app = confined({ repos: [], home: home.path });
  const { input, onOutput, answers } = talk(["one\n", "two\n"]);
  const ended = await app.processes.run({
    ...{ program: "/bin/sh", args: ["-c", LOUD], cwd: home.path, env: ENV },
    ...{ input, onOutput, tag: "talk-test" },
  });
  assert.deepEqual(answers, ["did one\n", "did two\n", "over\n"]);
  assert.deepEqual([ended.code, ended.survivorsKilled], [0, 0]);
});

Deno.test("a program that does not read ends when it is cancelled", async () => {
  await using home = await tempFolder();
  await using app = confined({ repos: [], home: home.path });
  const abort = new AbortController();
  const big = new Uint8Array(1 << 20);
  const ended = await app.processes.run({
    ...{
      program: "/bin/sh",
      args: ["-c", "echo ready; exec sleep 1000"],
      cwd: home.path,
      env: ENV,
    },
    input: { read: () => Promise.resolve(big) },
    signal: abort.signal,
    onOutput: () => abort.abort(),
  });
  assert.deepEqual([ended.cancelled, ended.signal], [true, "SIGTERM"]);
});

Deno.test("observer profile starts no program that is talked to", async () => {
  await using home = await tempFolder();
  await using app = confined({ repos: [], home: home.path, profile: "observer" });
  const { input } = talk([]);
  const run = app.processes.run({
    ...{ program: "/bin/true", args: [], cwd: home.path, env: ENV, input },
  });
  await assert.rejects(run, { code: "refused" });
});
