import assert from "node:assert/strict";
import fc from "fast-check";
import { type EditMatch, findEdit, type Rung } from "svc/features/tools/edit/ladder.ts";

/** What an edit makes of a text, or why it makes nothing. */
function edited(text: string, old: string, fresh: string, count = 1): readonly [string, string] {
  const match = findEdit(text, { old, new: fresh, count });
  if (match.found === "nothing") return ["nothing", text];
  if (match.found === "wrong_count") return [`${match.rung}: ${match.places.length}`, text];
  let now = text;
  for (const { start, end, text: part } of match.changes.toReversed()) {
    now = now.slice(0, start) + part + now.slice(end);
  }
  return [match.rung, now];
}

interface Case {
  readonly name: string;
  readonly text: string;
  readonly old: string;
  readonly fresh: string;
  readonly rung: Rung;
  readonly now: string;
}

const CLASS = "class A {\n    one() {\n        return 1;\n    }\n\n    two() {}\n}\n";

const CASES: readonly Case[] = [
  {
    name: "a part of a line",
    text: "a = 1; b = 2;\n",
    old: "b = 2",
    fresh: "b = 3",
    rung: "exact",
    now: "a = 1; b = 3;\n",
  },
  { name: "to nothing", text: "a\nb\nc\n", old: "b\n", fresh: "", rung: "exact", now: "a\nc\n" },
  {
    name: "new lines in a CRLF file",
    text: "a\r\nb\r\n",
    old: "a",
    fresh: "x\ny",
    rung: "exact",
    now: "x\r\ny\r\nb\r\n",
  },
  {
    name: "a mark in the wanted text",
    text: "a\nb\n",
    old: "\ufeffa",
    fresh: "\ufeffx",
    rung: "exact",
    now: "x\nb\n",
  },
  {
    name: "LF asked of a CRLF file",
    text: "a\r\nb\r\nc\r\n",
    old: "a\nb\n",
    fresh: "x\n",
    rung: "line_ends",
    now: "x\r\nc\r\n",
  },
  {
    name: "CRLF asked of an LF file",
    text: "a\nb\nc\n",
    old: "a\r\nb",
    fresh: "x\r\ny",
    rung: "line_ends",
    now: "x\ny\nc\n",
  },
  {
    name: "a place with mixed ends",
    text: "a\r\nb\nc\r\n",
    old: "a\nb\n",
    fresh: "x\n",
    rung: "line_ends",
    now: "x\r\nc\r\n",
  },
  {
    name: "a line feed before a line of a CRLF file",
    text: "a\r\nfoo\r\nb\r\n",
    old: "\nfoo",
    fresh: "\nbar",
    rung: "line_ends",
    now: "a\r\nbar\r\nb\r\n",
  },
  {
    name: "a line and the line feed before it, to nothing",
    text: "a\r\nfoo\r\nb\r\n",
    old: "\nfoo",
    fresh: "",
    rung: "line_ends",
    now: "a\r\nb\r\n",
  },
  {
    name: "lines of a CRLF file that were cut at line feeds",
    text: "a\r\nfoo\r\nb\r\n",
    old: "foo\r",
    fresh: "bar\r",
    rung: "exact",
    now: "a\r\nbar\r\nb\r\n",
  },
  {
    name: "a last line without an end",
    text: "a\nlast",
    old: "last\n",
    fresh: "new\n",
    rung: "line_ends",
    now: "a\nnew",
  },
  {
    name: "a last CRLF line without an end",
    text: "a\r\nb\r\nlast",
    old: "b\nlast\n",
    fresh: "b\nnew\n",
    rung: "line_ends",
    now: "a\r\nb\r\nnew",
  },
  {
    name: "a block indented less",
    text: CLASS,
    old: "one() {\n    return 1;\n}",
    fresh: "one() {\n    if (x) {\n        return 2;\n    }\n\n    return 1;\n}",
    rung: "indentation",
    now:
      "class A {\n    one() {\n        if (x) {\n            return 2;\n        }\n\n        return 1;\n    }\n\n    two() {}\n}\n",
  },
  {
    name: "a block indented more, over a blank line",
    text: CLASS,
    old: "            return 1;\n        }\n        \n        two() {}\n",
    fresh: "            return 2;\n        }\n",
    rung: "indentation",
    now: "class A {\n    one() {\n        return 2;\n    }\n}\n",
  },
  {
    name: "tabs for a block without",
    text: "\tif (a) {\n\t\tb();\n\t}",
    old: "if (a) {\n\tb();\n}\n",
    fresh: "c();\n",
    rung: "indentation",
    now: "\tc();",
  },
  {
    name: "typographic quotes",
    text: "say “hello” – it’s…\n",
    old: `say "hello" - it's...`,
    fresh: "say nothing",
    rung: "unicode",
    now: "say nothing\n",
  },
  {
    name: "composed letters",
    text: "cafe\u0301 here\n",
    old: "caf\u00e9 here",
    fresh: "tea here",
    rung: "unicode",
    now: "tea here\n",
  },
  {
    name: "invisible letters and hard spaces",
    text: "a\u00a0=\u200b 1;\n",
    old: "a = 1;",
    fresh: "a = 2;",
    rung: "unicode",
    now: "a = 2;\n",
  },
  {
    name: "spaces at line ends",
    text: "one  \ntwo\t\nthree\n",
    old: "one\ntwo\nthree",
    fresh: "one\n2\nthree",
    rung: "unicode",
    now: "one  \n2\nthree\n",
  },
  {
    name: "quotes in a block indented otherwise",
    text: "    x = ‘a’;\n    y();\n",
    old: "x = 'a';\ny();\n",
    fresh: "x = 'b';\n",
    rung: "unicode",
    now: "    x = 'b';\n",
  },
  {
    name: "a slip in a line that only frames the change",
    text: "// Adds up all the numbers.\nfunction sum(list) {\n  return 0;\n}\n",
    old: "// Adds up all of the numbers.\nfunction sum(list) {\n  return 0;\n}\n",
    fresh: "// Adds up all of the numbers.\nfunction sum(list) {\n  return 1;\n}\n",
    rung: "fuzzy",
    now: "// Adds up all the numbers.\nfunction sum(list) {\n  return 1;\n}\n",
  },
  {
    name: "a slip at the end of a CRLF file",
    text: "zero\r\nconst answer = computeTheAnswer(42);",
    old: "const answer = computeTheAnwser(42);\n",
    fresh: "const answer = 1;\nconst other = 2;\n",
    rung: "fuzzy",
    now: "zero\r\nconst answer = 1;\r\nconst other = 2;",
  },
];

