import assert from "node:assert/strict";
import { breakagesFor } from "svc/runtime/trial/breakages.ts";

type Files = Readonly<Record<string, string>>;

async function broken(check: string, files: Files): Promise<[what: string, paths: string[]][]> {
  const read = (path: string) => Promise.resolve(files[path]);
  const found = await breakagesFor(check, { paths: Object.keys(files), read });
  return found.map(({ what, files }) => [what, [...files.keys()]]);
}

Deno.test("a test has to notice that no test runs, and that what most tests load is empty", async () => {
  const files = {
    "index.js": "",
    "lib/other.js": "",
    "test/a.js": "const x = require('../');\nconst o = require('../lib/other');",
    "test/b.js": "import x from '../index.js';",
    "test/data.json": "{}",
    "README.md": "",
  };
  assert.deepEqual(await broken("test", files), [
    ["none of 2 test files runs", ["test/a.js", "test/b.js"]],
    ["index.js is empty", ["index.js"]],
  ]);
});

Deno.test("a folder of tests counts before a lone file, so that a demo of that name is seen through", async () => {
  const cjson = { "cJSON.c": "", "cJSON.h": "", "test.c": "", "tests/misc_tests.c": "" };
  assert.deepEqual(await broken("test", cjson), [
    ["tests/misc_tests.c does not run", ["tests/misc_tests.c"]],
  ]);
  const parser = { "http_parser.c": "", "test.c": "" };
  assert.deepEqual(await broken("test", parser), [["test.c does not run", ["test.c"]]]);
});

Deno.test("what tests nothing has to notice broken sources; files that steer the tools stay", async () => {
  const files = { "src/a.ts": "", "eslint.config.js": "", "setup.py": "", "docs/a.md": "" };
  assert.deepEqual(await broken("lint", files), [["src/a.ts does not run", ["src/a.ts"]]]);
  assert.deepEqual(await broken("test", { "README.md": "" }), []);
});

Deno.test("broken files do not parse, or end at once: no changed code runs", async () => {
  const files = { "tests/a.sh": "#!/bin/sh\nrm -r x\n", "tests/b.c": "int main(void) {}\n" };
  const read = (path: string) => Promise.resolve((files as Files)[path]);
  const [all] = await breakagesFor("test", { paths: Object.keys(files), read });
  await using run = await ranBroken(all!.files.get("tests/a.sh")!);
  assert.equal(run.success, false);
  assert.equal(run.kept, true);
  assert.match(all!.files.get("tests/b.c")!, /^int main[^]*__builtin_trap\(\)/);
});

Deno.test("tests of languages whose symbols svc does not read are broken, not a script beside them", async () => {
  const beside = { "dev/release.sh": "", "doc/site.js": "" };
  const tests = {
    "t/load.t": ["lib/A.pm", "xt/author.t"],
    "test/a_test.exs": ["lib/a.ex"],
    "test/Spec.hs": ["src/A.hs"],
    "spec/a_spec.lua": ["a.lua"],
    "test/a_SUITE.erl": ["src/a.erl"],
    "Tests/ATests/A.swift": ["Sources/A/A.swift"],
  };
  for (const [test, others] of Object.entries(tests)) {
    const files = Object.fromEntries([test, ...others].map((path) => [path, ""]));
    assert.deepEqual(await broken("test", { ...beside, ...files }), [
      [`${test} does not run`, [test]],
    ]);
  }
});

/** Runs the script beside a folder `x`, which it would remove. */
async function ranBroken(text: string) {
  const folder = await Deno.makeTempDir();
  await Deno.mkdir(`${folder}/x`);
  await Deno.writeTextFile(`${folder}/a.sh`, text);
  const { success } = await new Deno.Command("sh", { args: ["a.sh"], cwd: folder }).output();
  const kept = await Deno.stat(`${folder}/x`).then(() => true, () => false);
  return {
    success,
    kept,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
