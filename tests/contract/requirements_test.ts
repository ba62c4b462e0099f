/** The gate: every promise of the specification is proven by a test or deferred with a reason. */
import assert from "node:assert/strict";
import { REQUIREMENTS } from "tests/contract/requirements.ts";
import { judge, readCitations } from "tools/requirements.ts";

Deno.test("requirements are each proven by a test or deferred with a reason", async () => {
  const found = await readCitations(`${import.meta.dirname}/../..`);
  const faults = judge(REQUIREMENTS, found);
  assert.equal(faults.length, 0, `${faults.length} faults:\n${faults.join("\n")}`);
});
