import assert from "node:assert/strict";
import { boundedText } from "svc/core/bounded_text.ts";

const quiet = new AbortController().signal;
const bytes = new TextEncoder();

Deno.test("boundedText gives a text that fits, whatever its parts", async () => {
  const parts = [...bytes.encode("naïve ✓")].map((byte) => Uint8Array.of(byte));
  assert.equal(await boundedText({ body: ReadableStream.from(parts) }, 10, quiet), "naïve ✓");
  assert.equal(await boundedText(new Response(null), 10, quiet), "");
});

Deno.test("boundedText ends the connection of a longer one", async () => {
  let ended = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (sink) => sink.enqueue(bytes.encode("ab")),
    cancel: () => void (ended = true),
  }, { highWaterMark: 0 });
  assert.equal(await boundedText({ body }, 5, quiet), undefined);
  assert.ok(ended);
});

Deno.test("boundedText ends with its signal where the stream does not", async () => {
  const stop = new AbortController();
  let ended = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (sink) => sink.enqueue(bytes.encode("a")),
    // Nothing more comes, and no fetch is tied to it.
    pull: () => void setTimeout(() => stop.abort(new Error("stopped")), 0),
    cancel: () => void (ended = true),
  });
  await assert.rejects(boundedText({ body }, 5, stop.signal), /stopped/);
  assert.ok(ended);
});

Deno.test("boundedText throws what breaks the stream", async () => {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (sink) => sink.error(new Error("connection reset")),
  });
  await assert.rejects(boundedText({ body }, 5, quiet), /connection reset/);
});
