/**
 * The strict servers of the clouds are true to what their vendors' own clients expect: npm `openai` talks to all of
 * them, `@mistralai/mistralai` and `@openrouter/sdk` (with schemas made from the vendors' OpenAPI) to their own.
 */
import assert from "node:assert/strict";
import { Mistral } from "@mistralai/mistralai";
import * as mistralSchemas from "@mistralai/mistralai/models/components";
import { OpenRouter } from "@openrouter/sdk";
import { deepseek } from "tests/kit/servers/deepseek.ts";
import { gemini } from "tests/kit/servers/gemini.ts";
import { mistral, MISTRAL_FIELDS } from "tests/kit/servers/mistral.ts";
import { OPENAI_FIELDS, openaiChat } from "tests/kit/servers/openai_chat.ts";
import {
  CLIENT_SCENARIO,
  openai,
  openaiClientTests,
  TOOLS,
} from "tests/kit/servers/openai_client.ts";
import { openrouter } from "tests/kit/servers/openrouter.ts";
import { openZoo, type ZooServer } from "tests/kit/servers/zoo.ts";

const started = (server: ZooServer) => openZoo(server, CLIENT_SCENARIO);

const CLOUDS = [openaiChat(), mistral(), gemini(), deepseek(), openrouter()];

openaiClientTests(CLOUDS);

Deno.test("npm openai joins the streamed pieces of a reply where calls have an index", async () => {
  for (const server of [openaiChat(), deepseek(), openrouter()]) {
    await using zoo = await started(server);
    const stream = openai(zoo).chat.completions.stream({
      model: server.model,
      messages: [{ role: "user", content: "Read the files." }],
      tools: TOOLS,
    });
    const { tool_calls = [] } = await stream.finalMessage();
    const args = tool_calls.map((call) => call.type === "function" && call.function.arguments);
    assert.deepEqual(args, ['{"path":"a"}', '{"path":"b"}']);
  }
});

Deno.test("npm @mistralai/mistralai holds a conversation, streamed and whole", async () => {
  await using zoo = await started(mistral());
  const serverURL = new URL(zoo.url).origin;
  const client = new Mistral({ apiKey: zoo.server.key!, serverURL });
  const { data = [] } = await client.models.list();
  const [listed] = data;
  assert.ok(listed !== undefined && "maxContextLength" in listed);
  assert.deepEqual([listed.id, listed.maxContextLength], [zoo.server.model, zoo.server.window]);

  const question = { role: "user" as const, content: "Read the files." };
  const asked = { model: zoo.server.model, tools: TOOLS };
  const stream = await client.chat.stream({ ...asked, messages: [question] });
  const thoughts: string[] = [];
  const calls: { readonly id?: string | undefined }[] = [];
  let counted = 0;
  for await (const { data: { choices: [choice], usage } } of stream) {
    const { content, toolCalls } = choice!.delta;
    for (const part of Array.isArray(content) ? content : []) {
      if (part.type !== "thinking") continue;
      for (const thought of part.thinking) if ("text" in thought) thoughts.push(thought.text);
    }
    calls.push(...toolCalls ?? []);
    counted = usage?.promptTokens ?? counted;
  }
  assert.equal(thoughts.join(""), "I look at both files.");
  assert.equal(calls.length, 2);
  assert.ok(counted > 0);

  const results = calls.map(({ id }) => ({
    role: "tool" as const,
    content: "a line",
    toolCallId: id!,
    name: "look",
  }));
  const { choices: [second] } = await client.chat.complete({
    ...asked,
    messages: [question, { role: "assistant", toolCalls: calls as never }, ...results],
  });
  assert.equal(second!.finishReason, "tool_calls");
  assert.equal(second!.message!.toolCalls!.length, 1);
  assert.deepEqual(await zoo.refusals(), []);
});

Deno.test("npm @openrouter/sdk holds a conversation, streamed and whole", async () => {
  await using zoo = await started(openrouter());
  const client = new OpenRouter({ apiKey: zoo.server.key!, serverURL: zoo.url });
  const { result: { data } } = await client.models.list();
  assert.equal(data[0]!.topProvider.contextLength, zoo.server.window);

  const asked = { model: zoo.server.model, tools: TOOLS };
  const question = { role: "user" as const, content: "Read the files." };
  const stream = await client.chat.send({
    chatRequest: { ...asked, messages: [question], stream: true },
  });
  const calls = [];
  const details = [];
  let cost = 0;
  assert.ok(Symbol.asyncIterator in stream);
  for await (const { choices: [choice], usage } of stream) {
    calls.push(...choice?.delta.toolCalls ?? []);
    details.push(...choice?.delta.reasoningDetails ?? []);
    cost = usage?.cost ?? cost;
  }
  const ids = calls.flatMap(({ id }) => id === undefined ? [] : [id]);
  assert.equal(ids.length, 2);
  assert.ok(cost > 0);

  const toolCalls = ids.map((id, index) => ({
    id,
    type: "function" as const,
    function: { name: "look", arguments: `{"path":"${index}"}` },
  }));
  const results = ids.map((toolCallId) => ({
    role: "tool" as const,
    toolCallId,
    content: "a line",
  }));
  const answer = await client.chat.send({
    chatRequest: {
      ...asked,
      messages: [question, { role: "assistant", toolCalls, reasoningDetails: details }, ...results],
    },
  });
  assert.ok("choices" in answer);
  assert.equal(answer.choices[0]!.finishReason, "tool_calls");
  assert.deepEqual(await zoo.refusals(), []);
});

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

Deno.test("Mistral's fields are those of its client's schemas", () => {
  const fieldsOf = (name: string) => {
    // deno-lint-ignore no-explicit-any -- a zod schema, or a pipe whose entrance is one
    const schema = (mistralSchemas as any)[`${name}$outboundSchema`];
    return Object.keys((schema.in ?? schema).shape).map(snake).sort();
  };
  const known = Object.entries({
    request: "ChatCompletionStreamRequest",
    assistant: "AssistantMessage",
    tool: "ToolMessage",
    user: "UserMessage",
    system: "SystemMessage",
    call: "ToolCall",
    function: "FunctionCall",
  });
  for (const [key, name] of known) {
    assert.deepEqual([...MISTRAL_FIELDS[key as "tool"]].sort(), fieldsOf(name), name);
  }
});

Deno.test("OpenAI's fields are those of its client's declarations", async () => {
  const path = new URL(
    "../../../../node_modules/openai/resources/chat/completions/completions.d.ts",
    import.meta.url,
  );
  const declared = await Deno.readTextFile(path);
  const fieldsOf = (name: string) => {
    const [, body = ""] = new RegExp(`interface ${name}(?: extends \\w+)? \\{\\n(.*?)\\n\\}`, "s")
      .exec(declared) ?? [];
    return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, field]) => field).sort();
  };
  const known = Object.entries({
    request: "ChatCompletionCreateParamsBase",
    assistant: "ChatCompletionAssistantMessageParam",
    tool: "ChatCompletionToolMessageParam",
    user: "ChatCompletionUserMessageParam",
    system: "ChatCompletionSystemMessageParam",
    call: "ChatCompletionMessageFunctionToolCall",
  });
  for (const [key, name] of known) {
    assert.deepEqual([...OPENAI_FIELDS[key as "tool"]].sort(), fieldsOf(name), name);
  }
});
