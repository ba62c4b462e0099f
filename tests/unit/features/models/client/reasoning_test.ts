/**
 * Reasoning goes back as each vendor's page asks, over real HTTP to strict servers. Not ours: the schemas of npm
 * `@openrouter/sdk` and `@mistralai/mistralai` (made from the vendors' OpenAPI), and the server of `@copilotkit/aimock`.
 */
import assert from "node:assert/strict";
import { LLMock } from "@copilotkit/aimock";
import * as mistralSchemas from "@mistralai/mistralai/models/components";
import { ChatAssistantMessage$inboundSchema } from "@openrouter/sdk/models";
import { redactor } from "svc/core/redact.ts";
import { serialiser } from "svc/features/models/client/messages.ts";
import type { Reasoning } from "svc/features/models/client/model.ts";
import { replyParts } from "svc/features/models/client/reply_parts.ts";
import { deepseek } from "tests/kit/servers/deepseek.ts";
import { gemini } from "tests/kit/servers/gemini.ts";
import { llamaCpp } from "tests/kit/servers/llama_cpp.ts";
import { mistral } from "tests/kit/servers/mistral.ts";
import { ollama } from "tests/kit/servers/ollama.ts";
import { openrouter } from "tests/kit/servers/openrouter.ts";
import { LOOK } from "tests/unit/features/models/asking.ts";
import {
  askedOf,
  look,
  opened,
  patientClient,
  sentReplies,
  signal,
  START,
  talk,
  THOUGHT,
} from "./talking.ts";

for (
  const [server, field] of [
    [deepseek(), "reasoning_content"],
    [llamaCpp({ jinja: true }), "reasoning_content"],
    [ollama({ tools: true }), "reasoning"],
  ] as const
) {
  Deno.test(`${server.name} gets its reasoning back in ${field}, with all calls of the reply`, async () => {
    await using zoo = await opened(server);
    const { replies } = await talk(askedOf(zoo));
    assert.deepEqual(replies.map(({ text }) => text), ["", "", "Done."]);
    assert.deepEqual(replies[0]!.reasoning, { text: THOUGHT, field });
    const [first] = sentReplies(zoo);
    assert.equal(first[field], THOUGHT);
    assert.equal(first.tool_calls.length, 2);
  });
}

Deno.test("Gemini gets each signature back with its call, and calls side by side stay together", async () => {
  await using zoo = await opened(gemini());
  await talk(askedOf(zoo));
  assert.deepEqual(await zoo.refusals(), []);
  const [first] = sentReplies(zoo);
  assert.equal(first.tool_calls.length, 2);
  assert.ok(first.tool_calls[0].extra_content.google.thought_signature);
  assert.equal("extra_content" in first.tool_calls[1], false);
});

Deno.test("a signature may come on any part of its call", () => {
  const parts = replyParts();
  const delta = (part: object) =>
    parts.take({ choices: [{ delta: { tool_calls: [{ index: 0, ...part }] } }] });
  delta({ id: "a", function: { name: "look", arguments: "{" } });
  delta({ extra_content: { google: { thought_signature: "abc" } } });
  delta({ function: { arguments: "}" } });
  assert.deepEqual(parts.collected().calls, [
    { id: "a", name: "look", args: "{}", extra: { google: { thought_signature: "abc" } } },
  ]);
});

Deno.test("OpenRouter's reasoning_details come back unchanged and in order, as its SDK's schema has them", async () => {
  await using zoo = await opened(openrouter());
  const { replies } = await talk(askedOf(zoo));
  assert.deepEqual(await zoo.refusals(), []);
  assert.equal(replies[0]!.reasoning?.text, THOUGHT);
  const [first] = sentReplies(zoo);
  const read = ChatAssistantMessage$inboundSchema.parse(first);
  assert.deepEqual(read.reasoningDetails?.map(({ type }) => type), [
    "reasoning.text",
    "reasoning.encrypted",
  ]);
  assert.deepEqual(
    Object.keys(first).sort(),
    ["content", "reasoning_details", "role", "tool_calls"],
  );
});

Deno.test("Mistral's thinking comes back as a chunk of the content, as its SDK's schema has it", async () => {
  await using zoo = await opened(mistral());
  const { replies } = await talk(askedOf(zoo));
  const refusals = (await zoo.refusals()).filter((one) => !one.includes("stream_options"));
  assert.deepEqual(refusals, []);
  assert.deepEqual(replies.map(({ text }) => text), ["", "", "Done."]);
  const [first] = sentReplies(zoo);
  const { content, toolCalls, ...rest } = mistralSchemas.AssistantMessage$inboundSchema.parse(
    first,
  );
  assert.deepEqual(content, [{
    type: "thinking",
    thinking: [{ type: "text", text: THOUGHT }],
  }]);
  assert.equal(toolCalls?.length, 2);
  assert.deepEqual(rest, { role: "assistant", prefix: false });
});

