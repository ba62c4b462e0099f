/** What a server does when its client has gone while a call goes on. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import type { AnyTool, ToolOutcome } from "svc/features/tools/tool.ts";
import { serveMcp } from "svc/mcp/serve.ts";

const said = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

const HELLO = said({
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
}) + said({ method: "notifications/initialized" });
const CALL = said({ id: 2, method: "tools/call", params: { name: "stuck", arguments: {} } });

const CLOCK = {
  now: () => 0,
  monotonic: () => 0,
  processor: () => 0,
  sleep: () => Promise.resolve(),
};

Deno.test("a server whose tools cannot be opened ends by itself, and says why", async () => {
  // The client stays, and goes on listening.
  const input = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(HELLO + CALL)),
  });
  const why = new Failure("environment", "Cannot open the repo");
  const served = serveMcp({
    input: () => input,
    output: () => new WritableStream(),
    clock: CLOCK,
    signal: new AbortController().signal,
  }, { instructions: "", note() {}, open: () => Promise.reject(why) });
  await assert.rejects(served, why);
});

Deno.test("a call that does not end by itself once the client has gone is ended", async () => {
  const called = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<ToolOutcome>();
  let gone = false;
  const input = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(HELLO + CALL));
      await called.promise;
      controller.close();
    },
  });
  const toolbox = {
    offered: () => Promise.resolve([]),
    read: () => Promise.reject(new Error("an agent's loop alone reads")),
    call() {
      called.resolve();
      return outcome.promise; // deaf to its signal
    },
    readsOnly: () => false,
  };
  const { calls } = await serveMcp({
    input: () => input,
    output: () => new WritableStream(),
    clock: CLOCK,
    signal: new AbortController().signal,
  }, {
    instructions: "",
    note() {},
    open: () =>
      Promise.resolve({
        toolbox,
        tools: [{ name: "stuck", capability: "execute" } as unknown as AnyTool],
        endAll() {
          const text = { text: "killed", facts: {}, hash: "" };
          outcome.resolve({ tool: "stuck", status: "failed", durationMs: 1, ...text });
          return Promise.resolve();
        },
        [Symbol.asyncDispose]: () => Promise.resolve(void (gone = true)),
      }),
  });
  assert.equal(calls, 1);
  assert.ok(gone);
});
