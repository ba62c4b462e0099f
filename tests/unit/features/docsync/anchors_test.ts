/** Anchors, beside npm's github-slugger 2.0.0, which has GitHub's own rule as a table of characters. */
import assert from "node:assert/strict";
import fc from "fast-check";
import Slugger from "github-slugger";
import { Anchors, anchorsIn, shownText, slugOf } from "svc/features/docsync/anchors.ts";
import { slug } from "github-slugger";
import { repoRoot } from "tests/kit/script.ts";

/** Its table is of Unicode 13 (script/generate-slugger-regex.js): characters that came later are dropped there. */
const KNOWN =
  // deno-lint-ignore no-control-regex -- they are among what is compared
  /^[\u0000-\u02ff\u0370-\u03ff\u0400-\u052f\u0590-\u05ff\u3040-\u30ff\u4e00-\u9fa5\uac00-\ud7a3\s]*$/u;

const texts = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom(..."aB é-_.!?:;,&/()[]{}'\"`ßŁд字カ한‿ 1²½#*+~^°µª"),
    maxLength: 20,
  }),
).filter((text) => KNOWN.test(text));

Deno.test("a heading's anchor is the one that github-slugger makes", () => {
  fc.assert(fc.property(texts, (text) => assert.equal(slugOf(text), slug(text))), {
    numRuns: 5000,
  });
});

Deno.test("headings of the same text are numbered as github-slugger does", () => {
  const few = fc.array(fc.constantFrom("a", "a-1", "A", "a 1", "b!", "b", "", "1"), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(few, (headings) => {
      const [mine, theirs] = [new Anchors(), new Slugger()];
      assert.deepEqual(
        headings.map((text) => mine.add(text)),
        headings.map((text) => theirs.slug(text)),
      );
    }),
    { numRuns: 2000 },
  );
});

Deno.test("each heading of this project's pages has the anchor that github-slugger gives it", async () => {
  let count = 0;
  for await (const { name } of Deno.readDir(`${repoRoot}docs`)) {
    if (!name.endsWith(".md")) continue;
    const page = await Deno.readTextFile(`${repoRoot}docs/${name}`);
    const [anchors, slugger] = [anchorsIn(page), new Slugger()];
    const headings = page.replaceAll(/^```[^]*?^```$/gm, "").matchAll(/^#{1,6} (.+)$/gm);
    for (const [, heading] of headings) {
      count++;
      assert.ok(anchors.has(slugger.slug(shownText(heading!))), `${name}: ${heading}`);
    }
  }
  assert.ok(count > 100);
});

Deno.test("a reader sees code, words of links and no marks", () => {
  for (
    const [heading, shown] of [
      ["The `foo_bar()` of **it**", "The foo_bar() of **it**"],
      ["See [the _guide_](a.md) ![x](y.png)", "See the guide"],
      ['<a id="x"></a>Old', "Old"],
      ["snake_case and __init__", "snake_case and init"],
    ]
  ) assert.equal(shownText(heading!), shown);
  assert.ok(anchorsIn('# One\n\nTwo\n---\n\n<a name="Three"></a>\n\n```\n# no\n```\n').has("two"));
  assert.ok(anchorsIn('<a name="Three"></a>').has("Three"));
  assert.ok(!anchorsIn("```\n# no\n```\n").has("no"));
});
