import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { benchmark } from "svc/features/code_intel/benchmark.ts";
import { type BenchRequest, readCase } from "svc/features/code_intel/benchmark_case.ts";
import { benchPage } from "svc/features/code_intel/benchmark_page.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { toolPlace } from "tests/kit/tool_place.ts";
import { SHOP } from "./shop.ts";

const NONE = { files: [], tests: [], docs: [] };

async function read(asked: Partial<BenchRequest>, cwd = "/nowhere") {
  const at = { root: "/repo", paths: new Set(Object.keys(SHOP)), cwd };
  const typed = { case: "price", changed: [], expected: NONE, ...asked };
  try {
    return await readCase(denoFiles(), typed, at);
  } catch (thrown) {
    const { code, message, remedy } = Failure.from(thrown);
    return `${code}: ${message}; ${remedy}`;
  }
}

Deno.test("readCase takes words or a file, and paths in any of the usual spellings", async () => {
  const asked = {
    changed: ["./src/price.ts", "/repo/src/cart.ts"],
    expected: { files: ["src/index.ts,src/price.ts"], tests: ["tests/price_test.ts"], docs: [] },
  };
  const found = await read({ case: "round-prices", ...asked });
  assert.ok(typeof found !== "string", String(found));
  assert.equal(found.text, "round prices");
  assert.deepEqual(found.changed, ["src/cart.ts", "src/price.ts"]);
  assert.deepEqual(found.expected.files, ["src/index.ts"]);
  assert.deepEqual(found.given, ["src/price.ts"]);

  await using folder = await tempFolder();
  const ticket = "---\nid: T-0001\ntitle: Round prices\nsource: human\n---\nIn cents.\n";
  await Deno.writeTextFile(`${folder.path}/case.md`, ticket);
  const fromFile = await read({ case: "case.md", ...asked }, folder.path);
  assert.ok(typeof fromFile !== "string");
  assert.equal(fromFile.text, " Round prices\nIn cents.\n");
});

Deno.test("readCase says which flag is wrong, and what to give", async () => {
  const expected = { ...NONE, files: ["src/cart.ts"] };
  assert.equal(
    await read({ expected: { ...NONE, tests: ["price_test.ts"] } }),
    'usage: Cannot benchmark: --expected-tests "price_test.ts" is no file of the repo; ' +
      'Did you mean "tests/price_test.ts"?',
  );
  assert.match(
    await read({ changed: ["gone.ts"], expected }) as string,
    /--changed-paths "gone\.ts" is no file of the repo; Name files from the repo's root/,
  );
  assert.match(await read({}) as string, /there is nothing to find; Name what a good answer has/);
  assert.match(
    await read({ changed: ["src/cart.ts"], expected }) as string,
    /there is nothing to find; Name other files than those of --changed-paths/,
  );
  assert.match(await read({ case: "cases/x.md", expected }) as string, /there is no such file/);
  assert.match(await read({ case: "./cases/x", expected }) as string, /there is no such file/);
  assert.match(await read({ case: "fix it", expected }) as string, /it has no words/);
});

Deno.test("readCase takes words with a slash or a file's name in them for words", async () => {
  const expected = { ...NONE, files: ["src/cart.ts"] };
  for (const words of ["handle read/write errors", "input/output", "say so in docs/prices.md"]) {
    const found = await read({ case: words, expected });
    assert.ok(typeof found !== "string", String(found));
    assert.equal(found.text, words);
  }
});

Deno.test("benchmark ranks the same in each trial, and measures both sides against what is expected", async () => {
  await using at = await toolPlace({ files: SHOP });
  const { tree: { git, folder }, parsers } = at.session;
  const signal = new AbortController().signal;
  const scope = { git, folder, parsers, signal, allowed: () => true };
  let now = 0;
  const told: string[] = [];
  const how = {
    clock: { monotonic: () => now += 5 },
    trials: 3,
    tell: (text: string) => void told.push(text),
  };
  const asked = {
    text: "what an article costs",
    changed: ["src/price.ts"],
    expected: { files: ["src/cart.ts"], tests: ["tests/price_test.ts"], docs: ["docs/prices.md"] },
  };
  const found = await benchmark(scope, how, asked);
  const { control, treatment } = found;
  for (const side of [control, treatment]) {
    assert.equal(side.stable, true);
    assert.deepEqual(side.ms, [5, 5, 5]);
    assert.ok(!side.ranked.includes("src/price.ts"), "it is given");
  }
  assert.deepEqual(treatment.all.recall, { "5": 1, "10": 1, "20": 1 });
  assert.equal(treatment.tests.recall["5"], 1);
  assert.ok(treatment.precision["5"]! > 0);
  // The sides take turns in going first.
  assert.deepEqual(told.map((text) => text.split(": ")[1]), [
    ...["control", "treatment", "treatment", "control", "control", "treatment"],
  ]);
  const facts = {
    ...{ kind: "svc code-intel benchmark", case: "a`b|c", repo: "/repo", commit: null } as const,
    ...{ clean: true, changed_paths: asked.changed, given: [], trials: 3 },
  };
  const page = benchPage(facts, found);
  assert.match(page, /^# svc code-intel benchmark\n/);
  assert.match(page, /^\| recall@5 of tests \(1\) \| \S+ \| 1\.00 \|$/m);
  assert.match(page, /^- Case: `a\?b\?c`$/m);
  assert.doesNotMatch(page, /of docs \(0\)|NaN|undefined/);
});

Deno.test("a benchmark that is interrupted says so and gives no figures", async () => {
  await using at = await toolPlace({ files: SHOP });
  const { git, folder } = at.session.tree;
  const signal = AbortSignal.abort(new Error("interrupted"));
  const scope = { git, folder, signal, allowed: () => true };
  const how = { clock: { monotonic: () => 0 }, trials: 1, tell() {} };
  const asked = { text: "prices", changed: [], expected: { ...NONE, files: ["src/cart.ts"] } };
  await assert.rejects(benchmark(scope, how, asked), /interrupted/);
});
