import assert from "node:assert/strict";
import { watched } from "tools/watched.ts";

const shell = (script: string) =>
  new Deno.Command("sh", { args: ["-c", script], stdout: "piped", stderr: "piped" });

Deno.test("a process that ends is told whole", async () => {
  const ended = await watched(shell("echo out; echo err >&2; exit 3"));
  assert.deepEqual(ended, { code: 3, stdout: "out\n", stderr: "err\n", hung: undefined });
});

Deno.test("a process that falls silent is named and ended, its children too", async () => {
  const ended = await watched(shell("echo begun; sleep 987 & wait"), { silence: 500 });
  assert.equal(ended.stdout, "begun\n");
  assert.match(ended.hung ?? "", /sleep 987/);
  const left = await new Deno.Command("pgrep", { args: ["-fx", "sleep 987"] }).output();
  assert(!left.success, "a child was left behind");
});

Deno.test("a child that holds the output open does not hold up the run", async () => {
  const ended = await watched(shell("echo done; sleep 30 & echo $!"), { pipes: 200 });
  assert.equal(ended.code, 0);
  assert.match(ended.hung ?? "", /left a process behind/);
  Deno.kill(Number(ended.stdout.split("\n")[1]), "SIGKILL");
});
