import assert from "node:assert/strict";
import { linesOf } from "svc/core/line_reader.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

async function* chunks(...parts: readonly (string | Uint8Array)[]) {
  for (const part of parts) yield typeof part === "string" ? bytes(part) : part;
}

const all = (max: number, ...parts: readonly (string | Uint8Array)[]) =>
  Array.fromAsync(linesOf(chunks(...parts), max));

Deno.test("linesOf cuts at line feeds, wherever the chunks do", async () => {
  const whole = "one\ntwo\r\n\nthree é\nlast";
  const wanted = ["one", "two\r", "", "three é", "last"].map((text) => ({ text }));
  assert.deepEqual(await all(100, whole), wanted);
  assert.deepEqual(await all(100, ...[...bytes(whole)].map((byte) => Uint8Array.of(byte))), wanted);
});

Deno.test("linesOf names a line that is too long once, and goes on behind it", async () => {
  const tooLong = { fault: "too_long" };
  assert.deepEqual(await all(3, "abc\nabcd\nx\n"), [{ text: "abc" }, tooLong, { text: "x" }]);
  assert.deepEqual(await all(3, "ab", "cd", "ef", "g\n", "h"), [tooLong, { text: "h" }]);
  assert.deepEqual(await all(3, "abcdef"), [tooLong]);
});

Deno.test("linesOf names a line that is too long before its end has come", async () => {
  async function* endless() {
    while (true) yield bytes("aaaa");
  }
  for await (const line of linesOf(endless(), 10)) {
    assert.deepEqual(line, { fault: "too_long" });
    break;
  }
});

Deno.test("linesOf tells what is no UTF-8, and leaves out a byte order mark", async () => {
  assert.deepEqual(
    await all(100, Uint8Array.of(0xff, 0x0a), "\ufeffa\n"),
    [{ fault: "not_utf8" }, { text: "a" }],
  );
});
