import assert from "node:assert/strict";
import { type SseMessage, sseParser } from "svc/dashboard/state/sse.ts";

function parsed(...texts: string[]): SseMessage[] {
  const found: SseMessage[] = [];
  const take = sseParser((message) => found.push(message));
  for (const text of texts) take(text);
  return found;
}

Deno.test("sseParser tells what a blank line ends, and skips comments", () => {
  assert.deepEqual(parsed(": keepalive\n\nretry: 2000\n\nid: 7\ndata: {}\n\n"), [
    { id: "7", data: "{}" },
  ]);
});

Deno.test("sseParser takes a stream in any pieces and with any line ends", () => {
  const text = "id: 1\r\ndata: a\r\ndata: b\r\n\r\nid: 2\ndata:c\n\n";
  const whole = [{ id: "1", data: "a\nb" }, { id: "2", data: "c" }];
  assert.deepEqual(parsed(text), whole);
  assert.deepEqual(parsed(...text), whole);
});

Deno.test("sseParser keeps the last id for messages without one, and tells no half message", () => {
  assert.deepEqual(parsed("id: 4\ndata: a\n\ndata: b\n\n", "data: never ended"), [
    { id: "4", data: "a" },
    { id: "4", data: "b" },
  ]);
});
