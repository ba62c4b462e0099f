import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import {
  BaselineMatcher,
  type KnownFinding,
  parseBaseline,
  serializeBaseline,
} from "svc/features/guardrails/baseline.ts";
import { newKey } from "svc/features/guardrails/fingerprint.ts";

const finding = (path: string, rule = "github-pat", digit = "0"): KnownFinding => ({
  path,
  rule,
  fingerprint: digit.repeat(32),
});

Deno.test("a baseline reads back as it was written, sorted and without doubles", () => {
  const key = newKey();
  const text = serializeBaseline({ key, findings: [finding("b"), finding("a"), finding("b")] });
  const read = parseBaseline(text);
  assert.deepEqual(read.key, key);
  assert.deepEqual(read.findings.map(({ path }) => path), ["a", "b"]);
  assert.equal(serializeBaseline(read), text);
  assert.equal(text.split("\n").filter((line) => line.includes('"rule"')).length, 2);
  assert.deepEqual(parseBaseline(serializeBaseline({ key, findings: [] })).findings, []);
});

Deno.test("parseBaseline refuses what it does not know, and names the line", () => {
  const good = serializeBaseline({ key: newKey(), findings: [finding("a"), finding("b")] });
  const cases: readonly (readonly [text: string, message: RegExp])[] = [
    ["{", /is not valid JSON/],
    [good.replace('    {"path":"b"', '    {"path":"b" "x"'), /line 6: it is not valid JSON/],
    ["[]", /it is not an object/],
    [good.replace('"version": 1', '"version": 2'), /"version" is 2, not 1/],
    [good.replace('"version": 1,', '"version": 1, "extra": 1,'), /unknown field "extra"/],
    [good.replace(/"salt": "[^"]*"/, '"salt": "abc"'), /"salt" is not 32 bytes/],
    [good.replace(/"findings": \[[^\]]*\]/s, '"findings": {}'), /"findings" is not a list/],
    [good.replace('"path":"b"', '"path":"b","line":3'), /line 6: unknown field "line"/],
    [good.replace('"path":"b"', '"path":""'), /line 6: "path" is not a text/],
    [good.replace("0".repeat(32), "xyz"), /line 5: "fingerprint" is not 32 hex digits/],
  ];
  for (const [text, message] of cases) {
    assert.throws(() => parseBaseline(text), (thrown) => {
      assert.ok(thrown instanceof Failure);
      assert.match(thrown.message, message);
      assert.match(thrown.message, /^Cannot read "\.harness\/secret-baseline\.json": /);
      assert.ok(thrown.detail.remedy);
      return true;
    });
  }
});

Deno.test("BaselineMatcher matches path, rule and fingerprint, and knows what it never saw", () => {
  const matcher = new BaselineMatcher([finding("a"), finding("b")]);
  assert.equal(matcher.has(finding("a")), true);
  assert.equal(matcher.has(finding("a", "npm-access-token")), false);
  assert.equal(matcher.has(finding("a", "github-pat", "1")), false);
  assert.equal(matcher.has(finding("c")), false);
  assert.deepEqual(matcher.unseen(), [finding("b")]);
});
