import assert from "node:assert/strict";
import fc from "fast-check";
import { boundOutput, outputBound } from "svc/features/tools/bound_output.ts";

const bound = { lines: 10, bytes: 200 };
const size = (text: string) => new TextEncoder().encode(text).length;
const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");

Deno.test("outputBound is smaller for small windows", () => {
  assert.deepEqual(outputBound(32_000), { lines: 2000, bytes: 12 * 1024 });
  assert.deepEqual(outputBound(32_001), { lines: 2000, bytes: 48 * 1024 });
});

Deno.test("boundOutput leaves alone what fits", () => {
  for (const text of ["", "one", "one\n", numbered(10), `${numbered(10)}\n`]) {
    assert.deepEqual(boundOutput(text, "head", bound), { text });
    assert.deepEqual(boundOutput(text, "tail", bound), { text });
  }
});

Deno.test("boundOutput keeps whole lines of the head", () => {
  const cut = boundOutput(numbered(12), "head", bound);
  assert.deepEqual(cut, {
    text: numbered(10),
    cut: { headLines: 10, totalLines: 12, totalBytes: 86 },
  });
  const wide = boundOutput(
    ["x".repeat(90), "y".repeat(90), "z".repeat(90)].join("\n"),
    "head",
    bound,
  );
  assert.deepEqual(wide.text.split("\n").map((line) => line[0]), ["x", "y"]);
  assert.equal(wide.cut?.headLines, 2);
});

Deno.test("boundOutput shows the beginning of a long line behind a short one: JSON without line ends has one", () => {
  for (const length of [199, 5_000]) {
    const json = `{"found": "${"é".repeat(length)}"}`;
    const { text, cut } = boundOutput(`Its answer:\n${json}\n`, "head", bound);
    const [head, part, ...more] = text.split("\n");
    assert.deepEqual([head, more, cut?.headLines], ["Its answer:", [], 1]);
    assert.match(part!, /^\{"found": "é+ \[line cut: \d+ of its \d+ bytes\]$/);
    assert.ok(size(text) <= bound.bytes + "[line cut: 000 of its 00000 bytes] ".length, text);
  }
});

Deno.test("boundOutput keeps 60 % of the tail, and says what is missing", () => {
  const { text, cut } = boundOutput(numbered(30), "tail", bound);
  const lines = text.split("\n");
  assert.deepEqual(lines.slice(0, 4), ["line 1", "line 2", "line 3", "line 4"]);
  assert.match(lines[4]!, /^\[20 lines, \d+ bytes left out\]$/);
  assert.deepEqual(lines.slice(5), [25, 26, 27, 28, 29, 30].map((at) => `line ${at}`));
  assert.equal(cut?.totalLines, 30);
});

Deno.test("boundOutput cuts a single line of 5 MB at a character, with a note", () => {
  const line = "é".repeat(2_500_000);
  for (const keep of ["head", "tail"] as const) {
    const { text, cut } = boundOutput(line, keep, { lines: 10, bytes: 201 });
    assert.match(text, /\[line cut: (200|120) of its 5000000 bytes\]/);
    assert.doesNotMatch(text, /\ufffd/);
    assert.deepEqual(cut, { headLines: 0, totalLines: 1, totalBytes: 5_000_000 });
    assert.ok(text.length < 300);
  }
  const last = boundOutput(`first\n${"x".repeat(1000)}`, "tail", bound).text;
  assert.match(last, /^first\n\[line cut: 120 of its 1000 bytes\] x+$/);
});

Deno.test("boundOutput shows a part of a long line between others: a command's answer has lines around it", () => {
  const json = `{${"x".repeat(2000)}}`;
  const { text, cut } = boundOutput(`--- stdout\n${json}\n--- ended`, "tail", bound);
  const shown = text.split("\n");
  assert.equal(shown[0], "--- stdout");
  assert.match(shown[1]!, /^\[line cut: 110 of its 2002 bytes\] x+\}$/);
  assert.equal(shown[2], "--- ended");
  assert.deepEqual(cut, { headLines: 1, totalLines: 3, totalBytes: 2023 });
  const two = boundOutput(`--- stdout\n${json}\n${json}\n--- ended`, "tail", bound).text;
  assert.match(two, /^--- stdout\n\{x+ \[line cut: 69 .*\]\n\[line cut: 110 .*\] x+\}\n--- ended$/);
});

Deno.test("boundOutput never gives more than its bound and its notes", () => {
  const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 80 }), { maxLength: 60 });
  fc.assert(
    fc.property(
      texts,
      fc.constantFrom("head", "tail"),
      fc.integer({ min: 20, max: 400 }),
      (lines, keep, bytes) => {
        const { text, cut } = boundOutput(lines.join("\n"), keep, { lines: 10, bytes });
        if (cut === undefined) return assert.equal(text, lines.join("\n"));
        const notes = 3 * 60;
        assert.ok(size(text) <= bytes + notes, `${size(text)} of ${bytes}`);
        assert.ok(text.split("\n").length <= 11);
      },
    ),
  );
});
