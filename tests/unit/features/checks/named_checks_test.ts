/** Which lines of a ticket name a check. */
import assert from "node:assert/strict";
import { namedIn } from "svc/features/checks/named_checks.ts";

const TEST = { name: "test", run: ["npm", "test"] };
const LINT = { name: "lint", run: ["npm", "run", "lint"] };
const TYPES = { name: "type-check", run: ["deno", "check", "main.ts"] };

Deno.test("a line names a check by its command, its quoted name, or its name beside what it is or does", () => {
  for (
    const line of [
      "npm test passes",
      "- [ ] `npm test` is green again",
      "- [x] run npm  test and see",
      "the check test passes",
      "Check test passes",
      "checks: test",
      "the test check is green",
      '"test" passes',
      "1. `test`",
      "- [ ] test passes",
      "The test must now pass",
      "test is green",
    ]
  ) {
    assert.ok(namedIn([line], TEST), line);
  }
  assert.ok(namedIn(["an empty name is refused", "lint is clean"], LINT));
  assert.ok(namedIn(["type-check passes"], TYPES));
  assert.ok(namedIn(["`deno check main.ts` says nothing"], TYPES));
});

Deno.test("a line that only holds the word names no check", () => {
  for (
    const line of [
      "a test for empty names passes",
      "the new test passes",
      "a regression test is added",
      "npm test-all passes",
      "npm tests pass",
      "the checks pass",
      "tests are added",
      "check tests by hand",
      "run-npm test",
      "the latest check",
      "",
    ]
  ) {
    assert.ok(!namedIn([line], TEST), line);
  }
  assert.ok(!namedIn(["npm run lint-fix is gone", "npm run lint:fix too", "linting"], LINT));
  assert.ok(!namedIn(["`deno check main.tsx` passes"], TYPES));
  assert.ok(!namedIn([], TEST));
});

Deno.test("a command that is a plain word names its check as the name does", () => {
  const build = { name: "build", run: ["make"] };
  for (const line of ["make the parser faster", "just make it work", "this will make do"]) {
    assert.ok(!namedIn([line], build), line);
  }
  for (
    const line of [
      "`make` ends well",
      "make passes",
      "the make check is green",
      "- [ ] build passes",
    ]
  ) {
    assert.ok(namedIn([line], build), line);
  }
  assert.ok(namedIn(["all of ./run-tests.sh"], { name: "test", run: ["./run-tests.sh"] }));
  assert.ok(namedIn(["run pytest twice"], { name: "test", run: ["pytest"] }));
});
