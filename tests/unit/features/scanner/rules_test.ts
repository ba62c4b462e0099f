import assert from "node:assert/strict";
import { SEVERITIES } from "svc/features/scanner/rule.ts";
import { RULES } from "svc/features/scanner/rules/all.ts";
import { verifies } from "tests/kit/verifies.ts";
import { findingsIn } from "./example_view.ts";

for (const rule of RULES) {
  verifies(
    "4.5:scan:reports-gaps",
    `rule ${rule.id} finds its bad examples and no good one`,
    async () => {
      assert.ok(rule.examples.bad.length > 0 && rule.examples.good.length > 0);
      for (const [at, example] of rule.examples.bad.entries()) {
        assert.notDeepEqual(await findingsIn([rule], example), [], `bad example ${at}`);
      }
      for (const [at, example] of rule.examples.good.entries()) {
        assert.deepEqual(await findingsIn([rule], example), [], `good example ${at}`);
      }
    },
  );
}

Deno.test("rules say what they find, why it matters and what to do", () => {
  assert.ok(RULES.length >= 20);
  assert.equal(new Set(RULES.map(({ id }) => id)).size, RULES.length);
  for (const { id, severity, about, why, fix } of RULES) {
    assert.match(id, /^[a-z]+(?:-[a-z]+)*$/);
    assert.ok(SEVERITIES.includes(severity), id);
    for (const text of [about, why, fix]) assert.match(text, /^\S.{9,}[^.\s]\.?$|^No \w+/s, id);
  }
});
