import assert from "node:assert/strict";
import fc from "fast-check";
import { decodedRuns, textOfBytes } from "svc/features/guardrails/base64_once.ts";
import { keywordTable } from "svc/features/guardrails/keywords.gen.ts";
import { Prefilter } from "svc/features/guardrails/prefilter.ts";
import { secretRules } from "svc/features/guardrails/secret_rules/all.ts";
import { verifies } from "tests/kit/verifies.ts";
import { encodedForms, filed, keywordsOf } from "tools/keyword_table.ts";

function scan(keywords: readonly string[], text: string): [number, string][] {
  const filter = new Prefilter(filed(keywords.map((text, leadsTo) => ({ text, leadsTo }))));
  const found: [number, string][] = [];
  filter.scan(new TextEncoder().encode(text), (at, lead) => {
    found.push([at, keywords[lead]!]);
  });
  return found.sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1));
}

Deno.test("Prefilter finds a keyword in lower case in any case, one with a capital as written", () => {
  assert.deepEqual(scan(["token"], "Token TOKEN token"), [[0, "token"], [6, "token"], [
    12,
    "token",
  ]]);
  assert.deepEqual(scan(["AKIA"], "akia AKIA Akia"), [[5, "AKIA"]]);
});

Deno.test("Prefilter finds keywords that overlap, at both ends of the text", () => {
  assert.deepEqual(scan(["sk-", "sk-ant-", "ant"], "sk-ant-"), [
    [0, "sk-"],
    [0, "sk-ant-"],
    [3, "ant"],
  ]);
});

Deno.test("Prefilter refuses keywords it could not file", () => {
  for (const keyword of ["ab", "two\nlines", "caf\u00e9"]) {
    assert.throws(() => scan([keyword], ""), RangeError);
  }
});

Deno.test("svc looks for the keywords of all its rules, and for what they are under base64", () => {
  assert.deepEqual(keywordTable(), keywordsOf(secretRules()));
});

Deno.test("Prefilter agrees with a search for each keyword", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "A", "_", "1", "-"), maxLength: 60 });
  const keyword = fc.string({
    unit: fc.constantFrom("a", "b", "_", "1", "-"),
    minLength: 3,
    maxLength: 5,
  });
  fc.assert(
    fc.property(
      letters,
      fc.uniqueArray(keyword, { minLength: 1, maxLength: 5 }),
      (text, keywords) => {
        const expected: [number, string][] = [];
        for (const one of keywords) {
          for (let at = 0; at + one.length <= text.length; at++) {
            if (text.slice(at, at + one.length).toLowerCase() === one) expected.push([at, one]);
          }
        }
        expected.sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1));
        assert.deepEqual(scan(keywords, text), expected);
      },
    ),
    { numRuns: 500 },
  );
});

verifies(
  "4.5:guardrails-secret-scan:finds-common-patterns",
  "Prefilter finds every keyword of every rule that a plain search finds, in any text",
  () => {
    const keywords = [...new Set(secretRules().flatMap((rule) => rule.keywords))];
    const piece = fc.oneof(
      fc.constantFrom(...keywords),
      fc.constantFrom(...keywords).map((one) => one.toUpperCase()),
      fc.constantFrom(...keywords).map((one) => one.slice(0, -1)),
      fc.constantFrom("é", "\u{1f600}", "\u65e5", "\0", "k", "K", "\n", " "),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        // One character a byte, as the offsets count.
        const text = new TextDecoder("latin1").decode(new TextEncoder().encode(pieces.join("")));
        const low = text.replace(/[A-Z]/g, (char) => char.toLowerCase());
        const expected: [number, string][] = [];
        for (const keyword of keywords) {
          const within = /[A-Z]/.test(keyword) ? text : low;
          for (let at = within.indexOf(keyword); at >= 0; at = within.indexOf(keyword, at + 1)) {
            expected.push([at, keyword]);
          }
        }
        expected.sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1));
        assert.deepEqual(scan(keywords, pieces.join("")), expected);
      }),
      { numRuns: 40 },
    );
  },
);

Deno.test("encodedForms stand in the base64 of every text that holds the keyword", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 20 }), (before) => {
      const plain = before.replace(/[^\x20-\x7e]/g, "?") + "github_pat_" + "tail";
      const encoded = btoa(plain);
      const alignment = (plain.length - "github_pat_tail".length) % 3;
      const form = encodedForms("github_pat_").find((one) => one.alignment === alignment);
      assert.ok(form && encoded.includes(form.piece));
      const text = `blob = "${encoded}"`;
      const places = [{ at: text.indexOf(form.piece), alignment: form.alignment }];
      const texts = [...decodedRuns(text, places)].map(({ bytes }) => textOfBytes(bytes));
      assert.deepEqual(texts, [plain]);
    }),
    { numRuns: 300 },
  );
});
