/** `deno compile`: what it says without its runtime, and the executable where there is one. */
import assert from "node:assert/strict";
import { VERSION } from "svc/core/version.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const root = decodeURIComponent(new URL("../../..", import.meta.url).pathname);
const denort = Deno.env.get("DENORT_BIN");

async function compile(env: Record<string, string>) {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${root}tools/compile.ts`],
    env,
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

Deno.test("compile without a denort says so, and what to do instead", async () => {
  const { code, stderr } = await compile({ DENORT_BIN: "/nonexistent/denort" });
  assert.equal(code, 5);
  assert.match(stderr, /^Cannot compile svc: .*denort/);
  assert.match(stderr, /try: set DENORT_BIN .* make portable/);
});

Deno.test("the compiled executable runs without Deno, and knows how it was built", {
  ignore: denort === undefined,
}, async () => {
  assert.equal((await compile({})).code, 0);
  await using home = await tempFolder();
  const { stdout } = await new Deno.Command(`${root}dist/svc`, {
    args: ["version", "--json"],
    clearEnv: true,
    env: { HOME: home.path },
  }).output();
  const { version, build } = JSON.parse(new TextDecoder().decode(stdout));
  assert.deepEqual([version, build], [VERSION, "compiled"]);
});
