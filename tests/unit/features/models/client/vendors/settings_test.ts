/** What is asked of a model beside the conversation, what it refuses of that, and how its reply is read. */
import assert from "node:assert/strict";
import { openaiClient } from "svc/features/models/client/client.ts";
import type { Sampling } from "svc/features/models/client/model.ts";
import { systemClock } from "svc/platform/clock.ts";
import { faultOf, profile, QUESTION } from "tests/unit/features/models/asking.ts";
import {
  type Answer,
  asking,
  called,
  events,
  failing,
  type Json,
  message,
  OK,
  response,
  said,
  type VendorName,
  vendorRoute,
} from "./vendor_asking.ts";

const refusing = (text: string, more: Json = {}): Answer =>
  failing(400, { error: { type: "invalid_request_error", message: text, ...more } });

async function bodies(
  protocol: VendorName,
  sampling: Sampling,
  answers: readonly Answer[],
  request: Json = {},
): Promise<Json[]> {
  const { ask, sent } = asking(protocol, answers, { route: vendorRoute(protocol, { sampling }) });
  await ask({ ...QUESTION, maxTokens: 8_000, ...request });
  return sent.map(({ body }) => body);
}

Deno.test("Responses are asked with effort, sampling and a limit, and without what a model refuses", async () => {
  const sampling = { reasoningEffort: "low", temperature: 0.2, topP: 0.9 } as const;
  const [first, second, third, last] = await bodies("responses", sampling, [
    refusing("Unsupported parameter: 'temperature' is not supported with this model.", {
      param: "temperature",
    }),
    refusing("Encrypted content is not supported with this model.", { param: "include" }),
    refusing("Unsupported parameter: 'reasoning.effort' is not supported with this model.", {
      param: "reasoning.effort",
    }),
    OK.responses,
  ], { toolChoice: "required" });
  assert.deepEqual(first.reasoning, { effort: "low" });
  assert.deepEqual([first.temperature, first.top_p, first.max_output_tokens], [0.2, 0.9, 8_000]);
  assert.equal(first.tool_choice, "required");
  assert.deepEqual(first.tools[0].strict, false);
  assert.equal(second.temperature, undefined);
  assert.equal(third.include, undefined);
  assert.equal(last.reasoning, undefined);
  assert.equal(last.top_p, 0.9);
});

Deno.test("Anthropic is asked with thinking in the way that the model takes", async () => {
  const effort = { reasoningEffort: "minimal" } as const;
  const [adaptive] = await bodies("messages", effort, [OK.messages]);
  assert.deepEqual([adaptive.thinking, adaptive.output_config], [{ type: "adaptive" }, {
    effort: "low",
  }]);
  assert.equal(adaptive.max_tokens, 8_000);

  const [, second, budget] = await bodies("messages", { reasoningEffort: "high" }, [
    refusing("This model does not support the effort parameter."),
    refusing("adaptive thinking is not supported on this model"),
    OK.messages,
  ]);
  assert.deepEqual([second.thinking, second.output_config], [{ type: "adaptive" }, undefined]);
  assert.deepEqual(budget.thinking, { type: "enabled", budget_tokens: 4_000 });

  const old = await bodies("messages", effort, [
    refusing("adaptive thinking is not supported on this model"),
    refusing("'claude-3-5-haiku-20241022' does not support thinking."),
    OK.messages,
  ]);
  assert.equal(old.at(-1).thinking, undefined);

  const [none] = await bodies("messages", {}, [OK.messages]);
  assert.ok(!("thinking" in none) && !("output_config" in none));
});

Deno.test("Anthropic gets no sampling and no forced call beside thinking, and one of temperature and top_p", async () => {
  const sampling = { temperature: 1.3, topP: 0.9, topK: 40 };
  const request = { toolChoice: "required" };
  const [plain, again] = await bodies("messages", sampling, [
    refusing("`temperature` is deprecated for this model."),
    OK.messages,
  ], request);
  assert.deepEqual([plain.temperature, plain.top_p, plain.top_k], [1, undefined, 40]);
  assert.deepEqual(plain.tool_choice, { type: "any" });
  assert.deepEqual([again.temperature, again.top_k], [undefined, undefined]);
  const [thinks] = await bodies(
    "messages",
    { ...sampling, reasoningEffort: "low" },
    [OK.messages],
    request,
  );
  const fields = ["temperature", "top_p", "top_k", "tool_choice"].filter((name) => name in thinks);
  assert.deepEqual(fields, []);
});

Deno.test("a reply's limit falls to what the vendor states, and stays there", async () => {
  const { ask, sent } = asking("messages", [
    refusing(
      "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for x",
    ),
    OK.messages,
    OK.messages,
  ]);
  await ask({ ...QUESTION, maxTokens: 32_000 });
  await ask({ ...QUESTION, maxTokens: 32_000 });
  assert.deepEqual(sent.map(({ body }) => body.max_tokens), [32_000, 8_192, 8_192]);
  const without = asking("messages", [OK.messages]);
  await without.ask();
  assert.equal(without.sent[0]!.body.max_tokens, 4_096);
});

