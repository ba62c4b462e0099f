/**
 * Reasoning goes back as each vendor's page asks, over real HTTP to strict servers. Not ours: the schemas of npm
 * `@openrouter/sdk` and `@mistralai/mistralai` (made from the vendors' OpenAPI), and the server of `@copilotkit/aimock`.
 */
import assert from "node:assert/strict";
import { LLMock } from "@copilotkit/aimock";
import * as mistralSchemas from "@mistralai/mistralai/models/components";
import { ChatAssistantMessage$inboundSchema } from "@openrouter/sdk/models";
import { redactor } from "svc/core/redact.ts";
import type { ClientPlan } from "svc/features/models/client/client.ts";
import { serialiser } from "svc/features/models/client/messages.ts";
import type { Message, ModelReply, Reasoning } from "svc/features/models/client/model.ts";
import { withoutReasoning } from "svc/features/models/client/reasoning.ts";
import { replyParts } from "svc/features/models/client/reply_parts.ts";
import type { ScriptedReply } from "tests/kit/model_scenario.ts";
import { deepseek } from "tests/kit/servers/deepseek.ts";
import { gemini } from "tests/kit/servers/gemini.ts";
import { llamaCpp } from "tests/kit/servers/llama_cpp.ts";
import { mistral } from "tests/kit/servers/mistral.ts";
import { ollama } from "tests/kit/servers/ollama.ts";
import { openrouter } from "tests/kit/servers/openrouter.ts";
import { type OpenZoo, openZoo, type ZooServer } from "tests/kit/servers/zoo.ts";
import { client, LOOK, profile, route } from "tests/unit/features/models/asking.ts";

const signal = new AbortController().signal;
const THOUGHT = "First I look, since the file may differ from what was said.";
const look = (a: number) => ({ name: "look", args: { a } });

/** Two calls side by side, then one, then words; the last thoughts are empty. */
const REPLIES: readonly ScriptedReply[] = [
  { reasoning: THOUGHT, calls: [look(1), look(2)] },
  { reasoning: "", calls: [look(3)] },
  { reasoning: "All is read.", text: "Done." },
];

const START: readonly Message[] = [
  { role: "system", text: "You are a test." },
  { role: "user", text: "Look at all files." },
];

interface Talk {
  readonly replies: readonly ModelReply[];
  readonly messages: readonly Message[];
}

/** Asks until a reply has no call, and hands each reply back as the agent does. */
async function talk(
  model: ReturnType<typeof client>,
  start: readonly Message[] = START,
): Promise<Talk> {
  const messages = [...start];
  const replies: ModelReply[] = [];
  for (;;) {
    const reply = await model.ask({ messages, tools: [LOOK], maxTokens: 500 }, { signal });
    const { text, calls, reasoning } = reply;
    replies.push(reply);
    messages.push({ role: "assistant", text, calls, ...(reasoning && { reasoning }) });
    if (calls.length === 0) return { replies, messages };
    for (const { id } of calls) messages.push({ role: "tool", callId: id, text: "a line" });
  }
}

const opened = (server: ZooServer, replies = REPLIES) =>
  openZoo(server, { steps: replies.map((reply) => ({ reply })) });

function askedOf({ url, server }: OpenZoo, more: Partial<ClientPlan> = {}) {
  const { model, key } = server;
  return client(url, {
    route: route(url, { model }),
    profile: profile(url, { model, contextWindow: server.window }),
    ...(key !== undefined && { key }),
    ...more,
  });
}

// deno-lint-ignore no-explicit-any -- messages as they came over the wire
const sentReplies = ({ asked }: Pick<OpenZoo, "asked">): any[] =>
  asked.at(-1)!.body.messages.filter(({ role }: { role: string }) => role === "assistant");

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

Deno.test("DeepSeek is given an empty reasoning where a reply came without, after one refusal", async () => {
  await using zoo = await opened(deepseek());
  await talk(askedOf(zoo));
  const refusals = await zoo.refusals();
  assert.deepEqual(refusals.length, 1, refusals.join("\n"));
  assert.match(refusals[0]!, /must be passed back/);
  assert.deepEqual(sentReplies(zoo).map((reply) => reply.reasoning_content), [THOUGHT, ""]);
});

