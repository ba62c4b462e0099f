import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { addressText, loopbackAddress } from "svc/core/loopback.ts";
import { listenLoopback, tryAddress } from "svc/platform/net/listen.ts";
import { verifies } from "tests/kit/verifies.ts";

const FREE = loopbackAddress("127.0.0.1:0");

Deno.test("listenLoopback serves on the port it says", async () => {
  const listener = listenLoopback(FREE, () => new Response("hello"));
  const response = await fetch(`http://${addressText(listener.address)}/`);
  assert.equal(await response.text(), "hello");
  await listener.stop(1000);
});

Deno.test("listenLoopback names a taken port and the way out", async () => {
  const first = listenLoopback(FREE, () => new Response(""));
  assert.throws(
    () => listenLoopback(first.address, () => new Response("")),
    (error) =>
      error instanceof Failure && error.code === "conflict" && /in use/.test(error.message) &&
      !!error.detail.remedy,
  );
  await first.stop(1000);
});

verifies(
  "4.5:start:dashboard-addr",
  "an address that is tried is told as taken, and not held",
  async () => {
    const listener = listenLoopback(FREE, () => new Response(""));
    assert.throws(() => tryAddress(listener.address), { code: "conflict", message: /in use/ });
    await listener.stop(1000);
    tryAddress(listener.address);
    tryAddress(listener.address);
  },
);

Deno.test("stop ends although an event stream is open", async () => {
  const endless = () =>
    new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) }));
  const listener = listenLoopback(FREE, endless);
  const response = await fetch(`http://${addressText(listener.address)}/`);
  const reader = response.body!.getReader();
  await reader.read();
  await listener.stop(50);
  await assert.rejects(() => reader.read());
});

Deno.test("stop lets a running request end", async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: answer, resolve: send } = Promise.withResolvers<Response>();
  const listener = listenLoopback(FREE, () => {
    arrive();
    return answer;
  });
  const response = fetch(`http://${addressText(listener.address)}/`);
  await arrived;
  const stopped = listener.stop(10_000);
  send(new Response("done"));
  assert.equal(await (await response).text(), "done");
  await stopped;
});
