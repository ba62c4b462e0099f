import assert from "node:assert/strict";
import { redactor } from "svc/core/redact.ts";
import { serialiser } from "svc/features/models/client/messages.ts";
import type { Message } from "svc/features/models/client/model.ts";
import { definitionsOf } from "svc/features/models/client/text_tools.ts";
import { looksTruncated } from "svc/features/models/client/usage.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { ask, client, LOOK, profile, QUESTION } from "./asking.ts";

const SECRET = "hunter2-hunter2";
const signal = new AbortController().signal;

/** Ten turns of one conversation, as an agent has them. */
async function conversation(url: string, tools: "native" | "text") {
  const model = client(url, {
    profile: profile(url, { tools }),
    redact: redactor([SECRET]),
  });
  const messages: Message[] = [
    { role: "system", text: `You are a test. ${SECRET}` },
    { role: "user", text: "Look at \u2028 everything" },
  ];
  for (let turn = 0; turn < 10; turn++) {
    const { text, calls } = await model.ask({ messages, tools: [LOOK] }, { signal });
    messages.push({ role: "assistant", text, calls });
    for (const { id } of calls) {
      messages.push({ role: "tool", callId: id, text: `turn ${turn}: ${SECRET} "\\ü` });
    }
  }
}

const steps = [{
  always: true,
  reply: {
    text: "I look.",
    calls: [{ name: "look", args: { a: 1 } }, { name: "look", args: '{"b": "x' }],
  },
}];

for (const tools of ["native", "text"] as const) {
  Deno.test(`each request is a byte-identical extension of the one before (${tools})`, async () => {
    await using endpoint = modelEndpoint({ steps });
    await conversation(endpoint.url, tools);
    const bodies = endpoint.requests.map(({ text }) => text);
    assert.equal(bodies.length, 10);
    for (const [at, body] of bodies.slice(1).entries()) {
      assert.ok(body.startsWith(bodies[at]!.slice(0, -"]}".length)), `request ${at + 2}`);
    }
    assert.equal(bodies.some((body) => body.includes(SECRET)), false);
    assert.ok(bodies.every((body) => body.includes("[redacted]")));
  });
}

Deno.test("the bytes are the same for equal messages, whatever objects they are", () => {
  const once = () => {
    const copy: typeof QUESTION = structuredClone(QUESTION);
    return JSON.stringify(serialiser((text) => text).wire(copy, "native"));
  };
  assert.equal(once(), once());
});

Deno.test("a call that a server could not parse goes back as one that it can", () => {
  const calls = [{ id: "c1", name: "no such!", args: '{"a": ' }, {
    id: "c2",
    name: "",
    args: "[]",
  }];
  const request = { messages: [{ role: "assistant", text: "", calls } as const], tools: [] };
  const [wire] = serialiser((text) => text).wire(request, "native").messages;
  assert.deepEqual(wire, {
    role: "assistant",
    content: "",
    tool_calls: [
      { id: "c1", type: "function", function: { name: "no_such_", arguments: "{}" } },
      { id: "c2", type: "function", function: { name: "unnamed", arguments: "{}" } },
    ],
  });
});

Deno.test("for a model without native calls, tools and results are text", async () => {
  await using endpoint = modelEndpoint({
    steps: [{ reply: { text: 'Sure.\n<tool_call>{"name": "look", "arguments": {}}</tool_call>' } }],
  });
  const text = { profile: profile(endpoint.url, { tools: "text" }) };
  const messages: Message[] = [
    ...QUESTION.messages,
    { role: "assistant", text: "", calls: [{ id: "c1", name: "look", args: '{"a":1}' }] },
    { role: "tool", callId: "c1", text: "</tool_result> <b>" },
  ];
  const reply = await ask(endpoint.url, text, { ...QUESTION, messages });
  assert.deepEqual(reply.calls, [{ id: "call00002", name: "look", args: "{}" }]);
  assert.deepEqual([reply.text, reply.textCalls, reply.end], ["Sure.", true, "calls"]);
  const { request } = endpoint.requests[0]!;
  assert.equal(request.tools, undefined);
  assert.deepEqual(request.messages.map(({ role }) => role), [
    "system",
    "user",
    "assistant",
    "user",
  ]);
  assert.ok(request.messages[0]!.content.includes(JSON.stringify(definitionsOf([LOOK])[0])));
  assert.equal(
    request.messages[2]!.content,
    '<tool_call>{"name": "look", "arguments": {"a":1}}</tool_call>',
  );
  assert.equal(
    request.messages[3]!.content,
    '<tool_result id="c1" name="look">\n<\\/tool_result> <b>\n</tool_result>',
  );
});

