import assert from "node:assert/strict";
import { denoProcesses, howItEnded, type Run } from "svc/platform/process/process.ts";
import { cannotStart } from "svc/platform/process/start.ts";
import { alive, env, onReady, patient, processes, sh, text } from "tests/kit/shell_run.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

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

Deno.test("run is cancelled by its signal", async () => {
  const abort = new AbortController();
  const ended = await sh("echo ready; exec sleep 100", {
    signal: abort.signal,
    onOutput: onReady(() => abort.abort()),
  });
  assert.deepEqual([ended.cancelled, ended.timedOut, ended.signal], [true, false, "SIGTERM"]);
  assert.equal(howItEnded(ended), "was cancelled");
});

Deno.test("run ends a child that has no session yet", async () => {
  const starts = Array.from({ length: 20 }, async () => {
    const abort = new AbortController();
    const ending = sh("exec sleep 100", { signal: abort.signal });
    abort.abort();
    const { cancelled, signal } = await ending;
    assert.deepEqual([cancelled, signal], [true, "SIGTERM"]);
  });
  await Promise.all(starts);
});

Deno.test("run tells setsid's own words from those of a child", async () => {
  const said = 'echo "setsid: failed to execute gone: No such file or directory" >&2; exit 127';
  assert.equal((await sh(said)).code, 127);
  assert.equal((await sh("setsid /no/such/program")).code, 127);
});

Deno.test("run starts nothing when the signal is already aborted", async () => {
  await using folder = await tempFolder();
  const ended = await sh("touch started", { cwd: folder.path, signal: AbortSignal.abort() });
  assert.deepEqual([ended.cancelled, ended.code, ended.stdout.totalBytes], [true, undefined, 0]);
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
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
import { denoProcesses } from "svc/platform/process/process.ts";
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

Deno.test("what is lacking for any program is told as that, and may be there again", () => {
  const coded = (code: string) => Object.assign(new Error("raw text"), { code });
  const told = ["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "ENOEXEC"].map((code) => {
    const { message, detail } = cannotStart("git", coded(code));
    return [message.replace('Cannot run "git": ', ""), detail.waits ?? false];
  });
  assert.deepEqual(told, [
    ["no more processes may run here", true],
    ["svc has too many files open", true],
    ["too many files are open on this machine", true],
    ["there is no memory left", true],
    ["the system refuses to start it", false],
  ]);
});

Deno.test("a process limit that is reached is told as that", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  // Each program that runs keeps pipes open.
  const script = `
    import { start } from "svc/platform/process/start.ts";
    const run = { program: "sleep", args: ["100"], cwd: "/", env: {} };
    const begun = [];
    try {
      for (;;) begun.push(start(run, "/usr/bin/sleep", { tag: undefined, session: true }));
    } catch (failure) {
      console.log(failure.message);
    }
    for (const child of begun) child.kill("SIGKILL");
    Deno.exit(0);`;
  await using folder = await tempFolder();
  await folder.write("starts.ts", script);
  const ended = await patient.run({
    program: "sh",
    args: [
      ...["-c", 'ulimit -n 48; exec "$@"', "sh", Deno.execPath(), "run", "-A", "--no-check"],
      ...["--config", `${Deno.cwd()}/deno.json`, `${folder.path}/starts.ts`],
    ],
    cwd: Deno.cwd(),
    env: { ...env, HOME: Deno.env.get("HOME") ?? "/" },
  });
  assert.equal(
    text(ended.stdout),
    'Cannot run "/usr/bin/sleep": svc has too many files open\n',
    text(ended.stderr),
  );
});

/** Run where only `sleep` may be started. */
const CONFINED = `
import { denoProcesses } from "svc/platform/process/process.ts";
const run = (seconds: string, more: object) =>
  denoProcesses().run({ program: "/usr/bin/sleep", args: [seconds], cwd: "/", env: {}, ...more });
const [late, done] = [await run("100", { timeoutMs: 30 }), await run("0", {})];
const tagged = await run("100", { tag: "x" }).catch((failure) => failure.code);
console.log(late.timedOut, late.signal, done.code, tagged);
`;

Deno.test("run ends its child where Deno grants one program only", async () => {
  await using folder = await tempFolder();
  await folder.write("confined.ts", CONFINED);
  const ended = await patient.run({
    program: Deno.execPath(),
    args: [
      ...["run", "--no-prompt", "--allow-read", "--allow-run=/usr/bin/sleep"],
      ...["--config", `${Deno.cwd()}/deno.json`, `${folder.path}/confined.ts`],
    ],
    cwd: Deno.cwd(),
    env: { ...env, HOME: Deno.env.get("HOME") ?? "/" },
  });
  assert.equal(text(ended.stdout), "true SIGTERM 0 refused\n", text(ended.stderr));
});