Deno.test("tokens are counted with the cached ones, and those are named", async () => {
  const usage = { input_tokens: 3, cache_read_input_tokens: 900, cache_creation_input_tokens: 97 };
  const anthropic = await asking("messages", [message([{ type: "text", text: "ok" }], { usage })])
    .ask();
  const counted = { tokensIn: 1_000, cachedIn: 900, tokensOut: 7, estimated: false };
  assert.deepEqual(anthropic.usage, { ...counted, cacheWriteIn: 97 });
  const openai = await asking("responses", [OK.responses]).ask();
  assert.deepEqual(openai.usage, { tokensIn: 10, cachedIn: 4, tokensOut: 7, estimated: false });
  const uncounted = await asking("responses", [response([said("ok")], { usage: null })]).ask();
  assert.equal(uncounted.usage.estimated, true);
});

Deno.test("each way in which Anthropic stops has its meaning", async () => {
  const stopped = (stop: string, blocks: Json[], details: Json = null) =>
    asking("messages", [message(blocks, { stop, details })]).ask();
  const text = { type: "text", text: "Some words." };
  assert.equal((await stopped("end_turn", [text])).end, "stop");
  assert.equal((await stopped("pause_turn", [text])).end, "stop");
  const cut = await stopped("max_tokens", [
    text,
    { type: "tool_use", id: "toolu_1", name: "look", input: '{"path": "a' },
  ]);
  assert.deepEqual([cut.end, cut.calls[0]!.args], ["length", '{"path": "a']);
  const refusal = await faultOf(stopped("refusal", [text], { type: "refusal", category: "cyber" }));
  assert.deepEqual([refusal.kind, refusal.detail.transient], ["bad_request", false]);
  assert.match(refusal.message, /it refuses to answer \(cyber\)/);
  const full = await faultOf(stopped("model_context_window_exceeded", [text]));
  assert.equal(full.kind, "context_overflow");
});

Deno.test("each way in which a response of OpenAI ends has its meaning", async () => {
  const incomplete = (reason: string) => ({ status: "incomplete", incomplete_details: { reason } });
  const cut = await asking("responses", [
    response([called("call_1", '{"path": "a')], incomplete("max_output_tokens")),
  ]).ask();
  assert.deepEqual([cut.end, cut.calls[0]!.args], ["length", '{"path": "a']);
  const filtered = asking("responses", [response([said("Some")], incomplete("content_filter"))]);
  const fault = await faultOf(filtered.ask());
  assert.match(fault.message, /content filter stopped the answer/);
  assert.match(fault.detail.remedy, /another model/);
  const refusal = said("", { content: [{ type: "refusal", refusal: "I cannot help with that." }] });
  assert.equal(
    (await asking("responses", [response([refusal])]).ask()).text,
    "I cannot help with that.",
  );
});

Deno.test("a response is read from its items alone, and from its end alone", async () => {
  const end = (output: Json[]) => ({
    type: "response.completed",
    response: { status: "completed", output },
  });
  const done = { type: "response.output_item.done", output_index: 0, item: called("call_1", "{}") };
  const items = await asking("responses", [events(done, end([]))]).ask();
  assert.equal(items.calls[0]!.id, "call_1");
  const whole = await asking("responses", [events(end([called("call_1", "{}")]))]).ask();
  assert.equal(whole.calls[0]!.id, "call_1");
});

Deno.test("a reply that repeats itself without end is stopped, in text, thinking and arguments", async () => {
  const many = (piece: string, times: number, one: (text: string) => Json) =>
    Array.from({ length: times }, () => one(piece));
  const start = { type: "message_start", message: { usage: { input_tokens: 5 } } };
  const block = (content_block: Json, index = 0) => ({
    type: "content_block_start",
    index,
    content_block,
  });
  const delta = (fields: Json, index = 0) => ({
    type: "content_block_delta",
    index,
    delta: fields,
  });
  const sentence = "I will now look at the file again. ";

  const text = await asking("messages", [
    events(
      start,
      block({ type: "text", text: "" }),
      ...many(sentence, 200, (text) => delta({ type: "text_delta", text })),
    ),
  ]).ask();
  assert.deepEqual([text.repeated, text.end], ["text", "length"]);
  assert.equal(text.text, sentence.trim());

  const thinking = await asking("messages", [
    events(
      start,
      block({ type: "thinking", thinking: "", signature: "" }),
      ...many(sentence, 200, (thinking) => delta({ type: "thinking_delta", thinking })),
    ),
  ]).ask();
  assert.equal(thinking.repeated, "reasoning");
  assert.deepEqual(thinking.reasoning, { text: sentence });

  const args = await asking("responses", [
    events(
      { type: "response.output_item.done", output_index: 0, item: called("call_1", "{}") },
      ...many("a line of a file\\n", 2_000, (delta) => ({
        type: "response.function_call_arguments.delta",
        output_index: 1,
        delta,
      })),
    ),
  ]).ask();
  assert.equal(args.repeated, "arguments");
  assert.deepEqual(args.calls.map(({ id }) => id), ["call_1"]);
});

Deno.test("a model for Responses alone says so in the remedy, and a server without them too", async () => {
  const message1 = "This model is only supported in v1/responses and not in v1/chat/completions.";
  const { endpoint } = vendorRoute("responses");
  const chat = openaiClient({
    route: { ...vendorRoute("responses"), protocol: "chat" },
    profile: profile(endpoint),
    clock: systemClock,
    redact: (text) => text,
    fetch: () => Promise.resolve(failing(404, { error: { message: message1 } })),
  });
  const fault = await faultOf(chat.ask(QUESTION, { signal: new AbortController().signal }));
  assert.match(fault.detail.remedy, /protocol: responses/);
  const none = asking("responses", [failing(404, { error: { message: "Not Found" } })]);
  assert.match((await faultOf(none.ask())).detail.remedy, /protocol: chat/);
});