Deno.test("DeepSeek goes on with a conversation that another model began", async () => {
  await using elsewhere = await opened(ollama({ tools: true }));
  const { messages } = await talk(askedOf(elsewhere));
  await using zoo = await opened(deepseek());
  const start = [...withoutReasoning(messages), { role: "user", text: "Again." }] as const;
  await talk(askedOf(zoo), start);
  assert.equal((await zoo.refusals()).length, 1);
  assert.equal(sentReplies(zoo)[0].reasoning_content, "");
});

/** Each in the words of its own server: Groq, Cerebras, Mistral, the first deepseek-reasoner. */
const REFUSALS: readonly (readonly [string, number, unknown])[] = [
  ["janhq/jan#8136", 400, {
    error: {
      message:
        "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
      type: "invalid_request_error",
    },
  }],
  ["Kilo-Org/kilocode#10375", 400, {
    message:
      "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
    param: "validation_error",
  }],
  ["charmbracelet/crush#1590", 422, {
    object: "error",
    message: {
      detail: [{
        type: "extra_forbidden",
        loc: ["body", "messages", 2, "assistant", "reasoning_content"],
        msg: "Extra inputs are not permitted",
        input: "hm",
      }],
    },
    type: "invalid_request_error",
  }],
  ["deepseek-reasoner", 400, {
    error: {
      message:
        "The reasoning_content is an intermediate result for display purposes only and will not be included in the context for inference. Please remove the reasoning_content from your message to reduce network traffic.",
    },
  }],
];

for (const [source, status, body] of REFUSALS) {
  Deno.test(`a server that refuses reasoning gets none from then on (${source})`, async () => {
    const sent: boolean[] = [];
    let turn = 0;
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (asked) => {
      const { messages } = await asked.json();
      sent.push(messages.some((message: object) => "reasoning_content" in message));
      if (sent.at(-1)) return Response.json(body, { status });
      const tool_calls = [{ id: `call${++turn}`, function: { name: "look", arguments: "{}" } }];
      const message = turn > 3 ? { content: "Done." } : { reasoning_content: "hm", tool_calls };
      return Response.json({ choices: [{ message, finish_reason: "stop" }] });
    });
    try {
      await talk(client(`http://127.0.0.1:${server.addr.port}/v1`));
      assert.deepEqual(sent, [false, true, false, false, false]);
    } finally {
      await server.shutdown();
    }
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

Deno.test("calls of another model get Gemini's placeholder for a signature", async () => {
  const missing = "Function call is missing a thought_signature in functionCall parts.";
  const signatures: unknown[][] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (asked) => {
    const { messages } = await asked.json();
    // deno-lint-ignore no-explicit-any -- a message of the wire
    const calls = messages.flatMap((message: any) => message.tool_calls?.[0] ?? []);
    // deno-lint-ignore no-explicit-any -- a call of the wire
    signatures.push(calls.map((call: any) => call.extra_content?.google.thought_signature));
    if (signatures.at(-1)!.includes(undefined)) {
      return Response.json([{ error: { code: 400, message: missing } }], { status: 400 });
    }
    return Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] });
  });
  try {
    const calls = [1, 2].map((n) => ({ id: `c${n}`, name: "look", args: "{}" }));
    const results = calls.map(({ id }) => ({ role: "tool", callId: id, text: "a" } as const));
    const start: Message[] = [...START, { role: "assistant", text: "", calls }, ...results];
    await talk(client(`http://127.0.0.1:${server.addr.port}/v1`), start);
    const skip = "skip_thought_signature_validator";
    assert.deepEqual(signatures, [[undefined, undefined], [skip, skip]]);
  } finally {
    await server.shutdown();
  }
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
    const { replies } = await talk(client(`${mock.url}/v1`));
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
    const asked = client(`http://127.0.0.1:${server.addr.port}/v1`);
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
