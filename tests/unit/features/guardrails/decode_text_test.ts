import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeFile } from "svc/features/guardrails/decode_text.ts";
import { verifies } from "tests/kit/verifies.ts";

verifies(
  "4.5:guardrails-secret-scan:finds-common-patterns",
  "a byte of UTF-8 is at the place in the text that decoding the bytes before it gives, in any order of asking",
  () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "é", "\u65e5", "\u{1f600}", "\n"),
      maxLength: 40,
    });
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 10 }), (text, asked) => {
        const { text: decoded } = decodeFile(new TextEncoder().encode(text));
        const starts = [...text].reduce<[number, number][]>((all, char) => {
          const [byte, unit] = all.at(-1)!;
          all.push([byte + new TextEncoder().encode(char).length, unit + char.length]);
          return all;
        }, [[0, 0]]);
        for (const nth of [...asked, 0, starts.length - 1]) {
          const [byte, unit] = starts[nth % starts.length]!;
          assert.equal(decoded.toText(byte), unit);
        }
      }),
      { numRuns: 300 },
    );
  },
);
