import assert from "node:assert/strict";
import { inertJson, plainLines, plainText } from "svc/core/plain_text.ts";

const CASES: readonly (readonly [string, string])[] = [
  ["a\tb\nc", "a\tb\nc"],
  ["\x1b[31mred\x1b[0m", "red"],
  ["\x1b[38;5;12mblue\x1b[m", "blue"],
  ["\x9b1mbold", "bold"],
  ["\x1b]0;a title\x07text", "text"],
  ["\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"],
  ["\x1b]52;c;ZXZpbA==", ""],
  ["\x1b]never ended\nnext line", "\nnext line"],
  ["\x1bPdevice\x1b\\text", "text"],
  ["\x1b(Btext\x1b7", "text"],
  ["text\x1b", "text"],
  ["10%\r20%\r30%\r\ndone", "10%\n20%\n30%\ndone"],
  ["a\x00b\x08c\x7fd\x85e", "abcde"],
  ["half \ud83d a pair", "half \ufffd a pair"],
  ["é 漢 🎉", "é 漢 🎉"],
];

Deno.test("plainText leaves no terminal sequence and no control character", () => {
  for (const [text, plain] of CASES) assert.equal(plainText(text), plain, JSON.stringify(text));
});

Deno.test("plainText takes time in proportion to the text", () => {
  for (const part of ["\x1b]", "\x1b[", "\x1bP", "\x1b", "\r", "\x9d"]) {
    assert.ok(plainText(part.repeat(500_000)).length <= 500_000);
  }
});

Deno.test("plainLines keeps lines, tabs and spaces, and nothing unseen", () => {
  assert.equal(plainLines("a\n\t  b\u202e\u200b c\x1b[2J\r\nd"), "a\n\t  b c\nd");
});

Deno.test("inertJson is the same JSON, and nothing of it acts on a terminal", () => {
  const value = { "k\x9b": "\x1b[2J\x9b31m\u202e \x7f漢", at: ["\u2066", "plain"] };
  const json = inertJson(JSON.stringify(value));
  // deno-lint-ignore no-control-regex -- they are what must not be there
  assert.doesNotMatch(json, /[\x00-\x1f\x7f-\x9f\u202e\u2066]/);
  assert.deepEqual(JSON.parse(json), value);
});
