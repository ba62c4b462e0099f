/** How many requests one listener handles at a time; called without a socket, so that each is seen. */
import assert from "node:assert/strict";
import { HTTP_REQUESTS } from "svc/core/bounds.ts";
import { answer, type HttpAnswer } from "svc/http/answer.ts";
import { gate } from "svc/http/gate.ts";
import type { HttpRoute } from "svc/http/route.ts";
import { systemClock } from "svc/platform/clock.ts";

const HOST = "127.0.0.1:9091";

function opened() {
  const { promise: released, resolve: release } = Promise.withResolvers<HttpAnswer>();
  const routes: readonly HttpRoute[] = [
    {
      ...{ method: "GET", path: "/slow", access: "open", body: { kind: "none" } },
      handle: () => released,
    },
    {
      ...{ method: "POST", path: "/hook", access: "signed" },
      body: { kind: "raw", maxBytes: 64 },
      handle: () => released,
    },
  ];
  const handler = gate({
    ...{ routes, hosts: () => [HOST], clock: systemClock },
    log: { write: () => {} },
  });
  const ask = (path: string, init: RequestInit = {}) =>
    Promise.resolve(
      handler(
        new Request(`http://${HOST}${path}`, {
          ...init,
          headers: { host: HOST, "content-type": "application/json" },
        }),
      ),
    );
  return { ask, release: () => release(answer(200, {})) };
}

Deno.test("so many requests are handled at a time and no more, and each gives its place back", async () => {
  const { ask, release } = opened();
  const all = Array.from({ length: HTTP_REQUESTS }, () => ask("/slow"));
  const late = await ask("/slow");
  assert.equal(late.status, 503);
  assert.ok(Number(late.headers.get("retry-after")) > 0);
  release();
  assert.deepEqual(new Set((await Promise.all(all)).map(({ status }) => status)), new Set([200]));
  assert.equal((await ask("/slow")).status, 200);
});

Deno.test("who has sent a body for longest makes way for the next one", async () => {
  const { ask, release } = opened();
  const silent = new ReadableStream<Uint8Array>();
  const sending = ask("/hook", { method: "POST", body: silent });
  const all = Array.from({ length: HTTP_REQUESTS - 1 }, () => ask("/slow"));
  const next = ask("/slow");
  assert.equal((await sending).status, 503);
  assert.equal((await ask("/slow")).status, 503);
  release();
  assert.equal((await next).status, 200);
  await Promise.all(all);
});
