/** The strict servers of OpenAI Responses and Anthropic Messages take a good request, and refuse each bad one in the vendor's words. */
import assert from "node:assert/strict";
import { anthropic } from "tests/kit/servers/anthropic.ts";
import { signatureOf } from "tests/kit/servers/anthropic_wire.ts";
import { openaiResponses } from "tests/kit/servers/openai_responses.ts";
import { encrypted } from "tests/kit/servers/responses_wire.ts";
import { type Body, type Refusals, refusalTests } from "tests/kit/servers/refusal_table.ts";
import { openZoo } from "tests/kit/servers/zoo.ts";

const SCHEMA = {
  type: "object",
  properties: { path: { type: "string" }, lines: { type: "integer" } },
  required: ["path"],
};

const responses: Refusals = {
  server: openaiResponses(),
  question: {
    model: "gpt-5.3-codex",
    input: [{ role: "user", content: "Look." }],
    store: false,
  },
  good: {
    model: "gpt-5.3-codex",
    store: false,
    include: ["reasoning.encrypted_content"],
    instructions: "You are a test.",
    max_output_tokens: 100,
    tools: [{ type: "function", name: "look", parameters: SCHEMA, strict: false }],
    input: [
      { role: "user", content: "Look." },
      {
        type: "reasoning",
        id: "rs_a",
        summary: [],
        encrypted_content: encrypted("rs_a", "I look."),
      },
      { role: "assistant", content: "I look.", phase: "commentary" },
      { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
      { type: "function_call", call_id: "call_2", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "a line" },
      { type: "function_call_output", call_id: "call_2", output: "a line" },
      { role: "user", content: "Go on." },
    ],
  },
  bad: [
    ["an unknown field", (body) => body.max_tokens = 9, /400 .*Unknown parameter: 'max_tokens'/],
    [
      "a temperature",
      (body) => body.temperature = 0.2,
      /400 .*Unsupported parameter: 'temperature'/,
    ],
    ["too short a reply", (body) => body.max_output_tokens = 9, /400 .*minimum value/],
    ["an item's status", (body) => body.input[1].status = null, /400 .*'input\[1\]\.status'/],
    ["no summary", (body) => delete body.input[1].summary, /400 .*'input\[1\]\.summary'/],
    ["nothing encrypted", (body) => delete body.input[1].encrypted_content, /404 .*not persisted/],
    ["changed reasoning", (body) => body.input[1].encrypted_content += "!", /400 .*could not be/],
    ["reasoning of another item", (body) => body.input[1].id = "rs_b", /400 .*could not be verif/],
    ["reasoning alone", (body) => body.input.splice(2, 5), /400 .*required following item/],
    ["an id that is not stored", (body) => {
      body.input.splice(1, 0, { type: "item_reference", id: "fc_1" });
    }, /404 .*not persisted/],
    ["a call without output", (body) => body.input.splice(6, 1), /400 .*No tool output found/],
    ["an output without call", (body) => body.input.splice(4, 1), /400 .*No tool call found/],
    ["the same call twice", (body) => body.input[4].call_id = "call_1", /400 .*Duplicate/],
    ["a long id", (body) => body.input[3].call_id = "x".repeat(65), /400 .*maximum length 64/],
    ["a strict tool", (body) => delete body.tools[0].strict, /400 .*'required' is required/],
    ["a chat tool", (body) => body.tools[0] = { type: "function", function: {} }, /400 .*name/],
    ["a tool's name", (body) => body.tools[0].name = "a.b", /400 .*pattern/],
    ["another model", (body) => body.model = "gpt-9", /404 .*does not exist/],
  ],
};

const thinking = (text: string) => ({
  type: "thinking",
  thinking: text,
  signature: signatureOf(text),
});

const use = (id: string) => ({ type: "tool_use", id, name: "look", input: { path: "a" } });
const result = (id: string, more = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content: "a line",
  ...more,
});

function messagesOf(model: string, more: Body): Body {
  return {
    model,
    max_tokens: 4_000,
    system: [{ type: "text", text: "You are a test.", cache_control: { type: "ephemeral" } }],
    tools: [{ name: "look", description: "Looks", input_schema: SCHEMA }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: [
          thinking("I look."),
          { type: "text", text: "Yes." },
          use("toolu_1"),
          use("toolu_2"),
        ],
      },
      {
        role: "user",
        content: [result("toolu_1"), result("toolu_2"), { type: "text", text: "Go on." }],
      },
    ],
    ...more,
  };
}

const MARK = { cache_control: { type: "ephemeral" } };

