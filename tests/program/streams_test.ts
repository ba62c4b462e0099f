/** Readers that go away, and homes that cannot be used. */
import assert from "node:assert/strict";
import { svcCommand } from "tests/kit/script.ts";
import { verifies } from "tests/kit/verifies.ts";

async function shell(line: string, env: Record<string, string> = {}) {
  const svc = svcCommand().map((word) => `'${word}'`).join(" ");
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", `set -o pipefail; svc() { ${svc} "$@"; }; ${line}`],
    env,
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("a reader that closes stdout early ends svc quietly", async () => {
  for (const args of ["--help", "version", "version --json"]) {
    const { stderr, code } = await shell(`svc ${args} | true`);
    assert.deepEqual([code, stderr], [0, ""]);
  }
});

Deno.test("a stdout that is closed from the start is no crash", async () => {
  const { stderr } = await shell("svc version >&-");
  assert.ok(!/error|panic|stack/i.test(stderr), stderr);
});

Deno.test("a stdout on a full disk is a clear failure", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const { code, stderr } = await shell("svc --help > /dev/full");
  assert.equal(code, 5);
  assert.match(stderr, /Cannot write the output.*\ntry: /);
});

verifies(
  "7:cli:failure-exits-non-zero",
  "every failure exits non-zero and says the way out",
  async () => {
    for (const args of ["nonsense", "version --nonsense", "version more words"]) {
      const { code, stderr } = await shell(`svc ${args}`);
      assert.equal(code, 2);
      assert.match(stderr, /^svc: .+\ntry: .+/);
    }
  },
);

verifies(
  ["4.5:release-verify-assets:unknown", "4.5:release-audit:unknown"],
  "the retired release commands are unknown",
  async () => {
    for (const args of ["release verify-assets", "release audit"]) {
      const { code, stderr } = await shell(`svc ${args}`);
      assert.equal(code, 2);
      assert.match(stderr, /unknown command/);
    }
  },
);
