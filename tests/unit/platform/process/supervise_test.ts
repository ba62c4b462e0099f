import assert from "node:assert/strict";
import type { Captured } from "svc/core/head_tail.ts";
import { alive, env, onReady, patient, processes, sh, text } from "tests/kit/shell_run.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { until } from "tests/kit/until.ts";

/** The numbers that the script printed, one a line; every one of them must have run. */
function pids(captured: Captured, count: number): number[] {
  const found = text(captured).trim().split("\n").map(Number);
  assert.equal(found.length, count, text(captured));
  assert.ok(found.every((pid) => pid > 1));
  return found;
}

/** A process that got KILL may take a moment to leave /proc; one that did not would sleep on. */
async function assertNoneLeft(captured: Captured, count: number) {
  const all = pids(captured, count);
  await until(() => !all.some(alive), () => `still alive: ${all.filter(alive).join(", ")}`);
}

Deno.test("run kills a child that ignores TERM", async () => {
  const abort = new AbortController();
  const ended = await sh("trap '' TERM; echo ready; while :; do sleep 100; done", {
    signal: abort.signal,
    onOutput: onReady(() => abort.abort()),
  });
  assert.deepEqual([ended.cancelled, ended.signal, ended.code], [true, "SIGKILL", undefined]);
});

Deno.test("run lets a child clean up on TERM", async () => {
  const abort = new AbortController();
  const script = "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done";
  const more = { signal: abort.signal, onOutput: onReady(() => abort.abort()) };
  const ended = await sh(script, more, patient);
  assert.deepEqual([ended.cancelled, ended.code], [true, 7]);
  assert.equal(text(ended.stdout), "ready\nbye\n");
});

Deno.test("run lets a grandchild flush although its parent is gone at once", async () => {
  const abort = new AbortController();
  const script = `(trap 'sleep 0.05; echo flushed; exit' TERM; echo ready; \
while :; do sleep 0.01; done) & wait`;
  const more = { signal: abort.signal, onOutput: onReady(() => abort.abort()) };
  const ended = await sh(script, more, patient);
  assert.equal(text(ended.stdout), "ready\nflushed\n");
});

/** Each writes the number of its process into the pipe `p`. */
const ESCAPES: Record<string, string> = {
  "background child": "sh -c 'echo $$ >p; exec sleep 100' &",
  "setsid child": "setsid sh -c 'echo $$ >p; exec sleep 100' &",
  "double fork": "setsid sh -c 'sh -c \"echo \\$\\$ >p; exec sleep 100\" & exit' &",
  "nohup child": "nohup sh -c 'echo $$ >p; exec sleep 100' &",
  "setsid child that ignores TERM": `setsid sh -c 'trap "" TERM; echo $$ >p; sleep 100' &`,
  "child that gave up the output": "setsid sh -c 'echo $$ >p; exec sleep 100' >&- 2>&- &",
};

for (const [name, script] of Object.entries(ESCAPES)) {
  Deno.test(`run leaves no ${name} when it stops a command`, async () => {
    await using folder = await tempFolder();
    const abort = new AbortController();
    const ended = await sh(`mkfifo p; ${script}\nread pid <p; echo $pid; sleep 100`, {
      cwd: folder.path,
      tag: "escape",
      signal: abort.signal,
      onOutput: () => abort.abort(),
    });
    assert.equal(ended.cancelled, true);
    await assertNoneLeft(ended.stdout, 1);
  });

  Deno.test(`run leaves no ${name} after a normal end`, async () => {
    await using folder = await tempFolder();
    const ended = await sh(`mkfifo p; ${script}\nread pid <p; echo $pid`, {
      cwd: folder.path,
      tag: "escape",
    });
    assert.equal(ended.code, 0);
    await assertNoneLeft(ended.stdout, 1);
    assert.ok(ended.survivorsKilled >= 1);
  });
}

Deno.test("run ends a group member that emptied its environment", async () => {
  const ended = await sh("env -i sleep 100 & echo $!");
  const [pid] = pids(ended.stdout, 1);
  // Killed, but without a tag nobody looked whether it is gone yet.
  while (alive(pid!)) await Promise.resolve();
});

Deno.test("run does not wait for a grandchild that holds the output open", async () => {
  await using folder = await tempFolder();
  // Neither in the group nor tagged: only the bound on reading gets past it.
  const escape = "env -i setsid sh -c 'echo $$ >p; exec sleep 100' &";
  const ended = await sh(`mkfifo p; ${escape}\nread pid <p; echo $pid`, {
    cwd: folder.path,
    tag: "holder",
  });
  const [pid] = pids(ended.stdout, 1);
  assert.equal(alive(pid!), true);
  Deno.kill(pid!, "SIGKILL");
  assert.deepEqual([ended.code, ended.timedOut, ended.survivorsKilled], [0, false, 0]);
});

Deno.test("run reads what comes shortly after the leader's end", async () => {
  const script = "(while kill -0 $$ 2>&-; do :; done; echo late) & echo early";
  const ended = await sh(script, {}, patient);
  assert.equal(text(ended.stdout), "early\nlate\n");
});

Deno.test("run does not touch another command of the same tag", async () => {
  const abort = new AbortController();
  const ready = Promise.withResolvers<void>();
  const other = sh("echo ready; exec sleep 100", {
    tag: "job",
    signal: abort.signal,
    onOutput: onReady(ready.resolve),
  });
  await ready.promise;
  assert.equal((await sh("sleep 100 &", { tag: "job" })).survivorsKilled, 1);
  abort.abort();
  assert.deepEqual([(await other).cancelled, (await other).signal], [true, "SIGTERM"]);
});

Deno.test("sweep ends all commands of a tag, nested ones as well, and no others", async () => {
  const tag = `sweep-${crypto.randomUUID()}`;
  const started = (tag: string, inherited: string) => {
    const ready = Promise.withResolvers<void>();
    const done = sh("echo ready; exec sleep 100", {
      tag,
      env: { ...env, SVC_JOB_ID: inherited },
      onOutput: onReady(ready.resolve),
      timeoutMs: 3000,
    });
    return ready.promise.then(() => ({ done }));
  };
  const mine = await started(tag, "outer/a");
  const nested = await started("inner", `${tag}/b`);
  const alike = await started(`${tag}1`, "outer/a");
  assert.equal(await processes.sweep(tag), 2);
  assert.equal((await mine.done).signal, "SIGKILL");
  assert.equal((await nested.done).signal, "SIGKILL");
  assert.equal(await processes.sweep(`${tag}1`), 1);
  assert.equal((await alike.done).signal, "SIGKILL");
  await assert.rejects(processes.sweep(""), { code: "internal" });
});

Deno.test("run ends a command that starts too many processes", async () => {
  const script = "i=0; while [ $i -lt 15 ]; do setsid sleep 100 & i=$((i+1)); done; wait";
  const ended = await sh(script, { tag: "crowd" });
  assert.equal(ended.crowded, true);
  // Some were still in the group that the signal ended; how many depends on the machine.
  assert.ok(ended.survivorsKilled > 0);
});
