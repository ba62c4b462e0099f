import assert from "node:assert/strict";
import { wellFormedJson } from "svc/core/well_formed.ts";

Deno.test("halves of a character are replaced, whole ones and escaped backslashes stay", () => {
  const table: readonly [text: string, whole: string][] = [
    ['{"a":"\\ud83d"}', '{"a":"\\ufffd"}'],
    ['{"a":"\\uDE00 x"}', '{"a":"\\ufffd x"}'],
    ['{"a":"\\ud83d\\ude00"}', '{"a":"\\ud83d\\ude00"}'],
    ['{"a":"\\ude00\\ud83d"}', '{"a":"\\ufffd\\ufffd"}'],
    ['{"a":"\\\\ud83d"}', '{"a":"\\\\ud83d"}'],
    ['{"a":"\ud83d"}', '{"a":"\ufffd"}'],
    ['{"a":"😀 \\u0000"}', '{"a":"😀 \\u0000"}'],
    ["not json \\ud83d", "not json \\ufffd"],
  ];
  for (const [text, whole] of table) assert.equal(wellFormedJson(text), whole, text);
});
