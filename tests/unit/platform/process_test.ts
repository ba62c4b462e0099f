import assert from "node:assert/strict";
import { type Captured, capturedText } from "svc/core/head_tail.ts";
import { denoProcesses, howItEnded, type Run } from "svc/platform/process.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

/** Shorter than the standing ones, so that what waits for them ends soon. */
const processes = denoProcesses({ termGraceMs: 300, drainMs: 300, watchMs: 20, processes: 10 });
/** With the standing limits, where nothing in the test waits for their end. */
const patient = denoProcesses();
const env = { PATH: "/usr/bin:/bin", LC_ALL: "C" };

function sh(script: string, more: Partial<Run> = {}, runner = processes) {
  return runner.run({
    program: "sh",
    args: ["-c", script],
    cwd: "/tmp",
    env,
    refuseUnder: [],
    ...more,
  });
}

const text = (captured: Captured) => capturedText(captured);

function alive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

/** The numbers that the script printed, one a line; every one of them must have run. */
function pids(captured: Captured, count: number): number[] {
  const found = text(captured).trim().split("\n").map(Number);
  assert.equal(found.length, count, text(captured));
  assert.ok(found.every((pid) => pid > 1));
  return found;
}

function assertNoneLeft(captured: Captured, count: number) {
  assert.deepEqual(pids(captured, count).filter(alive), []);
}

/** Stops the command when its output says "ready". */
function onReady(act: () => void): NonNullable<Run["onOutput"]> {
  let seen = "";
  return (chunk) => {
    seen += new TextDecoder().decode(chunk);
    if (seen.includes("ready")) act();
  };
}

Deno.test("run gives exit code, both streams and no survivors", async () => {
  const ended = await sh("echo out; echo err >&2; exit 3", { tag: "codes" });
  assert.equal(text(ended.stdout), "out\n");
  assert.equal(text(ended.stderr), "err\n");
  assert.deepEqual([ended.code, ended.signal, ended.survivorsKilled], [3, undefined, 0]);
  assert.deepEqual([ended.timedOut, ended.cancelled, ended.crowded], [false, false, false]);
  assert.equal(howItEnded(ended), "ended with exit code 3");
});

Deno.test("run tells a signal from an exit code", async () => {
  const killed = await sh("kill -SEGV $$");
  assert.deepEqual([killed.code, killed.signal], [undefined, "SIGSEGV"]);
  assert.equal(howItEnded(killed), "was killed by SIGSEGV");
  const exited = await sh("exit 139");
  assert.deepEqual([exited.code, exited.signal], [139, undefined]);
});

Deno.test("run passes arguments as they are, without a shell", async () => {
  const args = ["%s\n", "$(id)", "a b", "*", ";", "", "é"];
  const ended = await processes.run({ program: "/usr/bin/printf", args, cwd: "/", env });
  assert.equal(text(ended.stdout), "$(id)\na b\n*\n;\n\né\n");
});

Deno.test("run gives the child its own environment, an empty input and its folder", async () => {
  await using folder = await tempFolder();
  const ended = await sh("cat; env; pwd", { cwd: folder.path, env: { PATH: "/usr/bin:/bin" } });
  const lines = text(ended.stdout).trim().split("\n");
  assert.deepEqual(lines.toSorted(), [folder.path, "PATH=/usr/bin:/bin", `PWD=${folder.path}`]);
});

Deno.test("run tags the child below the inherited tag", async () => {
  const ended = await sh("echo $SVC_JOB_ID", { tag: "inner", env: { ...env, SVC_JOB_ID: "o/1" } });
  assert.match(text(ended.stdout), /^o\/1\/inner\/[0-9a-f]{12}\n$/);
});

Deno.test("run writes the input and closes it", async () => {
  const stdin = new Uint8Array(300_000).fill(0x61);
  const ended = await sh("wc -c", { stdin });
  assert.equal(text(ended.stdout).trim(), "300000");
});

Deno.test("run survives a child that does not read its input", async () => {
  const ended = await sh("exec 0<&-; echo done", { stdin: new Uint8Array(1_000_000) });
  assert.equal(text(ended.stdout), "done\n");
});

Deno.test("run leads a session of its own", async () => {
  const ended = await sh("cut -d' ' -f5,6 /proc/$$/stat; echo $$");
  const [ids, pid] = text(ended.stdout).trim().split("\n");
  assert.equal(ids, `${pid} ${pid}`);
});

Deno.test("run ends a child at its timeout", async () => {
  const ended = await sh("exec sleep 100", { timeoutMs: 30 });
  assert.deepEqual([ended.timedOut, ended.cancelled, ended.signal], [true, false, "SIGTERM"]);
  assert.match(howItEnded(ended), /^was stopped after /);
});

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

Deno.test("run is cancelled by its signal", async () => {
  const abort = new AbortController();
  const ended = await sh("echo ready; exec sleep 100", {
    signal: abort.signal,
    onOutput: onReady(() => abort.abort()),
  });
  assert.deepEqual([ended.cancelled, ended.timedOut, ended.signal], [true, false, "SIGTERM"]);
  assert.equal(howItEnded(ended), "was cancelled");
});

Deno.test("run starts nothing when the signal is already aborted", async () => {
  await using folder = await tempFolder();
  const ended = await sh("touch started", { cwd: folder.path, signal: AbortSignal.abort() });
  assert.deepEqual([ended.cancelled, ended.code, ended.stdout.totalBytes], [true, undefined, 0]);
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
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
    assertNoneLeft(ended.stdout, 1);
  });

  Deno.test(`run leaves no ${name} after a normal end`, async () => {
    await using folder = await tempFolder();
    const ended = await sh(`mkfifo p; ${script}\nread pid <p; echo $pid`, {
      cwd: folder.path,
      tag: "escape",
    });
    assert.equal(ended.code, 0);
    assertNoneLeft(ended.stdout, 1);
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
  assert.ok(ended.survivorsKilled > 10);
});

