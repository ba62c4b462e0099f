import assert from "node:assert/strict";
import { uuidV7 } from "svc/core/ids.ts";
import { REDACTED, redactor } from "svc/core/redact.ts";
import { type CheckPorts, runCheck } from "svc/features/checks/run_check.ts";
import { systemClock } from "svc/platform/clock.ts";
import { commandLog } from "svc/platform/log.ts";
import { cannotStart } from "svc/platform/process/start.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { type TempFolder, tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const SECRET = "correct-horse-battery";
const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/root", GITHUB_TOKEN: SECRET };

interface Ran {
  readonly check: Awaited<ReturnType<typeof runCheck>>;
  readonly shown: { readonly stdout: string; readonly stderr: string };
  readonly log: string;
}

async function run(
  folder: TempFolder,
  words: readonly string[],
  other: Partial<CheckPorts> = {},
  env: Readonly<Record<string, string>> = ENV,
): Promise<Ran> {
  const redact = redactor([SECRET]);
  const logs = () => `${folder.path}/logs`;
  const log = commandLog({ folder: logs, command: "checks run", clock: systemClock, redact });
  const shown = { stdout: "", stderr: "" };
  await Deno.mkdir(`${folder.path}/repo`, { recursive: true });
  try {
    const check = await runCheck({
      processes: denoProcesses(),
      clock: systemClock,
      log,
      redact,
      signal: new AbortController().signal,
      show: (text, stream) => void (shown[stream] += text),
      ...other,
    }, {
      id: uuidV7(Date.now()),
      repo: {
        ...{ id: "0123456789ab", root: `${folder.path}/repo` },
        commonDir: `${folder.path}/repo/.git`,
      },
      step: "checks",
      name: "test",
      role: "engineer",
      words,
      env,
    });
    return { check, shown, log: await Deno.readTextFile(check.log_path) };
  } finally {
    log.close();
  }
}

verifies("4.5:checks-run:runs-in-target", "a check runs in the root of the repo", async () => {
  await using folder = await tempFolder();
  const { check, shown, log } = await run(folder, ["sh", "-c", "pwd; echo warned >&2"]);
  assert.deepEqual(shown, { stdout: `${folder.path}/repo\n`, stderr: "warned\n" });
  assert.match(log, new RegExp(`INFO  stdout: ${folder.path}/repo\n`));
  assert.match(log, /INFO {2}stderr: warned\n/);
  const { outcome, ending, exit_code, signal, reason, command } = check;
  assert.deepEqual({ outcome, ending, exit_code, signal, reason }, {
    outcome: "passed",
    ending: "exited",
    exit_code: 0,
    signal: null,
    reason: null,
  });
  assert.equal(command, '["sh","-c","pwd; echo warned >&2"]');
});

Deno.test("a check tells exit status, signal and a program that is not there apart", async () => {
  await using folder = await tempFolder();
  await folder.write("repo/data.txt", "");
  const ended = async (...words: string[]) => {
    const { outcome, ending, exit_code, signal, reason } = (await run(folder, words)).check;
    assert.equal(outcome, "checks_failed");
    return [ending, exit_code, signal, reason];
  };
  assert.deepEqual(await ended("sh", "-c", "exit 7"), [
    "exited",
    7,
    null,
    "ended with exit code 7",
  ]);
  assert.deepEqual(
    await ended("sh", "-c", "kill -TERM $$"),
    ["signalled", null, "SIGTERM", "was killed by SIGTERM"],
  );
  assert.deepEqual(
    await ended("no-such-program"),
    [
      "not_started",
      null,
      null,
      'Cannot run "no-such-program": no such program on PATH. ' +
      "Install no-such-program outside the repo and put its folder on PATH",
    ],
  );
  assert.deepEqual(
    await ended("./data.txt"),
    [
      "not_started",
      null,
      null,
      `Cannot run "${folder.path}/repo/data.txt": it is not an executable file. ` +
      `chmod +x ${folder.path}/repo/data.txt`,
    ],
  );
});

Deno.test("a machine that can start no program now says nothing of a check", async () => {
  await using folder = await tempFolder();
  const busy = Object.assign(new Error("Resource temporarily unavailable"), { code: "EAGAIN" });
  const processes = { run: () => Promise.reject(cannotStart("make", busy)) };
  await assert.rejects(run(folder, ["make"], { processes }), {
    message: 'Cannot run "make": no more processes may run here',
  });
});

Deno.test("a check finds programs of the repo by path, and on PATH", async () => {
  await using folder = await tempFolder();
  const script = "#!/bin/sh\necho own\n";
  await folder.write("repo/bin/own", script, { executable: true });
  assert.equal((await run(folder, ["./bin/own"])).shown.stdout, "own\n");
  assert.equal((await run(folder, ["bin/own"])).shown.stdout, "own\n");
  const env = { PATH: `${folder.path}/repo/bin:${ENV.PATH}` };
  assert.equal((await run(folder, ["own"], {}, env)).shown.stdout, "own\n");
});

Deno.test("words reach the program as they are: no shell reads them", async () => {
  await using folder = await tempFolder();
  const words = ["printf", "%s|", "$HOME", "a b", "; exit 1", "*", '"'];
  assert.equal((await run(folder, words)).shown.stdout, '$HOME|a b|; exit 1|*|"|');
});

Deno.test("a check sees a few variables only, and no secret of svc", async () => {
  await using folder = await tempFolder();
  const { shown } = await run(folder, ["env"]);
  const names = shown.stdout.trim().split("\n").map((line) => line.split("=")[0]).sort();
  assert.deepEqual(names, ["HOME", "PATH", "SVC_JOB_ID"]);
});

Deno.test("no secret is shown, logged or recorded", async () => {
  await using folder = await tempFolder();
  const { check, shown, log } = await run(folder, ["sh", "-c", `echo ${SECRET}; ${SECRET}`]);
  assert.match(shown.stdout, new RegExp(RegExp.escape(REDACTED)));
  for (const text of [shown.stdout, shown.stderr, log, JSON.stringify(check)]) {
    assert.ok(!text.includes(SECRET), text);
  }
  assert.deepEqual(JSON.parse(check.command)[1], "-c");
});

Deno.test("output is shown while the command runs", async () => {
  await using folder = await tempFolder();
  const { promise, resolve } = Promise.withResolvers<void>();
  const fifo = `${folder.path}/fifo`;
  await new Deno.Command("mkfifo", { args: [fifo] }).output();
  // The command goes on only when its first line was shown.
  const release = promise.then(() => Deno.writeTextFile(fifo, "go\n"));
  const shown: string[] = [];
  const show = (text: string) => {
    shown.push(text);
    resolve();
  };
  await run(folder, ["sh", "-c", `echo first; read line < "${fifo}"; echo $line`], { show });
  await release;
  assert.equal(shown.join(""), "first\ngo\n");
});

Deno.test("a check that is cancelled has no outcome", async () => {
  await using folder = await tempFolder();
  const controller = new AbortController();
  const reason = new Error("stop");
  const show = () => controller.abort(reason);
  const running = run(folder, ["sh", "-c", "echo on; sleep 600"], {
    show,
    signal: controller.signal,
  });
  await assert.rejects(running, (thrown) => thrown === reason);
});

Deno.test("output that cannot be shown is a fault of svc, not a failed check", async () => {
  await using folder = await tempFolder();
  const show = () => {
    throw new Error("the terminal is gone");
  };
  await assert.rejects(run(folder, ["echo", "on"], { show }), /the terminal is gone/);
});
