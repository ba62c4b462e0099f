import assert from "node:assert/strict";
import fc from "fast-check";
import { bm25, inverseFrequency } from "svc/features/code_intel/bm25.ts";

const counted = (counts: Record<string, number>, length?: number) => ({
  counts: new Map(Object.entries(counts)),
  length,
});

Deno.test("bm25 weighs a rare word more than many uses of a common one", () => {
  const texts = new Map([
    ["rare", counted({ quota: 1 })],
    ["common", counted({ value: 9 })],
    ...Array.from({ length: 8 }, (_, at) => [`more ${at}`, counted({ value: 1 })] as const),
  ]);
  const scores = bm25(texts, 10);
  assert.ok(scores.get("rare")! > scores.get("common")!);
  assert.ok(scores.get("common")! > scores.get("more 0")!);
});

Deno.test("bm25 holds back long texts, and takes one without a length as of the mean", () => {
  const scores = bm25(
    new Map([
      ["short", counted({ quota: 2 }, 100)],
      ["long", counted({ quota: 2 }, 9900)],
      ["unknown", counted({ quota: 2 })],
    ]),
    50,
  );
  assert.ok(scores.get("short")! > scores.get("unknown")!);
  assert.ok(scores.get("unknown")! > scores.get("long")!);
});

// Worked by hand from the formula with k1 = 1.2 and b = 0.75: idf = ln(1 + 9.5/1.5), 2 uses in a text of mean length.
Deno.test("bm25 gives the textbook's number", () => {
  const score = bm25(new Map([["one", counted({ quota: 2 }, 10)]]), 10).get("one")!;
  assert.ok(Math.abs(score - Math.log(1 + 9.5 / 1.5) * 2 * 2.2 / (2 + 1.2)) < 1e-12);
});

Deno.test("a word in more files never weighs more, and none weighs less than nothing", () => {
  fc.assert(fc.property(fc.nat(1000), fc.nat(1000), (having, all) => {
    const weight = inverseFrequency(having, all);
    assert.ok(weight >= 0 && weight >= inverseFrequency(having + 1, all));
  }));
});