Deno.test("run keeps head and tail of endless output", async () => {
  const abort = new AbortController();
  let seen = 0;
  const ended = await processes.run({
    program: "/usr/bin/yes",
    args: ["0123456"],
    cwd: "/",
    env,
    maxOutputBytes: 4096,
    signal: abort.signal,
    onOutput: (chunk) => {
      seen += chunk.length;
      if (seen > 16 * 1024 * 1024) abort.abort();
    },
  });
  assert.equal(ended.stdout.totalBytes, seen);
  assert.equal(ended.stdout.truncated, true);
  assert.deepEqual([ended.stdout.head.length, ended.stdout.tail.length], [4096, 4096]);
  assert.ok(text(ended.stdout).startsWith("0123456\n0123456\n"));
});

/** Its peak of resident memory grows by what reading a gigabyte takes; in a process of its own. */
const GIGABYTE = `
import { denoProcesses } from "svc/platform/process.ts";
const peak = () => Number(/VmHWM:\\s+(\\d+)/.exec(Deno.readTextFileSync("/proc/self/status"))![1]);
const head = (bytes: string) =>
  denoProcesses().run({
    program: "/usr/bin/head",
    args: ["-c", bytes, "/dev/zero"],
    cwd: "/",
    env: {},
  });
await head("4M");
const before = peak();
const { stdout } = await head("1G");
console.log(JSON.stringify({ read: stdout.totalBytes, grownKb: peak() - before }));
`;

Deno.test("run reads a gigabyte in bounded memory", async () => {
  const ended = await processes.run({
    program: Deno.execPath(),
    args: ["eval", "--ext=ts", GIGABYTE],
    cwd: Deno.cwd(),
    env: { ...env, HOME: Deno.env.get("HOME") ?? "/" },
    timeoutMs: 30_000,
  });
  assert.equal(ended.code, 0, text(ended.stderr));
  const { read, grownKb } = JSON.parse(text(ended.stdout));
  assert.equal(read, 1024 ** 3);
  assert.ok(grownKb < 64 * 1024, `grew by ${grownKb} KiB`);
});

Deno.test("run makes the child wait for a slow onOutput", async () => {
  const seen: string[] = [];
  const ended = await sh("echo a; echo b >&2", {
    onOutput: async (chunk, stream) => {
      await Promise.resolve();
      seen.push(`${stream}:${new TextDecoder().decode(chunk)}`);
    },
  });
  assert.equal(ended.code, 0);
  assert.deepEqual(seen.toSorted(), ["stderr:b\n", "stdout:a\n"]);
});

Deno.test("run throws what onOutput throws, after the child's end", async () => {
  let pid = 0;
  const failing = sh("echo $$; exec sleep 100", {
    tag: "thrower",
    onOutput: (chunk) => {
      pid = Number(new TextDecoder().decode(chunk));
      throw new Error("visitor");
    },
  });
  await assert.rejects(failing, /visitor/);
  assert.ok(pid > 1);
  assert.equal(alive(pid), false);
});

Deno.test("run names what cannot be started", async () => {
  await using folder = await tempFolder();
  await folder.write("plain", "text");
  await folder.write("orphan", "#!/no/such/interpreter\n", { executable: true });
  const run = (program: string, args: string[] = [], cwd = folder.path) =>
    processes.run({ program, args, cwd, env });
  const at = folder.path;
  await assert.rejects(run("no-such-program"), {
    code: "environment",
    message: 'Cannot run "no-such-program": no such program on PATH',
  });
  await assert.rejects(run(`${at}/gone`), { code: "environment", message: /does not exist$/ });
  await assert.rejects(run(`${at}/orphan`), { code: "environment", message: /interpreter/ });
  await assert.rejects(run(`${at}/plain`), { code: "environment", message: /not an executable/ });
  await assert.rejects(run(at), { code: "environment", message: /not an executable/ });
  await assert.rejects(run("/bin/true", [], `${at}/gone`), {
    code: "environment",
    message: `Cannot run "/bin/true" in "${at}/gone": no such folder`,
  });
  await assert.rejects(run("/bin/true", [], `${at}/plain`), /no such folder/);
  await assert.rejects(run("/bin/true", ["a\0b"]), { code: "usage" });
  await assert.rejects(run("/bin/true", ["x".repeat(3_000_000)]), { code: "usage" });
});

Deno.test("run never takes a program planted in its folder", async () => {
  await using folder = await tempFolder();
  await folder.write("id", "#!/bin/sh\necho planted\n", { executable: true });
  for (const path of [".:/usr/bin:/bin", ":/usr/bin", `${folder.path}:/usr/bin`]) {
    const ended = await processes.run({
      program: "id",
      args: ["-u"],
      cwd: folder.path,
      env: { PATH: path },
    });
    assert.match(text(ended.stdout), /^\d+\n$/);
  }
  await assert.rejects(
    processes.run({ program: "./id", args: [], cwd: folder.path, env }),
    { code: "usage" },
  );
});

Deno.test("run keeps the first meaning of a name", async () => {
  await using folder = await tempFolder();
  const own = denoProcesses();
  const path = `${folder.path}/early:${folder.path}/late`;
  await folder.write("late/tool", "#!/bin/sh\necho late\n", { executable: true });
  const command: Run = {
    program: "tool",
    args: [],
    cwd: "/",
    env: { PATH: path },
    refuseUnder: [],
  };
  await own.run(command);
  await folder.write("early/tool", "#!/bin/sh\necho early\n", { executable: true });
  assert.equal(text((await own.run(command)).stdout), "late\n");
});
