import assert from "node:assert/strict";
import fc from "fast-check";
import { visible, visibleLines } from "svc/core/visible_text.ts";

const CASES: readonly (readonly [string, string])[] = [
  ["plain text, é 漢 ö\u0308", "plain text, é 漢 ö\u0308"],
  ["a\tb\nc\r", "a␉b␊c␍"],
  ["\x1b[31mred\x7f\x80", "␛[31mred␡<U+0080>"],
  ["\u202eexe.txt\u2066\u200e\u061c", "<U+202E>exe.txt<U+2066><U+200E><U+061C>"],
  ["zero\u200bwidth\ufeff\u2060\u00ad", "zero<U+200B>width<U+FEFF><U+2060><U+00AD>"],
  ["tag\u{e0041}, private \ue000, line\u2028", "tag<U+E0041>, private <U+E000>, line<U+2028>"],
  ["half \ud83d a pair", "half <U+D83D> a pair"],
  ["👩‍👩‍👧 ❤️ 🏳️‍🌈 1️⃣", "👩‍👩‍👧 ❤️ 🏳️‍🌈 1️⃣"],
  // Phones and gitmoji write these with a selector that Unicode needs no more.
  ["⚡\ufe0f ⚓\ufe0f, ⚡\ufe0f\ufe0f", "⚡\ufe0f ⚓\ufe0f, ⚡\ufe0f<U+FE0F>"],
  ["می‌خواهم, क्‍ष", "می‌خواهم, क्‍ष"],
  ["a\u200db, a\ufe0f", "a<U+200D>b, a<U+FE0F>"],
];

Deno.test("visible writes out what a terminal acts on or does not show, and leaves languages alone", () => {
  for (const [text, seen] of CASES) assert.equal(visible(text), seen, JSON.stringify(text));
  assert.equal(visibleLines("a\r\n\tb\x1b[2J\n"), "a\n\tb␛[2J\n");
});

Deno.test("visible leaves nothing unseen, and what it wrote as it is", () => {
  const joiner = /[\u200c\u200d\ufe0f\u{e0020}-\u{e007f}]/gu; // of emoji and of some scripts
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
    const seen = visible(text);
    assert.doesNotMatch(seen.replaceAll(joiner, ""), /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
    assert.equal(visible(seen), seen);
  }));
});

Deno.test("visible takes time in proportion to the text", () => {
  for (const part of ["\x1b", "\u200d", "👩\u200d", "क\u200d", "\ufe0f"]) {
    assert.ok(visible(part.repeat(100_000)).length > 0);
  }
});
