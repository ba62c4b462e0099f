/** What is said of checks that judged nothing, and how it is stored. */
import assert from "node:assert/strict";
import { checksNote, checksTold, notedChecks } from "svc/features/routing/checked_work.ts";

Deno.test("a person reads which checks were red without the work, and whether any judged it", () => {
  const told = (checks: string, ...redBefore: string[]) => checksTold({ checks, redBefore });
  assert.equal(told("passed"), "passed");
  assert.equal(
    told("red_before", "lint"),
    "passed, but for what is red without it too: lint",
  );
  assert.equal(
    told("unjudged", "lint", "test"),
    "red without it too, so no green check judged it: lint, test",
  );
  // As an older svc stored it, without names.
  assert.equal(told("red_before"), "red_before");
});

Deno.test("what is stored with a check of a merge is read as it was", () => {
  const seen = [
    { checks: "passed", redBefore: [] },
    { checks: "red_before", redBefore: ["lint"] },
    { checks: "unjudged", redBefore: ["lint", "a test: of names"] },
  ];
  for (const one of seen) assert.deepEqual(notedChecks(checksNote(one)), one);
  assert.deepEqual(notedChecks("red_before"), { checks: "red_before", redBefore: [] });
});
