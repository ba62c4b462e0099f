import assert from "node:assert/strict";
import { oneLine, render, roughly, wrapped } from "svc/terminal/line.ts";

const same = (text: string) => text;

Deno.test("oneLine leaves one harmless line of any text", () => {
  assert.equal(oneLine("a\r\nb\tc\u2028d", same), "a b c d");
  assert.equal(oneLine("\x1b]0;owned\x07red \x1b[31mtext\x9b2J", same), "red text");
  assert.equal(oneLine("safe\u202egnp.exe\u200b\ufeff", same), "safegnp.exe");
  assert.equal(oneLine(`e${"\u0301".repeat(90)}`, same), "é\u0301\u0301");
  assert.equal(oneLine("\u0301\u0301x", same), "x");
  assert.equal(oneLine("\u200b\x1b[A", same), "");
});

Deno.test("oneLine redacts before it cuts", () => {
  const text = `${"x".repeat(995)}secret`;
  assert.ok(!oneLine(text, (said) => said.replaceAll("secret", "***")).includes("s"));
});

Deno.test("render cuts at the last cell, in whole characters, and says so", () => {
  assert.equal(render(["abc", "def"], 6, false), "abcdef");
  assert.equal(render(["abc", "def"], 5, false), "abcd…");
  assert.equal(render(["abc", "def"], 3, false), "ab…");
  assert.equal(render(["漢字", "漢字"], 6, false), "漢字…");
  assert.equal(render(["x"], 0, false), "");
  assert.equal(render([["bad", "abc"], "def"], 2, true), "\x1b[31ma…\x1b[0m");
});

Deno.test("wrapped breaks between words and keeps the rest on the last line", () => {
  assert.deepEqual(wrapped("aa bb cc dd", 5, 3), ["aa bb", "  cc", "  dd"]);
  assert.deepEqual(wrapped("aa bb cc dd", 5, 2), ["aa bb", "  cc dd"]);
  assert.deepEqual(wrapped("aa bb", 5, 1), ["aa bb"]);
  assert.deepEqual(wrapped("abcdefgh ij", 5, 3), ["abcdefgh", "  ij"]);
  assert.deepEqual(wrapped("", 5, 2), [""]);
});

Deno.test("roughly says two units at most", () => {
  const secs: Readonly<Record<number, string>> = {
    [-5]: "0 s",
    0.4: "0 s",
    59: "59 s",
    61: "1 min",
    3600: "1 h",
    8040: "2 h 14 min",
    86_399: "23 h 59 min",
    86_400: "1 d",
    [3 * 86_400 + 7200]: "3 d 2 h",
  };
  for (const [given, said] of Object.entries(secs)) assert.equal(roughly(+given * 1000), said);
});
