/** Each strict server of the clouds takes a good request, and refuses each bad one in its vendor's words. */
import { deepseek } from "tests/kit/servers/deepseek.ts";
import { gemini } from "tests/kit/servers/gemini.ts";
import { mistral } from "tests/kit/servers/mistral.ts";
import { openaiChat } from "tests/kit/servers/openai_chat.ts";
import { openrouter } from "tests/kit/servers/openrouter.ts";
import {
  conversation,
  drop,
  type Refusals,
  refusalTests,
  tool,
} from "tests/kit/servers/refusal_table.ts";

const SIGNATURE = "c2lnbmF0dXJl1";

const TABLE: readonly Refusals[] = [
  {
    server: openaiChat(),
    good: {
      model: "gpt-5.1",
      max_completion_tokens: 100,
      messages: conversation(["call_1", "call_2"]),
      tools: [tool("look")],
    },
    bad: [
      ["an unknown field", (body) => body.top_k = 40, /400 .*request argument supplied: top_k/],
      ["max_tokens for a reasoner", (body) => body.max_tokens = 9, /400 .*'max_completion_tokens'/],
      ["a temperature", (body) => body.temperature = 0.2, /400 .*Only the default \(1\) value/],
      ["reasoning", (body) => body.messages[2].reasoning_content = "x", /400 .*unknown_parameter/],
      ["a foreign field", (body) => body.messages[2].tool_calls[0].extra = 1, /400 .*\.extra'/],
      ["a long id", (body) => {
        body.messages[2].tool_calls[0].id = body.messages[3].tool_call_id = "x".repeat(41);
      }, /400 .*maximum length 40/],
      ["a missing result", (body) => drop(body, 4), /400 .*did not have response messages: call_2/],
      ["a result too many", (body) => drop(body, 2), /400 .*must be a response to a preceeding/],
      ["a tool's name", (body) => body.tools[0].function.name = "a.b", /400 .*match pattern/],
      ["another model", (body) => body.model = "gpt-9", /404 .*model_not_found/],
    ],
  },
  {
    server: openaiChat({ id: "gpt-5-codex", reasons: true, responsesOnly: true }),
    good: undefined,
    bad: [["chat at all", () => {}, /404 .*only supported in v1\/responses/]],
  },
  {
    server: openaiChat({ id: "gpt-5.6", reasons: true, toolsWithoutReasoning: true }),
    good: {
      model: "gpt-5.6",
      reasoning_effort: "none",
      messages: conversation(["call_1", "call_2"]),
      tools: [tool("look")],
    },
    bad: [
      ["tools with reasoning", (body) => delete body.reasoning_effort, /400 .*\/v1\/responses/],
    ],
  },
  {
    server: openaiChat({ id: "gpt-4.1" }),
    good: { model: "gpt-4.1", max_tokens: 9, messages: conversation(["call_1", "call_2"]) },
    bad: [[
      "an effort",
      (body) => body.reasoning_effort = "low",
      /400 .*supplied: reasoning_effort/,
    ]],
  },
  {
    server: mistral({ both: false }),
    good: {
      model: "mistral-large-2411",
      max_tokens: 100,
      messages: conversation(["abcdefgh1", "abcdefgh2"]),
      tools: [tool("look")],
    },
    bad: [
      ["stream_options", (body) => {
        body.stream_options = { include_usage: true };
      }, /422 .*extra_forbidden.*"stream_options","include_usage"/],
      ["the new limit", (body) => body.max_completion_tokens = 9, /422 .*max_completion_tokens/],
      [
        "reasoning",
        (body) => body.messages[2].reasoning_content = "x",
        /422 .*"messages",2,"assistant","reasoning_content"/,
      ],
      ["a foreign field", (body) => body.messages[2].tool_calls[0].extra = 1, /422 .*"extra"/],
      ["a long id", (body) => {
        body.messages[2].tool_calls[0].id = body.messages[3].tool_call_id = "call_1";
      }, /400 .*a length of 9.*3280/],
      ["a note", (body) => {
        body.messages.push({ role: "user", content: "Go on." });
      }, /400 .*Unexpected role 'user' after role 'tool'/],
      ["a late system prompt", (body) => {
        body.messages.push({ role: "system", content: "Go on." });
      }, /400 .*Unexpected role 'system' after role 'tool'/],
      ["a missing result", (body) => drop(body, 4), /400 .*Not the same number of function calls/],
      ["no question", (body) => {
        body.messages.push({ role: "assistant", content: "It is read." });
      }, /400 .*Expected last role User or Tool/],
      ["an empty reply", (body) => {
        body.messages.splice(2, 0, { role: "assistant", content: "", tool_calls: [] });
      }, /400 .*but not none/],
      ["words and calls", (body) => body.messages[2].content = "I look.", /400 .*but not both/],
      [
        "a tool's name",
        (body) => body.tools[0].function.name = "a.b",
        /400 .*Function name was a\.b/,
      ],
    ],
  },
  {
    server: gemini(),
    good: {
      model: "gemini-3-pro-preview",
      max_tokens: 100,
      messages: conversation(["function-call-1000", "function-call-1001"], {
        first: { extra_content: { google: { thought_signature: SIGNATURE } } },
      }),
      tools: [tool("look")],
    },
    bad: [
      ["an unknown field", (body) => body.top_k = 40, /400 \[.*Unknown name \\"top_k\\"/],
      ["reasoning", (body) => body.messages[2].reasoning_content = "x", /400 .*reasoning_content/],
      ["no signature", (body) => {
        delete body.messages[2].tool_calls[0].extra_content;
      }, /400 .*missing a thought_signature/],
      ["another signature", (body) => {
        body.messages[2].tool_calls[0].extra_content.google.thought_signature += "x";
      }, /400 .*Corrupted thought signature/],
      ["a step parted in two", ({ messages }) => {
        const [second] = messages[2].tool_calls.splice(1);
        messages.splice(4, 0, { role: "assistant", content: "", tool_calls: [second] });
      }, /400 .*missing a thought_signature/],
      ["a missing result", (body) => drop(body, 4), /400 .*number of function response parts/],
      ["calls after words", (body) => {
        body.messages.splice(2, 0, { role: "assistant", content: "I look." });
      }, /400 .*immediately after a user turn/],
      ["an empty reply", (body) => {
        body.messages.splice(2, 0, { role: "assistant", content: "" });
      }, /400 .*parts must not be empty/],
      [
        "a tool's name",
        (body) => body.tools[0].function.name = "a b",
        /400 .*Invalid function name/,
      ],
    ],
  },
  {
    server: deepseek(),
    good: {
      model: "deepseek-v4-flash",
      max_tokens: 100,
      messages: conversation(["call_1", "call_2"], { message: { reasoning_content: "I look." } }),
      tools: [tool("look")],
    },
    bad: [
      ["no reasoning", (body) => {
        delete body.messages[2].reasoning_content;
      }, /400 .*in the thinking mode must be passed back/],
      [
        "a forced call",
        (body) => body.tool_choice = "required",
        /400 .*not support this tool_choice/,
      ],
      ["a large limit", (body) => body.max_tokens = 500_000, /400 .*\[1, 393216\]/],
      ["a missing result", (body) => drop(body, 4), /400 .*insufficient tool messages/],
      ["a result too many", (body) => drop(body, 2), /400 .*response to a preceding message/],
      ["a tool's name", (body) => body.tools[0].function.name = "a.b", /400 .*does not match/],
    ],
  },
  {
    server: deepseek({ firstReasoner: true }),
    good: { model: "deepseek-reasoner", messages: [{ role: "user", content: "Look." }] },
    bad: [
      ["tools", (body) => body.tools = [tool("look")], /400 .*not support Function Calling/],
      ["reasoning", (body) => {
        body.messages[0].reasoning_content = "x";
      }, /400 .*reasoning_content/],
      ["two of one side", (body) => {
        body.messages.push({ role: "user", content: "Look again." });
      }, /400 .*successive user or assistant messages/],
      ["a large limit", (body) => body.max_tokens = 16_384, /400 .*\[1, 8192\]/],
    ],
  },
  {
    server: openrouter({ noToolChoice: true }),
    good: {
      model: "anthropic/claude-sonnet-4.5",
      messages: conversation(["toolu_bdrk_1_0", "toolu_bdrk_1_1"], {
        message: {
          reasoning_details: [
            {
              type: "reasoning.text",
              text: "I look.",
              signature: "signature1",
              format: "anthropic-claude-v1",
              index: 0,
            },
            {
              type: "reasoning.encrypted",
              data: "redacted1",
              format: "anthropic-claude-v1",
              index: 1,
            },
          ],
        },
      }),
      tools: [tool("look")],
    },
    bad: [
      ["no reasoning", (body) => {
        delete body.messages[2].reasoning_details;
      }, /400 .*Expected `thinking`/],
      ["changed reasoning", (body) => {
        body.messages[2].reasoning_details[0].text = "I do not look.";
      }, /400 .*Invalid `signature`/],
      ["rearranged reasoning", (body) => {
        body.messages[2].reasoning_details.reverse();
      }, /400 .*Invalid `signature`/],
      ["a missing result", (body) => drop(body, 4), /400 .*without `tool_result` blocks/],
      ["a result too many", (body) => drop(body, 2), /400 .*unexpected `tool_use_id`/],
      ["a forced call", (body) => body.tool_choice = "required", /404 .*'tool_choice' value/],
    ],
  },
  {
    server: openrouter({ noTools: true }),
    good: { model: "anthropic/claude-sonnet-4.5", messages: [{ role: "user", content: "Look." }] },
    bad: [["tools", (body) => body.tools = [tool("look")], /404 .*support tool use/]],
  },
];

refusalTests(TABLE);
