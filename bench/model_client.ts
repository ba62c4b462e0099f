/**
 * What one ask costs beside the same request made with a bare fetch that reads the stream to its end,
 * against a scripted model on loopback that answers at once; medians, interleaved. Also what loading
 * the client costs, and how long the longest conversation takes to be put into bytes.
 *
 *   deno run -A bench/model_client.ts [rounds]
 */
import { redactor } from "svc/core/redact.ts";
import type { Message } from "svc/features/models/client/model.ts";
import { systemClock } from "svc/platform/clock.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";

const rounds = Number(Deno.args[0] ?? 300);
const before = performance.now();
const { openaiClient } = await import("svc/features/models/client/client.ts");
const loadMs = performance.now() - before;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const TURNS = 50;
const RESULT = "a line of a tool's output, as long as such lines are\n".repeat(200);

function conversation(turns: number): Message[] {
  const messages: Message[] = [
    { role: "system", text: "You are a bench. ".repeat(800) },
    { role: "user", text: "Go." },
  ];
  for (let turn = 0; turn < turns; turn++) {
    const id = `call${turn}`;
    messages.push({ role: "assistant", text: "", calls: [{ id, name: "look", args: "{}" }] });
    messages.push({ role: "tool", callId: id, text: RESULT });
  }
  return messages;
}

await using endpoint = modelEndpoint({
  steps: [{
    reply: { text: "x".repeat(300), calls: [{ name: "look", args: { a: 1 } }] },
    always: true,
  }],
});
const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
const route = { provider: "bench", endpoint: endpoint.url, model: "fixture-model", because: "" };
const client = openaiClient({
  route,
  profile: {
    endpoint: endpoint.url,
    model: "fixture-model",
    evidence: "fixture",
    tools: "native",
    contextWindow: 8192,
    usageReported: true,
    probedAt: 1,
  },
  clock: systemClock,
  redact: redactor(["a-secret-of-the-bench", "another-secret-of-the-bench"]),
});
const signal = new AbortController().signal;

async function bare(messages: readonly Message[]): Promise<void> {
  const wire = messages.map((message) => {
    return message.role === "tool"
      ? { role: "tool", tool_call_id: message.callId, content: message.text }
      : { role: message.role, content: message.text };
  });
  const response = await fetch(`${endpoint.url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: route.model, stream: true, tools, messages: wire }),
  });
  for await (const _ of response.body!) { /* to its end */ }
}

console.log(`loading the client: ${loadMs.toFixed(1)} ms (this process, once)`);
for (
  const [name, messages] of [["short", conversation(0)], ["long", conversation(TURNS)]] as const
) {
  const asks: number[] = [];
  const fetches: number[] = [];
  const count = name === "short" ? rounds : Math.ceil(rounds / 10);
  for (let round = 0; round < count + 10; round++) {
    fetches.push(await timed(() => bare(messages)));
    asks.push(await timed(() => client.ask({ messages, tools }, { signal })));
  }
  const [ask, plain] = [median(asks.slice(10)), median(fetches.slice(10))];
  const bytes = JSON.stringify(messages).length;
  console.log(
    `${name} (${(bytes / 1024).toFixed(0)} KiB): ask ${ask.toFixed(2)} ms, ` +
      `bare fetch ${plain.toFixed(2)} ms, overhead ${(ask - plain).toFixed(2)} ms`,
  );
}
