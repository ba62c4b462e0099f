/**
 * The strict servers of OpenAI Responses and Anthropic Messages are true to what their vendors' own clients expect:
 * npm `openai` and npm `@anthropic-ai/sdk` hold whole conversations with them, as the vendors' samples do.
 */
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import type {
  MessageParam,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages/messages";
import { OpenAI } from "openai";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { anthropic } from "tests/kit/servers/anthropic.ts";
import { CLIENT_SCENARIO } from "tests/kit/servers/openai_client.ts";
import { openaiResponses } from "tests/kit/servers/openai_responses.ts";
import { type OpenZoo, openZoo } from "tests/kit/servers/zoo.ts";

const PARAMETERS = {
  type: "object" as const,
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
};

const pathIn = (args: unknown) => (args as { readonly path: string }).path;

Deno.test("npm openai holds a conversation of Responses that stores nothing", async () => {
  await using zoo = await openZoo(openaiResponses(), CLIENT_SCENARIO);
  const client = new OpenAI({ baseURL: zoo.url, apiKey: zoo.server.key!, maxRetries: 0 });
  const input: ResponseInputItem[] = [{ role: "user", content: "Read the files." }];
  const called: string[] = [];
  const thoughts: string[] = [];
  let said = "";
  for (let more = true; more;) {
    const response = await client.responses.create({
      model: zoo.server.model,
      input,
      store: false,
      include: ["reasoning.encrypted_content"],
      tools: [{ type: "function", name: "look", parameters: PARAMETERS, strict: true }],
    });
    assert.equal(response.status, "completed");
    assert.ok(response.usage!.input_tokens > 0);
    input.push(...response.output as ResponseInputItem[]);
    const calls = response.output.filter((item) => item.type === "function_call");
    for (const { call_id, arguments: args } of calls) {
      called.push(pathIn(JSON.parse(args)));
      input.push({ type: "function_call_output", call_id, output: "a line" });
    }
    thoughts.push(
      ...response.output.filter((item) => item.type === "reasoning").map(({ id }) => id),
    );
    said = response.output_text;
    more = calls.length > 0;
  }
  assert.deepEqual(called, ["a", "b", "c"]);
  assert.equal(said, "All is read.");
  assert.equal(thoughts.length, 3);
  assert.deepEqual(await zoo.refusals(), []);
});

Deno.test("npm openai puts a streamed response together", async () => {
  await using zoo = await openZoo(openaiResponses(), {
    steps: [{ reply: { text: "I look.", calls: [{ name: "look", args: { path: "a" } }] } }],
  });
  const client = new OpenAI({ baseURL: zoo.url, apiKey: zoo.server.key!, maxRetries: 0 });
  const stream = client.responses.stream({
    model: zoo.server.model,
    input: [{ role: "user", content: "Read the files." }],
    tools: [{ type: "function", name: "look", parameters: PARAMETERS, strict: true }],
  });
  let heard = "";
  stream.on("response.output_text.delta", ({ delta }) => heard += delta);
  const { output, output_text } = await stream.finalResponse();
  assert.equal(heard, "I look.");
  assert.equal(output_text, heard);
  assert.deepEqual(output.map(({ type }) => type), ["reasoning", "message", "function_call"]);
});

Deno.test("npm openai lists the models of Responses, and learns that chat completions are not for them", async () => {
  await using zoo = await openZoo(openaiResponses(), CLIENT_SCENARIO);
  const client = new OpenAI({ baseURL: zoo.url, apiKey: zoo.server.key!, maxRetries: 0 });
  const listed = [];
  for await (const { id } of client.models.list()) listed.push(id);
  assert.deepEqual(listed, [zoo.server.model]);
  const chat = client.chat.completions.create({
    model: zoo.server.model,
    messages: [{ role: "user", content: "Hello" }],
  });
  await assert.rejects(chat, /404 This model is only supported in v1\/responses/);
});

/** The newest package sends a Bearer token and version 2026-10-21 by itself. */
const anthropicClient = ({ url, server }: OpenZoo) =>
  new Anthropic({
    baseURL: new URL(url).origin,
    apiKey: null,
    defaultHeaders: {
      "x-api-key": server.key!,
      "anthropic-version": "2023-06-01",
      authorization: null,
    },
    maxRetries: 0,
  });

Deno.test("npm @anthropic-ai/sdk holds a conversation with signed thinking", async () => {
  await using zoo = await openZoo(anthropic(), CLIENT_SCENARIO);
  const client = anthropicClient(zoo);
  const messages: MessageParam[] = [{ role: "user", content: "Read the files." }];
  const called: string[] = [];
  let said = "";
  for (let more = true; more;) {
    const stream = client.messages.stream({
      model: zoo.server.model,
      max_tokens: 4_000,
      thinking: { type: "adaptive" },
      tools: [{ name: "look", description: "Looks at a file", input_schema: PARAMETERS }],
      messages,
    });
    let heard = "";
    stream.on("text", (delta) => heard += delta);
    const message = await stream.finalMessage();
    const texts = message.content.filter((block) => block.type === "text").map(({ text }) => text);
    said = texts.join("");
    assert.equal(heard, said);
    assert.equal(message.content[0]?.type, "thinking");
    assert.ok(message.usage.input_tokens > 0);
    messages.push({ role: "assistant", content: message.content });
    const results = message.content.filter((block) => block.type === "tool_use")
      .map(({ id, input }): ToolResultBlockParam => {
        called.push(pathIn(input));
        return { type: "tool_result", tool_use_id: id, content: "a line" };
      });
    more = message.stop_reason === "tool_use";
    if (more) messages.push({ role: "user", content: results });
  }
  assert.deepEqual(called, ["a", "b", "c"]);
  assert.equal(said, "All is read.");
  assert.deepEqual(await zoo.refusals(), []);
});

Deno.test("npm @anthropic-ai/sdk lists the models of Anthropic, and finds one by its alias", async () => {
  await using zoo = await openZoo(anthropic({ thinks: "budget" }), CLIENT_SCENARIO);
  const client = anthropicClient(zoo);
  const listed = [];
  for await (const { id } of client.models.list()) listed.push(id);
  assert.deepEqual(listed, [zoo.server.model]);
  const found = await client.models.retrieve("claude-haiku-4-5");
  assert.equal(found.id, zoo.server.model);
  assert.equal(found.capabilities?.thinking.types.enabled.supported, true);
  await assert.rejects(client.models.retrieve("claude-9"), /404 .*not_found_error/);
});
