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

Deno.test("stop lets each running request end, and answers no new one", async () => {
  const held = ["/first", "/second"].map((path) => ({
    path,
    arrived: Promise.withResolvers<void>(),
    answer: Promise.withResolvers<Response>(),
  }));
  const listener = listenLoopback(FREE, ({ url }) => {
    const one = held.find(({ path }) => url.endsWith(path));
    one?.arrived.resolve();
    return one?.answer.promise ?? new Response("before");
  });
  const ask = (path: string) => fetch(`http://${addressText(listener.address)}${path}`);
  assert.equal(await (await ask("/")).text(), "before");
  const asked = held.map(({ path }) => ask(path));
  for (const { arrived } of held) await arrived.promise;
  const stopped = listener.stop(60_000);
  for (const [at, { answer }] of held.entries()) {
    const late = await ask("/");
    assert.deepEqual([late.status, await late.text()], [503, ""]);
    answer.resolve(new Response("done"));
    assert.equal(await (await asked[at]!).text(), "done");
  }
  await stopped;
});
