import assert from "node:assert/strict";
import fc from "fast-check";
import { markedLines, mergedText, openPlaces } from "svc/dashboard/state/text_merge.ts";
import { verifies } from "tests/kit/verifies.ts";

const BASE = "title: Mend\n\n## Context\n\nfirst\nsecond\nthird\n";

Deno.test("mergedText keeps both edits where they do not touch", () => {
  const mine = BASE.replace("first", "first, said better");
  const theirs = `${BASE}- moved to review\n`;
  const { text, open } = mergedText(BASE, mine, theirs);
  assert.equal(text, `${mine}- moved to review\n`);
  assert.equal(open, 0);
});

verifies(
  ["2.1:tickets:state-directories"],
  "mergedText shows both texts where both changed the same lines",
  () => {
    const { text, open } = mergedText(
      BASE,
      BASE.replace("second", "mine"),
      BASE.replace("second", "theirs"),
    );
    assert.equal(open, 1);
    assert.equal(
      text,
      BASE.replace(
        "second",
        "<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> in the repo",
      ),
    );
    assert.equal(openPlaces(text), 1);
    assert.equal(openPlaces(BASE), 0);
  },
);

Deno.test("markedLines tells which lines the other text does not have", () => {
  const fresh = markedLines("a\nb\nc", "a\nB\nc\nd").filter((line) => line.fresh);
  assert.deepEqual(fresh.map(({ text }) => text), ["B", "d"]);
});

const texts = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
  .map((lines) => lines.join("\n"));

Deno.test("mergedText loses no line of either, and who did not change takes what the other wrote", () => {
  fc.assert(fc.property(texts, texts, texts, (base, mine, theirs) => {
    assert.deepEqual(mergedText(base, mine, base), { text: mine, open: 0 });
    assert.deepEqual(mergedText(base, base, theirs), { text: theirs, open: 0 });
    assert.equal(mergedText(base, mine, mine).open, 0);
    const { text, open } = mergedText(base, mine, theirs);
    assert.equal(openPlaces(text), open);
    // Each line that one of them wrote anew stands in what comes out.
    const lines = new Set(text.split("\n"));
    for (const written of [...markedLines(base, mine), ...markedLines(base, theirs)]) {
      if (written.fresh) assert.ok(lines.has(written.text), JSON.stringify({ base, mine, theirs }));
    }
  }));
});
