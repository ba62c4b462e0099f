import assert from "node:assert/strict";
import fc from "fast-check";
import { JSON_DEPTH } from "svc/core/bounds.ts";
import { strictFields, strictJson } from "svc/http/strict_json.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

Deno.test("strictJson reads what JSON.parse reads, when it is not deep", () => {
  fc.assert(fc.property(fc.json({ maxDepth: 6 }), (text) => {
    // fast-check repeats no name in an object.
    assert.deepEqual(strictJson(utf8(text)), { value: JSON.parse(text) });
  }));
});

Deno.test("strictJson refuses any name that an object has twice, however it is spelled", () => {
  for (
    const text of [
      ...['{"a":1,"a":1}', '{"a":1,"b":2,"\\u0061":3}', '{"x":[{"a":1,"a":2}]}', '{"":1,"":2}'],
      ...['{"a":{"b":1},"a":1}', '{"a,":1,"a,":2}', '{"\\"":1,"\\u0022":2}', '{"a":"b","a":"c"}'],
      '{"__proto__":1,"__proto__":2}',
    ]
  ) assert.equal(strictJson(utf8(text)), undefined, text);
  for (
    const text of [
      ...['{"a":{"a":{"a":1}}}', '[{"a":1},{"a":1}]', '{"a":"a","b":"a"}', '{"a":["a","a"]}'],
      ...['{"a":1,"A":1}', '{"a":"{\\"a\\":1,\\"a\\":2}"}'],
    ]
  ) assert.deepEqual(strictJson(utf8(text)), { value: JSON.parse(text) }, text);
});

Deno.test("strictJson refuses what is deep, marked, followed by something, or no UTF-8", () => {
  const nested = (depth: number) => utf8("[".repeat(depth) + "]".repeat(depth));
  assert.ok(strictJson(nested(JSON_DEPTH)));
  assert.equal(strictJson(nested(JSON_DEPTH + 1)), undefined);
  assert.equal(strictJson(nested(8_000)), undefined);
  for (
    const bytes of [
      ...["", " ", "{} {}", "{}x", "{}\0", "\uFEFF{}", "{'a':1}", "{a:1}", "[1,]", "NaN"].map(utf8),
      ...["1 // one", "\u00a0{}"].map(utf8),
      new Uint8Array([0x22, 0xc3, 0x22]),
      new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]),
    ]
  ) assert.equal(strictJson(bytes), undefined);
});

Deno.test("strictFields takes exactly its names, as texts", () => {
  const names = ["repo_id", "role"];
  assert.deepEqual(strictFields(utf8('{"role":"qa","repo_id":"r1"}'), names), {
    ...{ repo_id: "r1", role: "qa" },
  });
  for (
    const text of [
      ...['{"repo_id":"r1"}', '{"repo_id":"r1","role":""}', '{"repo_id":"r1","role":null}', "[]"],
      ...['{"repo_id":"r1","role":"qa","constructor":"x"}', '{"repo_id":"r1","toString":"qa"}'],
    ]
  ) assert.equal(strictFields(utf8(text), names), undefined, text);
});

Deno.test("strictFields takes optional names, which may be empty", () => {
  const taken = (text: string) => strictFields(utf8(text), ["id"], ["role"]);
  assert.deepEqual(taken('{"id":"T-1"}'), { id: "T-1" });
  assert.deepEqual(taken('{"role":"","id":"T-1"}'), { role: "", id: "T-1" });
  for (const text of ['{"role":"qa"}', '{"id":"","role":"qa"}', '{"id":"T-1","role":null}']) {
    assert.equal(taken(text), undefined, text);
  }
});
