import assert from "node:assert/strict";
import fc from "fast-check";
import { findEdit } from "svc/features/tools/edit/ladder.ts";
import { lineFeedView, placesOf, plainLine, plainView } from "svc/features/tools/edit/text_view.ts";

const text = fc.array(
  fc.constantFrom(
    "a",
    "b",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "…",
    "“",
    "\u00a0",
    "\u200b",
    "e\u0301",
    "\u0301",
    "🎉",
    "é",
  ),
  { maxLength: 40 },
).map((parts) => parts.join(""));

Deno.test("plainView says of every letter where it came from", () => {
  fc.assert(fc.property(text, (whole) => {
    const { text: plain, starts, ends } = plainView(whole);
    assert.deepEqual([starts.length, ends.length], [plain.length, plain.length]);
    for (let at = 1; at < plain.length; at++) {
      const same = starts[at] === starts[at - 1] && ends[at] === ends[at - 1];
      assert.ok(same || starts[at]! >= ends[at - 1]!);
    }
  }));
});

Deno.test("lineFeedView changes line ends and nothing else", () => {
  fc.assert(fc.property(text, (whole) => {
    assert.equal(lineFeedView(whole).text, whole.replaceAll("\r\n", "\n"));
  }));
});

Deno.test("placesOf gives spans that have the part as their own view", () => {
  fc.assert(fc.property(text, fc.nat(40), fc.nat(10), (whole, from, length) => {
    const view = plainView(whole);
    const part = view.text.slice(from, from + length);
    for (const { start, end } of placesOf(view, part, 100)) {
      // Spaces that stood at a line end before the cut do so no more, or do so now.
      assert.equal(plainView(whole.slice(start, end)).text.trimEnd(), part.trimEnd());
    }
  }));
});

Deno.test("plainLine spells alike what looks alike", () => {
  assert.equal(plainLine("“e\u0301” – x…\u00a0\u200b "), '"é" - x...');
});

Deno.test("an edit of a text that stands there once changes that place and nothing else", () => {
  const piece = fc.string({
    unit: fc.constantFrom("x", "y", " ", "\n", "\r\n", "ü"),
    maxLength: 30,
  });
  fc.assert(fc.property(piece, piece, (before, after) => {
    const match = findEdit(`${before}MARK${after}`, { old: "MARK", new: "new", count: 1 });
    assert.deepEqual(match, {
      found: "places",
      rung: "exact",
      changes: [{ start: before.length, end: before.length + 4, text: "new" }],
    });
  }));
});
