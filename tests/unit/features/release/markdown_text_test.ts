import assert from "node:assert/strict";
import { inlineText } from "svc/features/release/markdown_text.ts";

const text = (words: string) => inlineText(words, (number) => `https://x/${number}`);

Deno.test("words of a commit mean themselves in Markdown, and its code stays code", () => {
  const table: readonly [words: string, markdown: string][] = [
    [
      "escape &amp; and &#38; in titles, R&D, a & b",
      "escape \\&amp; and \\&#38; in titles, R&D, a & b",
    ],
    ["use `a*b*` and *c*", "use `a*b*` and \\*c\\*"],
    ["use ``x`*y*`` for *z*", "use ``x`*y*`` for \\*z\\*"],
    ["a lone `` before *x* and `#7`", "a lone `` before \\*x\\* and `#7`"],
    ["fix #7", "fix [#7](https://x/7)"],
    ["drop `&amp;`", "drop `&amp;`"],
  ];
  for (const [words, markdown] of table) assert.equal(text(words), markdown, words);
});