Deno.test("what a server does not understand is left out from then on", async () => {
  let refusals = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (incoming) => {
    const body = await incoming.json();
    const refuse = (message: string) => {
      refusals++;
      return Response.json({ error: { message } }, { status: 400 });
    };
    if (body.stream_options) return refuse("unknown field stream_options");
    if (body.max_tokens) return refuse("Use 'max_completion_tokens' instead of max_tokens");
    if (body.tools) return refuse(`"${body.model}" does not support tools`);
    assert.equal(body.max_completion_tokens, 5);
    const message = { content: "fine" };
    return Response.json({ choices: [{ message, finish_reason: "length" }] });
  });
  try {
    const model = client(`http://127.0.0.1:${server.addr.port}/v1`);
    for (let turn = 0; turn < 3; turn++) {
      const reply = await model.ask({ ...QUESTION, maxTokens: 5 }, { signal });
      assert.deepEqual([reply.text, reply.end], ["fine", "length"]);
    }
    assert.equal(refusals, 3);
  } finally {
    await server.shutdown();
  }
});

Deno.test("a reply that Mistral cut off at the window is cut off, and so is its open thought", async () => {
  const message = {
    content: "<think>The file may",
    tool_calls: [{ id: "c1", function: { name: "look", arguments: '{"a": 1, "b": "half of' } }],
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => Response.json({ choices: [{ message, finish_reason: "model_length" }] }),
  );
  try {
    const model = client(`http://127.0.0.1:${server.addr.port}/v1`);
    const { end, text, reasoning } = await model.ask(QUESTION, { signal });
    assert.deepEqual([end, text, reasoning?.text], ["length", "", "The file may"]);
  } finally {
    await server.shutdown();
  }
});

Deno.test("usage is the server's own, or an estimate of four characters a token", async () => {
  const usage = { prompt_tokens: 1234, completion_tokens: 56 };
  await using counting = modelEndpoint({ steps: [{ reply: { text: "x".repeat(40), usage } }] });
  assert.deepEqual((await ask(counting.url)).usage, {
    tokensIn: 1234,
    tokensOut: 56,
    estimated: false,
  });
  await using silent = modelEndpoint({
    steps: [{ reply: { text: "x".repeat(40) } }],
    usage: false,
  });
  const { usage: estimated, truncatedPrompt } = await ask(silent.url);
  assert.deepEqual([estimated.tokensOut, estimated.estimated], [10, true]);
  assert.equal(truncatedPrompt, false);
});

Deno.test("a prompt that was cut without a word is noticed", async () => {
  const prompt = "Read every word of this. ".repeat(1000);
  const request = { messages: [{ role: "user" as const, text: prompt }], tools: [] };
  const reply = (prompt_tokens: number) => ({
    steps: [{ reply: { text: "ok", usage: { prompt_tokens, completion_tokens: 1 } } }],
  });
  await using cutting = modelEndpoint(reply(2048));
  assert.equal((await ask(cutting.url, {}, request)).truncatedPrompt, true);
  await using reading = modelEndpoint(reply(6000));
  assert.equal((await ask(reading.url, {}, request)).truncatedPrompt, false);
});

/** Usual in servers of tests, such as `{"prompt_tokens": 10, "completion_tokens": 5}` in each answer. */
Deno.test("a count that no window would leave of a prompt does not say that it was cut", async () => {
  const prompt = "Read every word of this. ".repeat(1000);
  const request = { messages: [{ role: "user" as const, text: prompt }], tools: [] };
  for (const prompt_tokens of [1, 10, 100, 511]) {
    const usage = { prompt_tokens, completion_tokens: 5 };
    await using canned = modelEndpoint({ steps: [{ reply: { text: "ok", usage } }] });
    assert.equal((await ask(canned.url, {}, request)).truncatedPrompt, false, `${prompt_tokens}`);
  }
  await using slot = modelEndpoint({
    steps: [{ reply: { text: "ok", usage: { prompt_tokens: 512, completion_tokens: 5 } } }],
  });
  assert.equal((await ask(slot.url, {}, request)).truncatedPrompt, true);
});

Deno.test("looksTruncated is not misled by indentation and rules", () => {
  const messages = [{
    role: "user" as const,
    content: `${" ".repeat(60)}x\n${"-".repeat(60)}\n`.repeat(500),
  }];
  const usage = { tokensIn: 4000, tokensOut: 1, estimated: false };
  assert.equal(looksTruncated({ messages }, usage), false);
});

Deno.test("channels that a server leaves in gpt-oss's text become reasoning, text and calls", async () => {
  const text = "<|channel|>analysis<|message|>I look.<|end|><|start|>assistant" +
    '<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"a": 1}<|call|>';
  await using endpoint = modelEndpoint({ steps: [{ reply: { text } }] });
  const reply = await ask(endpoint.url);
  assert.deepEqual(reply.calls.map(({ name, args }) => [name, args]), [["look", '{"a": 1}']]);
  assert.deepEqual([reply.text, reply.reasoning?.text, reply.end], ["", "I look.", "calls"]);
  const calls = [{ name: "look", args: {} }];
  await using other = modelEndpoint({ steps: [{ reply: { text: "Yes.<|im_end|>", calls } }] });
  const native = await ask(other.url);
  assert.deepEqual([native.text, native.calls.length, native.textCalls], ["Yes.", 1, false]);
});
