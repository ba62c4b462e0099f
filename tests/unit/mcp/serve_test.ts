/** What a server does when its client has gone while a call goes on. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import type { AnyTool, CallContext, ToolOutcome } from "svc/features/tools/tool.ts";
import { serveMcp } from "svc/mcp/serve.ts";
import type { Clock } from "svc/platform/clock.ts";

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

const CLOCK: Clock = {
  now: () => 0,
  monotonic: () => 0,
  processor: () => 0,
  // Time passes when nothing else can go on.
  sleep: () => new Promise<void>((resolve) => setImmediate(resolve)),
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

/** A server whose client leaves once its call goes on. @param call what the tool does */
async function left(
  call: (signal: AbortSignal, end: (text: string) => void) => void,
  clock = CLOCK,
) {
  const called = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<ToolOutcome>();
  const end = (text: string) =>
    outcome.resolve({ tool: "stuck", status: "failed", durationMs: 1, text, facts: {}, hash: "" });
  const happened: string[] = [];
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
    call(_name: string, _args: unknown, { signal }: CallContext) {
      call(signal, end);
      called.resolve();
      return outcome.promise;
    },
    readsOnly: () => false,
  };
  const counts = await serveMcp({
    input: () => input,
    output: () => new WritableStream(),
    clock,
    signal: new AbortController().signal,
  }, {
    instructions: "",
    note: (_level, message) => void happened.push(message),
    open: () =>
      Promise.resolve({
        toolbox,
        tools: [{ name: "stuck", capability: "execute" } as unknown as AnyTool],
        endAll() {
          happened.push("killed");
          end("killed");
          return Promise.resolve();
        },
        [Symbol.asyncDispose]: () => Promise.resolve(void happened.push("closed")),
      }),
  });
  return { counts, happened };
}

Deno.test("a call that does not end by itself once the client has gone is ended", async () => {
  const { counts, happened } = await left(() => {}); // deaf to its signal
  assert.deepEqual(counts, { calls: 1, faults: 0 });
  assert.deepEqual(happened, ["killed", "Called", "Ended", "closed"]);
});

Deno.test("a call is told that its client has gone, before anything is killed", async () => {
  // Answers are waited for no longer, and the time for commands to end never passes.
  const sleep = (ms: number) => ms === 500 ? new Promise<void>(() => {}) : CLOCK.sleep(ms);
  const { counts, happened } = await left((signal, end) => {
    signal.addEventListener("abort", () => end("told"));
  }, { ...CLOCK, sleep });
  assert.deepEqual(counts, { calls: 1, faults: 0 });
  assert.deepEqual(happened, ["Called", "Ended", "closed"]);
});
