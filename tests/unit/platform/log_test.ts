import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { redactor } from "svc/core/redact.ts";
import { type Clock, systemClock } from "svc/platform/clock.ts";
import { commandLog } from "svc/platform/log.ts";
import { cannotMount, tmpfs } from "tests/kit/odd_disks.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const clock: Clock = { ...systemClock, now: () => Date.UTC(2026, 10, 21, 10, 29, 3) };
const SECRET = "canary-secret-value";

function logIn(folder: string, file?: string) {
  return commandLog({
    folder: () => folder,
    ...(file !== undefined && { file }),
    command: "guardrails secret-scan",
    clock,
    redact: redactor([SECRET]),
  });
}

verifies(
  "2.1:command-log:default-path",
  "the log is YYYYMMDD-HHMMSS-command.log, owner-only",
  async () => {
    await using temp = await tempFolder();
    const folder = `${temp.path}/traces/logs`;
    const log = logIn(folder);
    assert.equal(log.path(), undefined);
    log.write("info", "scanning", { files: 3 });
    const path = `${folder}/20261121-102903-guardrails-secret-scan.log`;
    assert.equal(log.path(), path);
    log.close();
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o700);
    assert.equal(
      await Deno.readTextFile(path),
      "2026-11-21T10:29:03.000Z INFO  scanning files=3\n",
    );
  },
);

Deno.test("a second run in the same second gets a log of its own", async () => {
  await using temp = await tempFolder();
  const [first, second] = [logIn(temp.path), logIn(temp.path)];
  first.write("info", "one");
  second.write("info", "two");
  first.close();
  assert.match(second.path()!, /secret-scan-2\.log$/);
  second.close();
});

Deno.test("a line of the log holds no secret and no line break, causes included", async () => {
  await using temp = await tempFolder();
  const log = logIn(temp.path);
  const cause = new Error(`inner ${SECRET}`, { cause: new Error("root cause") });
  log.write("error", `two\nlines ${SECRET}`, { cause, bytes: btoa(SECRET) });
  const path = log.path()!;
  log.close();
  const text = await Deno.readTextFile(path);
  assert.equal(text.split("\n").length, 2);
  assert.ok(!text.includes(SECRET) && !text.includes(btoa(SECRET)), text);
  assert.match(text, /root cause/);
});

Deno.test("a named log file is appended to and made owner-only", async () => {
  await using temp = await tempFolder();
  const file = `${temp.path}/own.log`;
  await Deno.writeTextFile(file, "", { mode: 0o644 });
  for (const text of ["one", "two"]) {
    const log = logIn("/nonexistent", file);
    log.write("info", text);
    log.close();
  }
  assert.equal((await Deno.readTextFile(file)).split("\n").length, 3);
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
});

Deno.test("a log that cannot be opened is a clear failure", () => {
  assert.throws(
    () => logIn("/dev/null/logs").open(),
    (error) =>
      error instanceof Failure && error.code === "environment" &&
      /command log "\/dev\/null\/logs"/.test(error.message) &&
      /SVC_HOME/.test(error.detail.remedy!),
  );
});

Deno.test("a line that the disk does not take is a clear failure", {
  ignore: await cannotMount(),
}, async () => {
  await using disk = await tmpfs(64);
  const log = logIn(disk.path);
  log.open();
  await assert.rejects(Deno.writeFile(`${disk.path}/filler`, new Uint8Array(128 * 1024)));
  assert.throws(() => log.write("info", "scanning"), {
    code: "environment",
    message: `Cannot write the command log "${log.path()}": the disk is full`,
    remedy: "Free space on its disk, and see that files may grow (ulimit -f)",
  });
  log.close();
});

