/** What needs no home works without one, in an empty environment. */
import assert from "node:assert/strict";

const root = decodeURIComponent(new URL("../..", import.meta.url).pathname);

Deno.test("help and version need neither HOME nor PATH", async () => {
  const env = { DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno` };
  const asked = [["--help"], ["version"], ["version", "--json"], ["scan", "--help"]];
  const outputs = await Promise.all(asked.map((words) =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--quiet", `${root}main.ts`, ...words],
      clearEnv: true,
      env,
    }).output()
  ));
  for (const [at, { code, stdout, stderr }] of outputs.entries()) {
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.deepEqual([code, err], [0, ""], asked[at]!.join(" "));
    assert.match(out!, /svc|Scan|version/);
  }
});
