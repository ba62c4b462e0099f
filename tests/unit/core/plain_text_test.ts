import assert from "node:assert/strict";
import { plainText } from "svc/core/plain_text.ts";

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