Deno.test("a full disk ends nobody whose log it was: what is missing is counted", {
  ignore: await cannotMount(),
}, async () => {
  await using disk = await tmpfs(64);
  const log = logIn(disk.path);
  log.write("info", "before");
  await assert.rejects(Deno.writeFile(`${disk.path}/filler`, new Uint8Array(128 * 1024)));
  // More than fits into what is left of the file's last page.
  log.write("info", "x".repeat(5000));
  log.write("warn", "a heartbeat failed");
  await Deno.remove(`${disk.path}/filler`);
  log.write("info", "after");
  log.write("info", "later");
  const path = log.path()!;
  log.close();
  const lines = (await Deno.readTextFile(path)).trimEnd().split("\n");
  assert.match(lines[0]!, /INFO {2}before$/);
  assert.deepEqual(lines.slice(-3).map((line) => line.replace(/^\S+ /, "")), [
    "WARN  2 lines missing: the disk did not take more",
    "INFO  after",
    "INFO  later",
  ]);
});

Deno.test("no empty line stands before the number of missing lines where none of them was begun", {
  ignore: await cannotMount(),
}, async () => {
  await using disk = await tmpfs(64);
  const log = logIn(disk.path);
  // Up to the last byte of a page.
  log.write("info", "x".repeat(4096 - "2026-11-21T10:29:03.000Z INFO  \n".length));
  await assert.rejects(Deno.writeFile(`${disk.path}/filler`, new Uint8Array(128 * 1024)));
  log.write("warn", "a heartbeat failed");
  await Deno.remove(`${disk.path}/filler`);
  log.write("info", "after");
  const path = log.path()!;
  log.close();
  const lines = (await Deno.readTextFile(path)).trimEnd().split("\n").slice(1);
  assert.deepEqual(lines.map((line) => line.replace(/^\S+ /, "")), [
    "WARN  1 line missing: the disk did not take more",
    "INFO  after",
  ]);
});

Deno.test("what a check or a repo says reaches no terminal that shows the log", async () => {
  await using temp = await tempFolder();
  const log = logIn(temp.path);
  log.write("info", "stdout: \x1b]52;c;cm0=\x07a\rb\x9b2Jc\td\x7f", { odd: "\x9d0;e" });
  const path = log.path()!;
  log.close();
  assert.equal(
    (await Deno.readTextFile(path)).replace(/^\S+ /, ""),
    'INFO  stdout: \\u001b]52;c;cm0=\\u0007a\\u000db\\u009b2Jc\td\\u007f odd="\\u009d0;e"\n',
  );
});

Deno.test("a log file that is a link is refused", async () => {
  await using temp = await tempFolder();
  await temp.write("target", "");
  await Deno.symlink(`${temp.path}/target`, `${temp.path}/link`);
  assert.throws(
    () => logIn(temp.path, `${temp.path}/link`).open(),
    (error) => error instanceof Failure && error.code === "usage",
  );
});

Deno.test("a log that is rotated or removed is begun anew; one that cannot be goes on where it is", async () => {
  await using temp = await tempFolder();
  const folder = `${temp.path}/logs`;
  await Deno.mkdir(folder);
  const path = `${folder}/serve.log`;
  const log = logIn(folder, path);
  const lines = async (name: string) =>
    (await Deno.readTextFile(`${folder}/${name}`)).trimEnd().split("\n").map((line) => line.at(-1));
  log.write("info", "1");
  await Deno.rename(path, `${path}.1`);
  log.write("info", "2");
  await Deno.rename(path, `${path}.2`);
  await Deno.writeTextFile(path, ""); // as logrotate's `create` does
  log.write("info", "3");
  log.write("info", "4");
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  assert.deepEqual(await lines("serve.log.1"), ["1"]);
  assert.deepEqual(await lines("serve.log.2"), ["2"]);
  assert.deepEqual(await lines("serve.log"), ["3", "4"]);
  await Deno.rename(folder, `${folder}.away`);
  log.write("info", "5");
  await Deno.rename(`${folder}.away`, folder);
  log.write("info", "6");
  log.close();
  assert.deepEqual(await lines("serve.log"), ["3", "4", "5", "6"]);
});