for (const { name, text, old, fresh, rung, now } of CASES) {
  Deno.test(`findEdit finds ${name}`, () => {
    assert.deepEqual(edited(text, old, fresh), [rung, now]);
  });
}

Deno.test("findEdit changes nothing when the text stands more often than expected", () => {
  assert.deepEqual(edited("a\na\na\n", "a", "b"), ["exact: 3", "a\na\na\n"]);
  assert.deepEqual(edited("a\na\n", "a", "b", 3), ["exact: 2", "a\na\n"]);
  assert.deepEqual(edited("a\nx\r\na\nx\r\n", "a\nx\n", "b"), ["line_ends: 2", "a\nx\r\na\nx\r\n"]);
  const twice = "  f(\n    1)\n      f(\n        1)\n";
  assert.deepEqual(edited(twice, "f(\n  1)", "g()"), ["indentation: 2", twice]);
  assert.deepEqual(edited("‘a’ ‘a’", "'a'", "b"), ["unicode: 2", "‘a’ ‘a’"]);
});

Deno.test("findEdit changes all places when as many are expected", () => {
  assert.deepEqual(edited("a\r\na\r\n", "a", "b\nc", 2), ["exact", "b\r\nc\r\nb\r\nc\r\n"]);
  assert.deepEqual(edited("‘a’ ‘a’", "'a'", "b", 2), ["unicode", "b b"]);
});

Deno.test("findEdit takes places that overlap for a doubt", () => {
  assert.deepEqual(edited("aaa", "aa", "b"), ["exact: 2", "aaa"]);
  assert.deepEqual(edited("aaa", "aa", "b", 2), ["exact: 2", "aaa"]);
});

Deno.test("findEdit takes no likeness when another place is nearly as good", () => {
  const text = "const first = compute(input, 1);\nconst other = compute(input, 2);\n";
  const [found] = edited(text, "const firsr = compute(input, 1);", "x");
  assert.equal(found, "nothing");
  const alone = "const first = compute(input, 1);\nsomething else entirely here\n";
  assert.equal(edited(alone, "const firsr = compute(input, 1);", "x")[0], "fuzzy");
});

