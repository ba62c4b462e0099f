/** What svc makes of hostile texts in its commits, judged by commitlint's own rules (config-conventional, npm). */
import assert from "node:assert/strict";
import fc from "fast-check";
import { commitBody, commitSubject, wholeLines } from "svc/core/commit_text.ts";
import { objectionsTo } from "tests/kit/commitlint.ts";

const TYPES = ["feat", "chore(wip)", "chore(merge)", "docs(decisions)"];

const TITLES: readonly [title: string, subject: string][] = [
  ["Make the test pass", "make the test pass"],
  ["Make the test pass.", "make the test pass"],
  ["A shed", "a shed"],
  ["API keys are checked", "`API` keys are checked"],
  ["T-0025: again", "`T-0025`: again"],
  ["README", "`README`"],
  ["C# and F#", "`C#` and F#"],
  ["iOS builds", "iOS builds"],
  ["two\nlines\r\nof  it\t", "two lines of it"],
  ["署名を検証する。", "署名を検証する"],
  ["🚀 Ship It", "🚀 Ship It"],
  ["Élan vital", "élan vital"],
  ["𝐁old letters", "`𝐁old` letters"],
  ["1.2.3", "1.2.3"],
  ['"Quoted" Title', '"Quoted" Title'],
  ["...", "changes"],
  ["", "changes"],
];

Deno.test("a title becomes a subject that commitlint takes, whatever the type", async () => {
  for (const [title, subject] of TITLES) {
    assert.equal(commitSubject("feat", title), `feat: ${subject}`);
    for (const type of TYPES) {
      assert.deepEqual(await objectionsTo(commitSubject(type, title)), [], `${type}: ${title}`);
    }
  }
});

Deno.test("a long title is cut to one line of 100, and never within a character", async () => {
  for (const title of ["x".repeat(120), "LOUD ".repeat(40), "🚀".repeat(60), "字".repeat(120)]) {
    const subject = commitSubject("feat", title);
    assert.ok(subject.length <= 100 && subject.length >= 98, subject);
    assert.ok(subject.isWellFormed() && subject.endsWith("…"));
    assert.deepEqual(await objectionsTo(subject), []);
  }
});

Deno.test("the words after a scope stay words", async () => {
  const subject = commitSubject("chore(wip)", "mend sum(a, b): Fast");
  assert.equal(subject, "chore(wip): mend sum(a, b) Fast");
  assert.deepEqual(await objectionsTo(subject), []);
});

Deno.test("a body's lines are short, no trailers, and can be made whole again", async () => {
  const long = `- "${"deep/".repeat(40)}a.txt": ${"why ".repeat(60)}end`;
  const body = ["Kept:", long, "TypeError: no such", "See #12"].join("\n");
  const broken = commitBody(body);
  assert.deepEqual(await objectionsTo(`chore: keep it\n\n${broken}\n\nSvc-Role: qa`), []);
  assert.equal(wholeLines(commitBody(`Kept:\n${long}`)), `Kept:\n${long}`);
  const url = `https://example.org/${"a".repeat(150)}`;
  assert.ok(commitBody(`seen at ${"x ".repeat(45)}${url} today`).includes(`\n  ${url} `));
});

Deno.test("no text at all makes a commit that commitlint refuses", async () => {
  const any = fc.string({ unit: "binary", maxLength: 240 });
  await fc.assert(
    fc.asyncProperty(any, any, fc.constantFrom(...TYPES), async (title, text, type) => {
      const subject = commitSubject(type, title);
      assert.deepEqual(await objectionsTo(subject), []);
      assert.ok(commitBody(text).split("\n").every((line) => line.length <= 100));
    }),
    { numRuns: 60 },
  );
});
