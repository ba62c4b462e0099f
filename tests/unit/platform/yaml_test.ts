/** YAML that others wrote: whatever its size and form, it is read or refused in bounded time. */
import assert from "node:assert/strict";
import { parseDocument, readYaml } from "svc/platform/yaml.ts";

const ANYTHING = { safeParse: (data: unknown) => ({ success: true as const, data }) };
const read = (text: string) => readYaml({ text, path: "x.yaml" }, ANYTHING);

const some = (count: number, line: (at: number) => string, between = "\n") =>
  Array.from({ length: count }, (_, at) => line(at)).join(between);

/** The library's own look at keys takes more than a minute for each of the first three. */
const WIDE = 40_000;

const LARGE: Readonly<Record<string, readonly [text: string, refused?: RegExp]>> = {
  "keys in braces": [`{${some(WIDE, (at) => `k${at}: 1`, ",")}}`],
  "keys in lines": [some(WIDE, (at) => `k${at}: 1`)],
  "keys with a question mark": [some(WIDE, (at) => `? k${at}\n: 1`)],
  "as many anchors as aliases": [
    `${some(20_000, (at) => `- &a${at} x`)}\n${some(20_000, (at) => `- *a${at}`)}`,
    /\(line 1, column 1\): There are more than 1000 aliases/,
  ],
  "one key again and again": [
    some(WIDE, () => "k: 1"),
    /\(line 2, column 1\): Map keys must be unique/,
  ],
  "brackets in brackets": ["[".repeat(WIDE), /it is nested too deeply/],
};

for (const [what, [text, refused]] of Object.entries(LARGE)) {
  Deno.test(`a file of ${what} is read or refused soon`, () => {
    const begun = performance.now();
    if (refused === undefined) read(text);
    else assert.throws(() => read(text), refused);
    parseDocument(text).toJS({ maxAliasCount: 100 });
    const took = performance.now() - begun;
    assert.ok(took < 20_000, `${Math.round(took)} ms`);
  });
}

Deno.test("a key that is there twice is told by its first place, also behind other faults", () => {
  for (
    const [text, said] of [
      [
        "a: 1\nb: {c: 1, d: {e: 1, e: 2}}\na: 2\n",
        /\(line 2, column 21\): Map keys must be unique/,
      ],
      ["? [x]\n: 1\n? [x]\n: 2\nb: 1\nb: 2\n", /\(line 6, column 1\): Map keys must be unique/],
      ["a: 1\na: 2\nb: @x\n", /\(line 2, column 1\): Map keys must be unique/],
      ["b: @x\na: 1\na: 2\n", /\(line 1, column 4\): Plain value cannot start with/],
    ] as const
  ) {
    assert.throws(() => read(text), said);
  }
  assert.deepEqual(read('1: a\n"1": b\nnull: c\n'), { 1: "b", "": "c" });
  assert.deepEqual(read("a: &x [1]\nb: *x\n"), { a: [1], b: [1] });
});
