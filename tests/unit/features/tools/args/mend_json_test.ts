import assert from "node:assert/strict";
import fc from "fast-check";
import { mendJson } from "svc/features/tools/args/mend_json.ts";

const sure = (text: string) => mendJson(text, { guess: false });

Deno.test("JSON that a model wrote by hand is mended around its texts", () => {
  for (
    const [text, wanted] of [
      ['{"a": 1,}', { a: 1 }],
      ['{"a": {"b": "c"', { a: { b: "c" } }],
      ['{"a": ["b", "c"}', { a: ["b", "c"] }],
      ['{"a": 1}}', { a: 1 }],
      ["{'a': 'it\\'s', 'b': True, 'c': None}", { a: "it's", b: true, c: null }],
      ['{a: 1, b: "c"}', { a: 1, b: "c" }],
      ['```json\n{"a": 1}\n```', { a: 1 }],
      ['// it\'s a call\n{"a": /* one */ 1}', { a: 1 }],
      ['{"a": "one\ntwo\tthree"}', { a: "one\ntwo\tthree" }],
      ['{"a": "\\d+ C:\\Users \\u00e9 \\n"}', { a: "\\d+ C:\\Users \u00e9 \n" }],
      ['{"a": "x = {\\"y\\": [1, 2,], }"}</tool_call>', { a: 'x = {"y": [1, 2,], }' }],
      ['{"a": 1}<|im_end|>', { a: 1 }],
      ["{\u201ca\u201d: \u201cb\u201d}", { a: "b" }],
      ['file_read({"a": 1})', { a: 1 }],
      ['{"a": "b" "c": 1}', { a: "b", c: 1 }],
    ] as const
  ) assert.deepEqual(sure(text), { value: wanted }, text);
});

Deno.test("what is not sure is a fault, so that no half of a file is written and no half of a command is run", () => {
  for (
    const [text, why] of [
      ['{"path": "a", "content": "half of', /cut off/],
      ['{"path": "a", "content": "half of }', /cut off/],
      ['{"argv": ["rm", "-rf", "build', /cut off/],
      ['{"argv": ["rm", "-rf", "build"', /ends too early/],
      ['{"argv": ["rm",', /ends too early/],
      ['{"argv": ["rm", ...]}', /leaves something out/],
      ['{"content": "print("a", "b")"}', /where its texts end is unclear/],
      ['{"path": "a", "content": "b", "c"', /where its texts end is unclear/],
      ['{"content": "he said "hi" to me"}', /where its texts end is unclear/],
      ['{"content": "a" + "b"}', /where its texts end is unclear/],
      ['{"content": NaN}', /where its texts end is unclear/],
      ['{"content": npm test}', /where its texts end is unclear/],
      ['{"a": 1} {"b": 2}', /commas and braces/],
      ['{"a": "\ue000" \ue0000\ue001}', /cut off/],
    ] as const
  ) {
    const mended = sure(text);
    assert.ok("fault" in mended, `${text} ${JSON.stringify(mended)}`);
    assert.match(mended.fault, why, text);
  }
  const said = '{"evidence": "it "works" now"}';
  assert.deepEqual(mendJson(said, { guess: true }), { value: { evidence: 'it "works" now' } });
});

const texts = fc.string({ unit: "binary" }).filter((text) => !/[\ue000\ue001]/.test(text));
const values = fc.dictionary(
  texts,
  fc.oneof(texts, fc.integer(), fc.boolean(), fc.array(texts)),
  { noNullPrototype: true },
);

Deno.test("texts come back letter for letter, whatever is mended around them", () => {
  fc.assert(fc.property(values, fc.integer({ min: 0, max: 3 }), (value, how) => {
    const text = JSON.stringify(value);
    const broken = [
      `${text.slice(0, -1)},}`,
      `\`\`\`json\n${text}\n\`\`\``,
      `${text} // done`,
      text.replaceAll("\\n", "\n").replaceAll("\\t", "\t"),
    ][how]!;
    fc.pre(Object.keys(value).length > 0);
    const mended = sure(broken);
    assert.deepEqual("value" in mended ? mended.value : mended, value, broken);
  }));
});

Deno.test("hostile text ends, and nothing is thrown", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, guess) => {
    mendJson(text, { guess });
    mendJson(`{"a": "${text}", ${text}}`, { guess });
  }));
  for (
    const piece of [
      "[",
      "{",
      '"',
      "'",
      '{"a":',
      "x",
      "x\n",
      "/*",
      "//\n",
      "\\",
      ",",
      "`",
      '\\"',
      "</a>",
    ]
  ) {
    for (const [before, after] of [["", ""], ['{"a":"', '"}'], ['{"a":[', "]}"]] as const) {
      mendJson(before + piece.repeat(1_000_000 / piece.length) + after, { guess: true });
    }
  }
  // jsonrepair takes minutes for these; they are too long to be handed to it.
  for (const piece of ['b "c" ', '{"a": "b", // c\n', "1e ", "\u201ca\u201d "]) {
    assert.ok("fault" in mendJson(`{"a": [${piece.repeat(160_000)}]}`, { guess: true }));
  }
  assert.deepEqual(sure('{"__proto__": {"a": 1},}'), {
    value: JSON.parse('{"__proto__": {"a": 1}}'),
  });
});
