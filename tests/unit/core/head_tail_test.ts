import assert from "node:assert/strict";
import fc from "fast-check";
import { capturedBytes, capturedText, HeadTail } from "svc/core/head_tail.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function pushed(limit: number, ...chunks: string[]): HeadTail {
  const buffer = new HeadTail(limit);
  for (const chunk of chunks) buffer.push(bytes(chunk));
  return buffer;
}

Deno.test("HeadTail keeps a short stream whole", () => {
  const captured = pushed(4, "ab", "", "cdef").capture();
  assert.equal(capturedText(captured), "abcdef");
  assert.deepEqual([captured.totalBytes, captured.truncated], [6, false]);
});

Deno.test("HeadTail drops the middle of a long stream and says how much", () => {
  const captured = pushed(3, "0123456789").capture();
  assert.deepEqual(captured, {
    head: bytes("012"),
    tail: bytes("789"),
    totalBytes: 10,
    truncated: true,
  });
  assert.equal(capturedText(captured), "012\n[4 bytes left out]\n789");
});

Deno.test("HeadTail equals the slices of the whole stream, however it is cut", () => {
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 12 }),
    fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 12 }),
    (limit, chunks) => {
      const buffer = new HeadTail(limit);
      for (const chunk of chunks) buffer.push(chunk);
      const whole = chunks.flatMap((chunk) => [...chunk]);
      const captured = buffer.capture();
      const afterHead = whole.slice(limit);
      assert.deepEqual([...captured.head], whole.slice(0, limit));
      assert.deepEqual([...captured.tail], afterHead.slice(-limit));
      assert.equal(captured.totalBytes, whole.length);
      assert.equal(captured.truncated, whole.length > 2 * limit);
      if (!captured.truncated) assert.deepEqual([...capturedBytes(captured)], whole);
    },
  ));
});

Deno.test("HeadTail.capture is a copy", () => {
  const buffer = pushed(2, "abcd");
  const before = buffer.capture();
  buffer.push(bytes("ef"));
  assert.equal(capturedText(before), "abcd");
  assert.equal(capturedText(buffer.capture()), "ab\n[2 bytes left out]\nef");
});

Deno.test("HeadTail does not keep the buffer a chunk is a view of", () => {
  const shared = bytes("abcd");
  const buffer = new HeadTail(2);
  buffer.push(shared.subarray(0, 4));
  shared.fill(0);
  assert.equal(capturedText(buffer.capture()), "abcd");
});

Deno.test("capturedText shows invalid UTF-8 as U+FFFD", () => {
  const buffer = new HeadTail(8);
  buffer.push(Uint8Array.of(0x61, 0xff, 0x62));
  assert.equal(capturedText(buffer.capture()), "a\ufffdb");
});

Deno.test("HeadTail refuses a limit that keeps nothing", () => {
  for (const limit of [0, -1, 1.5, NaN]) assert.throws(() => new HeadTail(limit), RangeError);
});