Deno.test("npm aimock's reasoning is kept and comes back to it", async () => {
  const mock = new LLMock({ port: 0 });
  let turn = 0;
  mock.on({ endpoint: "chat" }, () => {
    if (turn++ > 0) return { content: "Done." };
    return { reasoning: THOUGHT, toolCalls: [{ name: "look", arguments: '{"a":1}' }] };
  });
  await mock.start();
  try {
    const { replies } = await talk(patientClient(`${mock.url}/v1`));
    assert.deepEqual(replies.map(({ text, calls }) => [text, calls.length]), [["", 1], [
      "Done.",
      0,
    ]]);
    // deno-lint-ignore no-explicit-any -- the journal's own form
    const { messages } = mock.getRequests().at(-1)!.body as any;
    assert.equal(messages[2].reasoning_content, THOUGHT);
  } finally {
    await mock.stop();
  }
});

Deno.test("reasoning is neither shown nor searched for calls", async () => {
  const call = '<tool_call>{"name": "look", "arguments": {}}</tool_call>';
  await using zoo = await opened(deepseek(), [{ reasoning: call, text: "Done." }]);
  let shown = "";
  const request = { messages: START, tools: [LOOK] };
  const onText = (delta: string) => shown += delta;
  const reply = await askedOf(zoo).ask(request, { signal, onText });
  assert.deepEqual([shown, reply.text, reply.calls, reply.end], ["Done.", "Done.", [], "stop"]);
});

Deno.test("a reply that is reasoning alone is one, and its end is the server's", async () => {
  const whole = { choices: [{ message: { content: null, reasoning_content: "hm" } }] };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => Response.json(whole),
  );
  try {
    const asked = patientClient(`http://127.0.0.1:${server.addr.port}/v1`);
    const reply = await asked.ask({ messages: START, tools: [LOOK] }, { signal });
    assert.deepEqual([reply.text, reply.reasoning?.text, reply.end], ["", "hm", "stop"]);
  } finally {
    await server.shutdown();
  }
});

Deno.test("a thinking block in the text is reasoning that does not go back", async () => {
  const text = "<think>\nI look.\n</think>\n";
  await using zoo = await opened(llamaCpp({ jinja: true }), [{ text, calls: [look(1)] }, {
    text: "Done.",
  }]);
  const { replies } = await talk(askedOf(zoo));
  assert.deepEqual(replies[0]!.reasoning, { text: "I look." });
  assert.deepEqual(Object.keys(sentReplies(zoo)[0]).sort(), ["content", "role", "tool_calls"]);
});

const SECRET = "hunter2-hunter2";
const redact = redactor([SECRET]);
const wired = (reasoning: Reasoning, extra?: unknown) => {
  const calls = [{ id: "c1", name: "look", args: "{}", ...(extra !== undefined && { extra }) }];
  const request = {
    messages: [{ role: "assistant", text: "", calls, reasoning } as const],
    tools: [],
  };
  return serialiser(redact).wire(request, "native").messages[0];
};

Deno.test("a secret in reasoning is redacted, and a signed item that holds one is left out", () => {
  const told = `the key is ${SECRET}`;
  const safe = "the key is [redacted]";
  const whole = (value: object) => JSON.stringify(value);
  for (const field of ["reasoning_content", "reasoning"] as const) {
    assert.ok(whole(wired({ text: told, field })!).includes(`"${field}":"${safe}"`));
  }
  const items = [{ type: "reasoning.text", text: told, signature: "abc" }];
  const details = whole(wired({ text: told, field: "reasoning_details", items })!);
  assert.ok(!details.includes("signature") && details.includes(`"reasoning":"${safe}"`));
  const chunks = whole(wired({ text: told, field: "content", items })!);
  assert.ok(!chunks.includes("the key"));
  const signed = whole(wired({ text: "" }, { google: { thought_signature: SECRET } })!);
  assert.ok(!signed.includes("extra_content"));
});

Deno.test("what a reply holds of a signed item with a secret is its redactable words alone", async () => {
  const server = openrouter();
  await using zoo = await opened(server, [{ reasoning: `${SECRET}!`, text: "Done." }]);
  const { reasoning } = await askedOf(zoo, { redact }).ask({ messages: START, tools: [LOOK] }, {
    signal,
  });
  assert.deepEqual(reasoning, { text: `${SECRET}!`, field: "reasoning" });
});