Deno.test("findEdit takes no likeness below 0.9, for several places, or of another number of lines", () => {
  const text = "let total = 0;\nfor (const n of list) total += n;\n";
  assert.equal(edited(text, "let sum = 0;\nfor (const x of all) sum += x;\n", "y")[0], "nothing");
  assert.equal(
    edited(text, "let totl = 0;\nfor (const n of list) total += n;\n", "y", 2)[0],
    "nothing",
  );
  assert.equal(edited("a long line of text\n", "a long lime of text\n\n\n", "y")[0], "nothing");
});

Deno.test("findEdit cuts no line end in two", () => {
  assert.deepEqual(edited("foo\r\n", "foo\r", "x"), ["fuzzy", "x\r\n"]);
  const mixed = "a\r\nfoo\r\nb\nfoo\n";
  assert.deepEqual(edited(mixed, "\nfoo", "\nbar"), ["line_ends: 2", mixed]);
});

Deno.test("findEdit leaves every line end of a CRLF file whole, wherever the text begins and ends", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "“"), maxLength: 4 });
  const lines = fc.array(line, { minLength: 1, maxLength: 6 });
  const part = fc.tuple(fc.nat(40), fc.nat(40));
  fc.assert(
    fc.property(
      lines,
      part,
      lines,
      fc.constantFrom("\n", "\r\n"),
      (file, [from, to], fresh, end) => {
        const text = `${file.join("\r\n")}\r\n`;
        const old = text.slice(Math.min(from, to), Math.max(from, to));
        if (old === "") return;
        const [rung, now] = edited(text, old, fresh.join(end));
        assert.doesNotMatch(now.replaceAll("\r\n", ""), /[\r\n]/, rung);
        if (rung !== "exact" && rung !== "line_ends") return;
        const start = text.indexOf(old.replace(/^\n/, "\r\n"));
        const after = text.slice(start).replace(old.replace(/^\n/, "\r\n"), "");
        assert.equal(now, text.slice(0, start) + fresh.join("\r\n") + after);
      },
    ),
    { numRuns: 2000 },
  );
});

Deno.test("findEdit takes half of a letter that stands for several for no match", () => {
  assert.equal(edited("wait…\n", "wait.", "go")[0], "nothing");
  assert.equal(edited("wait…\n", "wait...", "go")[1], "go\n");
});

function nearestOf(match: EditMatch): readonly number[] {
  assert.equal(match.found, "nothing");
  return match.found === "nothing" ? match.nearest.map(({ first }) => first + 1) : [];
}

Deno.test("findEdit names the three places that are most like the text, apart from each other", () => {
  const filler = Array.from({ length: 20 }, (_, at) => `// ${"xyzw"[at % 4]!.repeat(30)} ${at}`);
  const lines = [...filler];
  lines[4] = "function area(width, height) {";
  lines[9] = "function areas(width, heights) {";
  lines[14] = "function volume(width, height, depth) {";
  const text = lines.join("\n");
  assert.deepEqual(
    nearestOf(findEdit(text, { old: "function aera(widths, hight) {", new: "", count: 1 })),
    [5, 10, 15],
  );
  assert.deepEqual(nearestOf(findEdit("", { old: "anything", new: "", count: 1 })), []);
});

Deno.test("findEdit compares a block of many lines with those of a large file in time", () => {
  // Each place was a copy of so many lines: half a minute.
  const [rows, block] = ["y\n".repeat(250_000), "x\n".repeat(20_000)];
  assert.equal(findEdit(rows, { old: block, new: "z", count: 1 }).found, "nothing");
  // And where they differ in the last line alone.
  const alike = `${"y\n".repeat(20_000)}x\n`;
  assert.equal(findEdit(rows, { old: alike, new: "z", count: 1 }).found, "nothing");
  const [rung] = edited(`${rows}    one\n    two\n`, "one\ntwo\n", "three\n");
  assert.equal(rung, "indentation");
});

Deno.test("findEdit gives up in time on a large file", () => {
  const line = "const value = compute(alpha, beta, gamma);";
  const text = `${Array.from({ length: 40_000 }, (_, at) => `${line} // ${at}`).join("\n")}\n`;
  const old = Array.from({ length: 60 }, () => `${line} /* none */`).join("\n");
  assert.equal(findEdit(text, { old, new: "", count: 1 }).found, "nothing");
  const long = "ab".repeat(500_000);
  assert.equal(findEdit(`${long}c`, { old: `d${long}`, new: "", count: 1 }).found, "nothing");
});
