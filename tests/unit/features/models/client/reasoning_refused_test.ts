/**
 * Servers that refuse reasoning, miss it or take it in another form: each is asked so from its first refusal on.
 * Not ours: the chat templates of npm `@huggingface/ollama-utils`.
 */
import assert from "node:assert/strict";
import type { Message } from "svc/features/models/client/model.ts";
import { withoutReasoning } from "svc/features/models/client/reasoning.ts";
import { type ChatTemplate, chatTemplates } from "tests/kit/chat_templates.ts";
import type { ChatRequest } from "tests/kit/model_scenario.ts";
import { deepseek } from "tests/kit/servers/deepseek.ts";
import { ollama } from "tests/kit/servers/ollama.ts";
import { LOOK } from "tests/unit/features/models/asking.ts";
import {
  askedOf,
  type Body,
  opened,
  patientClient,
  REPLIES,
  sentReplies,
  START,
  talk,
  THOUGHT,
} from "./talking.ts";

Deno.test("DeepSeek is given an empty reasoning where a reply came without, after one refusal", async () => {
  const unthinking = REPLIES.map((reply) => ({ reasoning: "", ...reply }));
  await using zoo = await opened(deepseek(), unthinking);
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
      await talk(patientClient(`http://127.0.0.1:${server.addr.port}/v1`));
      assert.deepEqual(sent, [false, true, false, false, false]);
    } finally {
      await server.shutdown();
    }
  });
}

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
    await talk(patientClient(`http://127.0.0.1:${server.addr.port}/v1`), start);
    const skip = "skip_thought_signature_validator";
    assert.deepEqual(signatures, [[undefined, undefined], [skip, skip]]);
  } finally {
    await server.shutdown();
  }
});

const TWO_CALLS = ["c1", "c2"].map((id) => ({
  id,
  type: "function",
  function: { name: "look", arguments: "{}" },
}));

/** What a template raises at two calls in one reply. */
function raised({ render }: ChatTemplate): string {
  const messages = [
    { role: "user", content: "Look." },
    { role: "assistant", content: "", tool_calls: TWO_CALLS },
    ...TWO_CALLS.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "a line" })),
  ];
  try {
    render({ model: "m", messages, tools: [LOOK] } as ChatRequest);
    return "";
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

Deno.test("a template that takes one call a reply gets the reasoning with the first of several", async () => {
  const strict = (await chatTemplates()).filter((one) => raised(one).includes("single tool-calls"));
  assert.ok(strict.length >= 2, `${strict.length} templates`);
  for (const { render } of strict) {
    const asked: Body[] = [];
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const body = await request.json();
        asked.push(body);
        try {
          render(body);
        } catch (thrown) {
          const error = { code: 500, message: (thrown as Error).message };
          return Response.json({ error }, { status: 500 });
        }
        const message = asked.length > 1
          ? { content: "Done." }
          : { reasoning_content: THOUGHT, tool_calls: TWO_CALLS };
        return Response.json({ choices: [{ message, finish_reason: "stop" }] });
      },
    );
    try {
      await talk(patientClient(`http://127.0.0.1:${server.addr.port}/v1`));
    } finally {
      await server.shutdown();
    }
    assert.equal(asked.length, 3);
    const replies = sentReplies({ asked: [{ body: asked[2] }] });
    assert.deepEqual(
      replies.map(({ reasoning_content, tool_calls }) => [reasoning_content, tool_calls.length]),
      [[THOUGHT, 1], [undefined, 1]],
    );
  }
});