/** What both kinds of model refuse. */
const COMMON: Refusals["bad"] = [
  ["no max_tokens", (body) => delete body.max_tokens, /400 .*max_tokens: Field required/],
  ["an unknown field", (body) => body.store = false, /400 .*store: Extra inputs are not permitted/],
  ["a field of a block", (body) => body.messages[1].content[2].index = 0, /400 .*tool_use\.index/],
  ["too many tokens", (body) => body.max_tokens = 64_001, /400 .*max_tokens: 64001 > 64000/],
  ["the system's role", (body) => body.messages[0].role = "system", /400 .*role/],
  ["a reply first", (body) => body.messages.shift(), /400 .*first message must use the .*user/],
  ["a reply last", (body) => body.messages.pop(), /400 .*(prefill|tool_use)/],
  ["two of a role", (body) => body.messages.push(body.messages[2]), /400 .*alternate/],
  ["an empty text", (body) => body.messages[1].content[1].text = " ", /400 .*non-whitespace text/],
  ["no content", (body) => body.messages[0].content = [], /400 .*non-empty content/],
  ["a missing result", (body) => body.messages[2].content.shift(), /400 .*without `tool_result`/],
  ["a result too many", (body) => body.messages[1].content.pop(), /400 .*unexpected `tool_use_id`/],
  ["a note first", (body) => body.messages[2].content.reverse(), /400 .*must come before any/],
  ["an id's pattern", (body) => {
    body.messages[1].content[2].id = body.messages[2].content[0].tool_use_id = "call:1";
  }, /400 .*should match pattern/],
  ["an id twice", (body) => {
    body.messages[1].content[3].id = body.messages[2].content[1].tool_use_id = "toolu_1";
  }, /400 .*must be unique/],
  ["arguments as text", (body) => body.messages[1].content[2].input = "{}", /400 .*dictionary/],
  ["changed thinking", (body) => body.messages[1].content[0].thinking = "No.", /400 .*signature/],
  ["no signature", (body) => body.messages[1].content[0].signature = "", /400 .*signature/],
  ["thinking last", (body) => {
    body.messages = [body.messages[0], { role: "assistant", content: [thinking("I look.")] }];
    body.messages.push({ role: "user", content: "Go on." });
  }, /400 .*final block in an assistant message/],
  [
    "lost thinking",
    (body) => body.messages[1].content.shift(),
    /400 .*(cannot be modified|must start)/,
  ],
  ["five marks", (body) => {
    for (const message of body.messages) Object.assign(message.content.at(-1), MARK);
    Object.assign(body.tools[0], MARK);
  }, /400 .*maximum of 4 blocks/],
  ["a schema without type", (body) => body.tools[0].input_schema = {}, /400 .*input_schema\.type/],
  ["a choice of schemas", (body) => body.tools[0].input_schema.anyOf = [], /400 .*oneOf, allOf/],
  ["a chat tool", (body) => body.tools[0].parameters = {}, /400 .*parameters: Extra inputs/],
  ["another model", (body) => body.model = "claude-9", /404 .*not_found_error/],
];

const question = (model: string) => ({
  model,
  max_tokens: 100,
  messages: [{ role: "user", content: "Look." }],
});

const adaptive: Refusals = {
  server: anthropic(),
  question: question("claude-opus-4-7"),
  good: messagesOf("claude-opus-4-7", {
    thinking: { type: "adaptive" },
    output_config: { effort: "medium" },
  }),
  bad: [
    ...COMMON,
    ["a temperature", (body) => body.temperature = 1, /400 .*`temperature` is deprecated/],
    ["a budget", (body) => {
      body.thinking = { type: "enabled", budget_tokens: 2_000 };
    }, /400 .*Use .*thinking\.type\.adaptive/],
  ],
};

const budgeted: Refusals = {
  server: anthropic({ thinks: "budget" }),
  question: question("claude-haiku-4-5-20251001"),
  good: messagesOf("claude-haiku-4-5-20251001", {
    thinking: { type: "enabled", budget_tokens: 2_000 },
  }),
  bad: [
    ...COMMON,
    ["effort", (body) => body.output_config = { effort: "low" }, /400 .*does not support the eff/],
    [
      "adaptive thinking",
      (body) => body.thinking = { type: "adaptive" },
      /400 .*adaptive thinking/,
    ],
    ["thinking that is off", (body) => delete body.thinking, /400 .*When thinking is disabled/],
    ["too small a budget", (body) => body.thinking.budget_tokens = 1_000, /400 .*1024/],
    ["too large a budget", (body) => body.max_tokens = 2_000, /400 .*greater than `thinking/],
    ["a temperature", (body) => body.temperature = 0.2, /400 .*may only be set to 1/],
    ["a forced call", (body) => body.tool_choice = { type: "any" }, /400 .*forces tool use/],
  ],
};

refusalTests([responses, adaptive, budgeted]);

Deno.test("models without reasoning refuse what asks for it", async () => {
  await using zoo = await openZoo(openaiResponses({ reasons: false }), {
    steps: [{ always: true, reply: { text: "Yes." } }],
  });
  const ask = async (more: object) => {
    const body = { model: zoo.server.model, input: [{ role: "user", content: "Look." }], ...more };
    const response = await fetch(`${zoo.url}/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${zoo.server.key}` },
      body: JSON.stringify(body),
    });
    return `${response.status} ${await response.text()}`;
  };
  assert.match(await ask({ temperature: 0.2 }), /^200 /);
  assert.match(await ask({ reasoning: { effort: "low" } }), /^400 .*'reasoning\.effort'/);
  const include = ["reasoning.encrypted_content"];
  assert.match(await ask({ include }), /^400 .*Encrypted content is not supported/);
});

Deno.test("Anthropic wants the key and the version in headers of their own", async () => {
  await using zoo = await openZoo(anthropic(), { steps: [] });
  const list = async (headers: Record<string, string>) => {
    const response = await fetch(`${zoo.url}/models`, { headers });
    await response.body?.cancel();
    return response.status;
  };
  const key = zoo.server.key!;
  assert.equal(await list({ "x-api-key": key, "anthropic-version": "2023-06-01" }), 200);
  assert.equal(await list({ "x-api-key": key }), 400);
  const bearer = { authorization: `Bearer ${key}` };
  assert.equal(await list({ ...bearer, "anthropic-version": "2023-06-01" }), 401);
});
