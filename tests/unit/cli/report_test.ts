import assert from "node:assert/strict";
import { report } from "svc/cli/report.ts";
import { Failure } from "svc/core/failure.ts";
import { capturedEntrance } from "tests/kit/entrance.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

Deno.test("an internal failure shows no raw cause; the log holds it, owner-only", async () => {
  await using temp = await tempFolder();
  const { entrance, stderr } = capturedEntrance({ env: { SVC_HOME: `${temp.path}/home` } });
  const code = await report(entrance, ["scan"], Failure.from(new Error("raw detail")));
  assert.equal(code, 70);
  assert.ok(!stderr.text.includes("raw detail"), stderr.text);
  const path = stderr.text.match(/^try: See the cause in (\S+)$/m)?.[1] ?? "";
  assert.match(path, /traces\/logs\/\d{8}-\d{6}-scan\.log$/);
  assert.match(await Deno.readTextFile(path), /raw detail/);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
});

Deno.test("an internal failure without a usable home still says what happened", async () => {
  const { entrance, stderr } = capturedEntrance({ env: { SVC_HOME: "/dev/null/home" } });
  assert.equal(await report(entrance, [], Failure.from(new Error("raw detail"))), 70);
  assert.match(stderr.text, /Unexpected failure\ntry: .*SVC_HOME/);
  assert.ok(!stderr.text.includes("raw detail"));
});

Deno.test("a known secret is taken out of message, remedy and JSON", async () => {
  const SECRET = "hunter2-hunter2-hunter2";
  const failure = new Failure("failed", `Cannot use ${SECRET}`, { remedy: `drop ${btoa(SECRET)}` });
  const env = { SVC_HOME: "/nonexistent/home", SVC_TELEMETRY_TOKEN: SECRET };
  for (const args of [[], ["--json"]]) {
    const { entrance, stdout, stderr } = capturedEntrance({ env });
    await report(entrance, args, failure);
    assert.match(stdout.text + stderr.text, /\[redacted\]/);
    assert.ok(!(stdout.text + stderr.text).includes("hunter2"));
    assert.ok(!(stdout.text + stderr.text).includes(btoa(SECRET).slice(0, 12)));
  }
});

Deno.test("a secret of the config file is known too, even when that file is broken", async () => {
  await using temp = await tempFolder();
  await temp.write("home/config.yaml", "codehost_token: abcdef-123456\nbroken: [\n");
  const { entrance, stderr } = capturedEntrance({ env: { SVC_HOME: `${temp.path}/home` } });
  await report(entrance, [], new Failure("failed", "Cannot use abcdef-123456"));
  assert.ok(!stderr.text.includes("abcdef-123456"), stderr.text);
});
