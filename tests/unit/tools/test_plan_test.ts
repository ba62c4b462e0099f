/** How test files are shared out among processes, and what is kept of how long they took. */
import assert from "node:assert/strict";
import { measuredIn, shares } from "tools/test_plan.ts";

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

Deno.test("only brief tests that change nothing of their process share their modules", () => {
  const engine = "tests/unit/features/on_postgres_test.ts";
  const together = shares([...all, engine], long).filter((share) => share.together)
    .flatMap(({ files }) => files);
  assert.deepEqual(together.sort(), brief.toSorted());
});

Deno.test("what files took is read from the output, in all, where it is 3 seconds and more", () => {
  const output = [
    "running 3 tests from ./tests/unit/a_test.ts",
    "one [1:run:one-job] ... ok (2s)",
    "two ... ok (1m2s)",
    "three ... ok (900ms)",
    "running 1 test from ./tests/unit/b_test.ts",
    "four ... ok (2s)",
    "five ... ignored (0ms)",
  ].join("\n");
  assert.deepEqual(measuredIn(output), { "tests/unit/a_test.ts": 65 });
});
