import assert from "node:assert/strict";
import fc from "fast-check";
import { isKeyValue, readEnvLine, withEnvLine } from "svc/features/models/choose/env_lines.ts";

Deno.test("readEnvLine reads what shells and dotenv write", () => {
  const table: readonly [line: string, value: string | undefined][] = [
    ["KEY=abc", "abc"],
    ["  KEY = abc  ", "abc"],
    ["export KEY=abc", "abc"],
    ["KEY='a b#c'", "a b#c"],
    ['KEY="a\\"b\\\\c" # note', 'a"b\\c'],
    ["KEY=abc # note", "abc"],
    ["KEY=abc#1", "abc#1"],
    ["KEY=one\nKEY=two\n", "two"],
    ["KEY=abc\r\nX=1\r\n", "abc"],
    ["KEY='a\nb'\nX=1", "a\nb"],
    ["KEY='a\nb'\nKEY=c", "c"],
    ["KEY=", undefined],
    ["KEY=''", undefined],
    ["#KEY=abc", undefined],
    ["MY_KEY=abc", undefined],
    ["KEY_2=abc", undefined],
    ["", undefined],
  ];
  for (const [text, value] of table) assert.equal(readEnvLine(text, "KEY"), value, text);
});

Deno.test("withEnvLine sets one name and keeps all other lines", () => {
  const table: readonly [before: string, after: string][] = [
    ["", "KEY=new\n"],
    ["# mine\nX=1", "# mine\nX=1\nKEY=new\n"],
    ["KEY=old\n# mine\nX=1\n", "KEY=new\n# mine\nX=1\n"],
    ["export KEY=old\nX=1\n", "export KEY=new\nX=1\n"],
    ["KEY=old\n\nX=1\nKEY=older\n", "KEY=new\n\nX=1\n"],
    ["X=1\r\nKEY=old\r\n", "X=1\r\nKEY=new\r\n"],
    // Such as the key of a service account, pasted as it was downloaded.
    ['KEY="{\n  \\"a\\": 1\n}" # mine\nX=1\n', "KEY=new\nX=1\n"],
    ["KEY='a\nb'\nX=1\nexport KEY='c\nd'\nY=2\n", "KEY=new\nX=1\nY=2\n"],
    ["KEY='a\r\nb'\r\nX=1\r\n", "KEY=new\r\nX=1\r\n"],
    ['KEY="no end\nX=1\n', "KEY=new\nX=1\n"],
    ["#KEY=old\nKEY_2=other\n", "#KEY=old\nKEY_2=other\nKEY=new\n"],
  ];
  for (const [before, after] of table) {
    assert.equal(withEnvLine(before, "KEY", "new"), after, JSON.stringify(before));
  }
});

Deno.test("every key that is written is read again", () => {
  const key = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c)),
    minLength: 1,
  });
  fc.assert(fc.property(key, fc.string(), (value, around) => {
    assert.ok(isKeyValue(value));
    const text = withEnvLine(around, "KEY", value);
    assert.equal(readEnvLine(text, "KEY"), value);
    assert.equal(withEnvLine(text, "KEY", value), text);
  }));
  for (const value of ["", "a b", "a\nb", "ä", "a\0", "x".repeat(8193)]) {
    assert.ok(!isKeyValue(value));
  }
});
