/** How test files are shared out among processes, and what is kept of how long they took. */
import assert from "node:assert/strict";
import { root } from "tools/modules.ts";
import { ALONE, measuredIn, shares } from "tools/test_plan.ts";

const brief = Array.from({ length: 100 }, (_, at) => `tests/unit/core/c${at}_test.ts`);
const others = Array.from({ length: 50 }, (_, at) => `tests/unit/platform/p${at}_test.ts`);
const long = { "tests/program/run_test.ts": 70, "tests/unit/core/slow_test.ts": 12 };
const all = [...brief, ...others, ...Object.keys(long)];

Deno.test("every file is in one share, the longest is begun first, and none is long for its count", () => {
  const made = shares(all, long);
  assert.deepEqual(made.flatMap(({ files }) => files).sort(), all.toSorted());
  assert.deepEqual(
    made.map(({ seconds }) => seconds),
    made.map(({ seconds }) => seconds).sort((a, b) => b - a),
  );
  assert.deepEqual(made[0]!.files, ["tests/program/run_test.ts"]);
  for (const { files, seconds } of made.slice(1)) assert.ok(seconds <= 40, `${seconds}: ${files}`);
});

Deno.test("shares may be longer, and are fewer then", () => {
  const made = shares(all, long, { most: 60 });
  assert.deepEqual(made.flatMap(({ files }) => files).sort(), all.toSorted());
  assert.equal(made.length, 3);
  assert.ok(shares(all, long).length > 3);
});

Deno.test("no share is without files, however long one of them takes", () => {
  const made = shares(all, { ...long, "tests/program/run_test.ts": 2000 });
  assert.deepEqual(made.filter(({ files }) => files.length === 0), []);
});

Deno.test("tests that leave the engine of their process alone share their modules, unless told not to", () => {
  const engine = "tests/unit/features/on_postgres_test.ts";
  const together = (...asked: Parameters<typeof shares>) =>
    shares(...asked).filter((share) => share.together).flatMap(({ files }) => files).sort();
  assert.deepEqual(together([...all, engine], long), all.toSorted());
  assert.deepEqual(together([...all, engine], long, { alone: true }), []);
});

Deno.test("a file that chooses an engine for its process is alone in it", async () => {
  const choosing: string[] = [];
  const walk = async (folder: string) => {
    for await (const { name, isDirectory } of Deno.readDir(root + folder)) {
      const path = `${folder}/${name}`;
      if (isDirectory) await walk(path);
      else if (/_test\.tsx?$/.test(name)) {
        const text = await Deno.readTextFile(root + path);
        if (/^\s*(?:onPostgres|useEngine)\(/m.test(text)) choosing.push(path);
      }
    }
  };
  await walk("tests");
  assert.ok(choosing.length >= 5);
  assert.deepEqual(choosing.filter((path) => !ALONE.test(path)), []);
});

Deno.test("what files took is read from the output, in all, where it is 3 seconds and more", () => {
  const output = [
    "running 3 tests from ./tests/unit/a_test.ts",
    "one [1:run:one-job] ... ok (2s)",
    "two ...'two' has been running for over (1m0s)",
    " ok (1m2s)",
    "three ... ok (900ms)",
    "running 1 test from ./tests/unit/b_test.ts",
    "four ... ok (2s)",
    "five ... ignored (0ms)",
    "running 1 test from ./tools/together.ts",
    "six ... ok (9s)",
  ].join("\n");
  assert.deepEqual(measuredIn(output), { "tests/unit/a_test.ts": 65 });
});
