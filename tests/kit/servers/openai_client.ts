/** npm `openai` talks to every strict server that speaks chat completions: one that it cannot talk to is wrong. */
import assert from "node:assert/strict";
import { OpenAI } from "openai";
import type { Scenario } from "tests/kit/model_scenario.ts";
import { type OpenZoo, openZoo, type ZooServer } from "./zoo.ts";

const look = (path: string) => ({ name: "look", args: { path } });

/** Two calls side by side, one call, words. */
export const CLIENT_SCENARIO: Scenario = {
  steps: [
    { reply: { reasoning: "I look at both files.", calls: [look("a"), look("b")] } },
    { reply: { reasoning: "One is missing.", text: "One more.", calls: [look("c")] } },
    { reply: { text: "All is read." } },
  ],
};

const PARAMETERS = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
};

export const TOOLS = [{
  type: "function" as const,
  function: { name: "look", description: "Looks at a file", parameters: PARAMETERS },
}];

export const openai = ({ url, server }: OpenZoo): OpenAI =>
  new OpenAI({ baseURL: url, apiKey: server.key ?? "none", maxRetries: 0 });

/** Declares a conversation, a stream and the list of models for every server. */
export function openaiClientTests(servers: readonly ZooServer[]): void {
  for (const server of servers) conversation(server);
  for (const server of servers) streamAndModels(server);
}

function conversation(server: ZooServer): void {
  Deno.test(`npm openai holds a conversation with calls with ${server.name}`, async () => {
    await using zoo = await openZoo(server, CLIENT_SCENARIO);
    const client = openai(zoo);
    // deno-lint-ignore no-explicit-any -- the vendors' samples push the message as it came, with their own fields
    const messages: any[] = [{ role: "user", content: "Read the files." }];
    const called: string[] = [];
    for (;;) {
      const { choices: [choice] } = await client.chat.completions.create({
        model: server.model,
        messages,
        tools: TOOLS,
      });
      messages.push(choice!.message);
      const calls = choice!.message.tool_calls ?? [];
      if (calls.length === 0) break;
      for (const call of calls) {
        assert.ok(call.type === "function");
        called.push(JSON.parse(call.function.arguments).path);
        messages.push({ role: "tool", tool_call_id: call.id, content: "a line" });
      }
    }
    assert.deepEqual(called, ["a", "b", "c"]);
    assert.equal(messages.at(-1).content, "All is read.");
    assert.deepEqual(await zoo.refusals(), []);
  });
}

function streamAndModels(server: ZooServer): void {
  Deno.test(`npm openai reads the stream and the models of ${server.name}`, async () => {
    await using zoo = await openZoo(server, CLIENT_SCENARIO);
    const client = openai(zoo);
    const listed = [];
    for await (const { id } of client.models.list()) listed.push(id);
    assert.ok(listed.includes(server.model));
    const stream = await client.chat.completions.create({
      model: server.model,
      messages: [{ role: "user", content: "Read the files." }],
      tools: TOOLS,
      stream: true,
      // Mistral refuses it, and counts without being asked.
      ...(server.name !== "Mistral" && { stream_options: { include_usage: true } }),
    });
    const names: string[] = [];
    let args = "";
    let counted = 0;
    for await (const { choices, usage } of stream) {
      for (const call of choices[0]?.delta.tool_calls ?? []) {
        if (call.function?.name) names.push(call.function.name);
        args += call.function?.arguments ?? "";
      }
      counted = usage?.prompt_tokens ?? counted;
    }
    assert.deepEqual(names, ["look", "look"]);
    assert.equal(args, '{"path":"a"}{"path":"b"}');
    assert.ok(counted > 0);
    assert.deepEqual(await zoo.refusals(), []);
  });
}
