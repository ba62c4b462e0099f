/** Grades of small repos that show one probe each. */
import assert from "node:assert/strict";
import { findingsOf } from "svc/features/scanner/findings.ts";
import type { RuleExample } from "svc/features/scanner/rule.ts";
import { RULES } from "svc/features/scanner/rules/all.ts";
import { type AreaGrades, gradesOf } from "svc/features/scores/grades.ts";
import { LAYER_OF } from "svc/features/scores/layers.ts";
import { exampleView } from "tests/unit/features/scanner/example_view.ts";

Deno.test("every rule of the scan counts for a layer, and every layer's rule is one", () => {
  assert.deepEqual(Object.keys(LAYER_OF).sort(), RULES.map(({ id }) => id).sort());
});

async function graded(example: RuleExample): Promise<AreaGrades[]> {
  const view = await exampleView(example);
  return gradesOf(view, findingsOf(RULES, view));
}

const letters = (areas: readonly AreaGrades[], name: string) => {
  const { layers } = areas.find((area) => area.name === name)!;
  return Object.fromEntries(Object.entries(layers).map(([layer, { grade }]) => [layer, grade]));
};

const long = (lines: number) => "export const one = 1;\n".repeat(lines);
const FILES = {
  "src/a.ts": long(30),
  "src/b.ts": long(30),
  "src/c.ts": long(30),
  "tests/a_test.ts": 'import "../src/a.ts";\n',
  "tests/b_test.ts": 'import "../src/b.ts";\n',
  "tests/c_test.ts": 'import "../src/c.ts";\n',
  "README.md": "# App\n\nSee [the start](src/a.ts).\n",
};

Deno.test("gradesOf gives A where nothing is to be said", async () => {
  assert.deepEqual(letters(await graded({ files: FILES }), "src"), {
    ...{ code: "A", tests: "A", docs: "A" },
  });
});

Deno.test("gradesOf grades tests by the share of files that one names", async () => {
  const { "tests/a_test.ts": _, "tests/b_test.ts": __, ...few } = FILES;
  const areas = await graded({ files: few });
  assert.equal(letters(areas, "src")["tests"], "C");
  assert.deepEqual(areas[0]!.layers.tests!.causes.map(({ text }) => text), [
    "a test names 1 of 3 files",
  ]);
});

Deno.test("gradesOf takes off for TODOs by their density, and for hotspots", async () => {
  const todo = "// TODO: later\n".repeat(4) + long(26);
  const dense = await graded({ files: { ...FILES, "src/a.ts": todo } });
  assert.equal(letters(dense, "src")["code"], "D");
  assert.match(dense[0]!.layers.code!.causes[0]!.text, /^4 TODOs in 90 lines$/);
  const hot = await graded({
    files: { ...FILES, "src/a.ts": long(500) },
    changes: { "src/a.ts": 9 },
  });
  assert.equal(letters(hot, "src")["code"], "B");
  assert.match(hot[0]!.layers.code!.causes[0]!.text, /^src\/a\.ts: 500 lines, changed in 9 /);
});

Deno.test("gradesOf misses a page, and one that kept up", async () => {
  const bare = await graded({ files: { ...FILES, "README.md": "# App\n" } });
  assert.equal(letters(bare, "src")["docs"], "B");
  const stale = await graded({ files: FILES, changes: { "src/a.ts": 20, "src/b.ts": 15 } });
  assert.match(
    stale[0]!.layers.docs!.causes[0]!.text,
    /^no page about it changed while it had 35 /,
  );
  const kept = { "src/a.ts": 20, "src/b.ts": 15, "README.md": 1 };
  assert.equal(letters(await graded({ files: FILES, changes: kept }), "src")["docs"], "A");
});

Deno.test("gradesOf never gives more than C where something is serious", async () => {
  const conflict = `<<<<<<< HEAD\n${long(1)}=======\n${long(1)}>>>>>>> other\n`;
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`src/f${at}.ts`, long(3)]),
  );
  const areas = await graded({ files: { ...many, ...FILES, "src/a.ts": conflict + long(30) } });
  assert.equal(letters(areas, "src")["code"], "C");
});

Deno.test("gradesOf grades upkeep of the repo as a whole, and does not count tickets", async () => {
  const ticket = { "docs/tickets/backlog/T-0001-x.md": "x\n" };
  const areas = await graded({ files: { ...FILES, ...ticket, ".env": "A=1\n" } });
  const whole = areas.at(-1)!;
  assert.equal(whole.name, "(repo)");
  assert.equal(whole.files, 8);
  assert.equal(letters(areas, "(repo)")["code"], "D");
  assert.ok(letters(areas, "(repo)")["upkeep"] !== undefined);
});

Deno.test("gradesOf says the same each time", async () => {
  assert.deepEqual(await graded({ files: FILES }), await graded({ files: FILES }));
});
