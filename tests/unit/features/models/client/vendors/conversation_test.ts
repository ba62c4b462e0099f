/** What is sent back of a conversation: order, signatures, ids, notes and the marks of the prompt cache. */
import assert from "node:assert/strict";
import type { Message, ModelReply, ModelRequest } from "svc/features/models/client/model.ts";
import { withNote } from "svc/features/models/client/note.ts";
import { LOOK, QUESTION } from "tests/unit/features/models/asking.ts";
import {
  asking,
  called,
  failing,
  type Json,
  message,
  OK,
  reasoned,
  response,
  said,
  vendorRoute,
} from "./vendor_asking.ts";

const SIGNED = { type: "thinking", thinking: "", signature: "c2ln" };
const REDACTED = { type: "redacted_thinking", data: "ZGF0YQ==" };
const use = (id: string, input: Json = { a: 1 }) => ({ type: "tool_use", id, name: "look", input });

/** The question, a reply as it came, and a result for each of its calls. */
function going(reply: ModelReply, more: readonly Message[] = []): ModelRequest {
  const { text, calls, reasoning } = reply;
  return {
    ...QUESTION,
    messages: [
      ...QUESTION.messages,
      { role: "assistant", text, calls, ...(reasoning && { reasoning }) },
      ...calls.map(({ id }): Message => ({ role: "tool", callId: id, text: `result of ${id}` })),
      ...more,
    ],
  };
}

Deno.test("Anthropic's blocks go back in their order, thinking unchanged", async () => {
  const blocks = [
    { ...SIGNED, thinking: "First a look." },
    { type: "text", text: "I look." },
    REDACTED,
    use("toolu_1"),
    SIGNED,
    { type: "text", text: "And once more." },
    use("toolu_2", {}),
  ];
  const { ask, sent } = asking("messages", [message(blocks, { stop: "tool_use" }), OK.messages]);
  const reply = await ask();
  assert.equal(reply.text, "I look.\n\nAnd once more.");
  assert.equal(reply.reasoning?.text, "First a look.");
  assert.deepEqual(reply.calls.map(({ id, args }) => [id, args]), [["toolu_1", '{"a":1}'], [
    "toolu_2",
    "{}",
  ]]);
  await ask(going(reply));
  const [, answer, results] = sent[1]!.body.messages;
  assert.deepEqual(answer, { role: "assistant", content: blocks });
  assert.deepEqual(results.content.map(({ tool_use_id }: Json) => tool_use_id), [
    "toolu_1",
    "toolu_2",
  ]);
});

Deno.test("items of Responses go back in their order, with the phase of each text", async () => {
  const items = [
    reasoned("rs_1"),
    said("I look.", { phase: "commentary" }),
    reasoned("rs_2"),
    called("call_1", '{"a":1}'),
    called("call_2", "{}"),
  ];
  const { ask, sent } = asking("responses", [response(items), OK.responses]);
  const reply = await ask();
  assert.deepEqual([reply.end, reply.text], ["calls", "I look."]);
  await ask(going(reply));
  const call = (call_id: string, args: string) => ({
    type: "function_call",
    call_id,
    name: "look",
    arguments: args,
  });
  const output = (call_id: string) => ({
    type: "function_call_output",
    call_id,
    output: `result of ${call_id}`,
  });
  assert.deepEqual(sent[1]!.body.input.slice(1), [
    reasoned("rs_1"),
    { role: "assistant", content: "I look.", phase: "commentary" },
    reasoned("rs_2"),
    call("call_1", '{"a":1}'),
    call("call_2", "{}"),
    output("call_1"),
    output("call_2"),
  ]);
  assert.equal(sent[1]!.body.store, false);
  assert.equal(sent[1]!.body.instructions, "You are a test.");
  assert.equal(sent[1]!.body.prompt_cache_key, sent[0]!.body.prompt_cache_key);
});

Deno.test("a reasoning item that nothing follows stays out, and so does what a limit cut before its signature", async () => {
  const cut = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  const openai = asking("responses", [response([reasoned("rs_1")], cut), OK.responses]);
  const reply = await openai.ask();
  assert.deepEqual([reply.end, reply.text], ["length", ""]);
  await openai.ask(going({ ...reply, text: "(empty reply)" }, [{ role: "user", text: "Go on." }]));
  assert.deepEqual(openai.sent[1]!.body.input.slice(1), [
    reasoned("rs_1"),
    { role: "assistant", content: "(empty reply)" },
    { role: "user", content: "Go on." },
  ]);

  const two = asking("responses", [
    response([reasoned("rs_1"), reasoned("rs_2"), said("Yes.")]),
    OK.responses,
  ]);
  await two.ask(going(await two.ask(), [{ role: "user", text: "Go on." }]));
  const ids = two.sent[1]!.body.input.flatMap(({ id }: Json) => id === undefined ? [] : [id]);
  assert.deepEqual(ids, ["rs_2"]);

  const unsigned = { ...SIGNED, thinking: "Half a", signature: "" };
  const anthropic = asking("messages", [message([unsigned], { stop: "max_tokens" }), OK.messages]);
  const half = await anthropic.ask();
  assert.equal(half.reasoning, undefined);
  await anthropic.ask(
    going({ ...half, text: "(empty reply)" }, [{ role: "user", text: "Go on." }]),
  );
  assert.deepEqual(anthropic.sent[1]!.body.messages[1].content, [{
    type: "text",
    text: "(empty reply)",
  }]);
});

Deno.test("what another model or endpoint sealed is not sent", async () => {
  const { ask } = asking("messages", [message([SIGNED, use("toolu_1")], { stop: "tool_use" })]);
  const reply = await ask();
  const other = asking("messages", [OK.messages], {
    route: vendorRoute("messages", { model: "another-model" }),
  });
  await other.ask(going(reply));
  assert.deepEqual(other.sent[0]!.body.messages[1].content, [use("toolu_1")]);
  const openai = asking("responses", [OK.responses]);
  await openai.ask(going(reply));
  assert.ok(!openai.sent[0]!.text.includes("c2ln"));
});

Deno.test("what the vendor cannot read any more is left out from then on, and newer reasoning is kept", async () => {
  const message1 = {
    type: "invalid_request_error",
    message: "messages.1.content.0: Invalid `signature` in `thinking` block",
  };
  const refused = failing(400, { type: "error", error: message1 });
  const next = message([{ ...SIGNED, signature: "bmV3" }, use("toolu_2")], { stop: "tool_use" });
  const anthropic = asking("messages", [
    message([SIGNED, use("toolu_1")], { stop: "tool_use" }),
    refused,
    next,
    OK.messages,
  ]);
  const first = going(await anthropic.ask());
  const second = await anthropic.ask(first);
  assert.deepEqual(anthropic.sent[2]!.body.messages[1].content, [use("toolu_1")]);
  const more = going(second).messages.slice(2);
  await anthropic.ask({ ...first, messages: [...first.messages, ...more] });
  const { messages } = anthropic.sent[3]!.body;
  assert.deepEqual(messages[1].content, [use("toolu_1")]);
  assert.equal(messages[3].content[0].signature, "bmV3");

  const error = {
    message: "The encrypted content gAAA...c90= could not be verified.",
    code: "invalid_encrypted_content",
  };
  const openai = asking("responses", [
    response([reasoned("rs_1"), called("call_1", "{}")]),
    failing(400, { error }),
    OK.responses,
  ]);
  await openai.ask(going(await openai.ask()));
  assert.ok(openai.sent[1]!.text.includes("gAAAA-rs_1"));
  assert.ok(!openai.sent[2]!.text.includes("gAAAA-rs_1"));
});

Deno.test("ids, names and arguments that a vendor refuses are mended, each the same in every request", async () => {
  const long = "x".repeat(100);
  const messages: Message[] = [
    ...QUESTION.messages,
    {
      role: "assistant",
      text: "",
      calls: [
        { id: "functions.look:0", name: "look.at", args: "{broken" },
        { id: long, name: "", args: "[1]" },
        { id: "good-1_A", name: "look", args: '{"a":1}' },
      ],
    },
    { role: "tool", callId: "functions.look:0", text: "" },
    { role: "tool", callId: long, text: "two" },
    { role: "tool", callId: "good-1_A", text: "three" },
  ];
  const anthropic = asking("messages", [OK.messages, OK.messages]);
  await anthropic.ask({ ...QUESTION, messages });
  await anthropic.ask({ ...QUESTION, messages: structuredClone(messages) });
  const [, answer, results] = anthropic.sent[0]!.body.messages;
  const ids = answer.content.map(({ id }: Json) => id);
  assert.deepEqual(ids, ["svc_call_1", "svc_call_2", "good-1_A"]);
  assert.deepEqual(answer.content.map(({ name }: Json) => name), ["look_at", "unnamed", "look"]);
  assert.deepEqual(answer.content.map(({ input }: Json) => input), [{}, {}, { a: 1 }]);
  assert.deepEqual(results.content.map(({ tool_use_id }: Json) => tool_use_id), ids);
  assert.equal(anthropic.sent[0]!.text, anthropic.sent[1]!.text);

  const openai = asking("responses", [OK.responses]);
  await openai.ask({ ...QUESTION, messages });
  const sentIds = openai.sent[0]!.body.input.flatMap(({ call_id }: Json) => call_id ?? []);
  assert.deepEqual(sentIds, [...ids, ...ids]);
});

Deno.test("a note stands behind the results as text of its own", async () => {
  const messages: Message[] = [
    ...QUESTION.messages,
    {
      role: "assistant",
      text: "",
      calls: [{ id: "a", name: "look", args: "{}" }, { id: "b", name: "look", args: "{}" }],
    },
    { role: "tool", callId: "a", text: "one" },
    { role: "tool", callId: "b", text: withNote(withNote("two", "First note."), "Second note.") },
  ];
  const anthropic = asking("messages", [OK.messages]);
  await anthropic.ask({ ...QUESTION, messages });
  const { content } = anthropic.sent[0]!.body.messages.at(-1);
  assert.deepEqual(content.map(({ type, content, text }: Json) => [type, content ?? text]), [
    ["tool_result", "one"],
    ["tool_result", "two"],
    ["text", "First note.\n\nSecond note."],
  ]);
  const openai = asking("responses", [OK.responses]);
  await openai.ask({ ...QUESTION, messages });
  assert.deepEqual(openai.sent[0]!.body.input.slice(-3), [
    { type: "function_call_output", call_id: "a", output: "one" },
    { type: "function_call_output", call_id: "b", output: "two" },
    { role: "user", content: "First note.\n\nSecond note." },
  ]);
});

const MARK = { cache_control: { type: "ephemeral" } };
const marked = (value: Json): Json[] =>
  Object.entries(value ?? {}).flatMap(([key, inner]) =>
    key === "cache_control" ? [value] : typeof inner === "object" ? marked(inner) : []
  );

Deno.test("Anthropic's cache is marked on tools, system and the last two turns", async () => {
  const turn = (at: number): Message[] => [
    { role: "assistant", text: "", calls: [{ id: `c${at}`, name: "look", args: "{}" }] },
    { role: "tool", callId: `c${at}`, text: at === 2 ? "" : `line ${at}` },
  ];
  const { ask, sent } = asking("messages", [OK.messages, OK.messages]);
  await ask({
    ...QUESTION,
    tools: [LOOK, LOOK],
    messages: [...QUESTION.messages, ...[1, 2, 3].flatMap(turn)],
  });
  const { tools, system, messages } = sent[0]!.body;
  assert.deepEqual(system, [{ type: "text", text: "You are a test.", ...MARK }]);
  assert.deepEqual([tools[0].cache_control, tools[1].cache_control], [
    undefined,
    MARK.cache_control,
  ]);
  assert.deepEqual(messages.at(-1).content.at(-1).cache_control, MARK.cache_control);
  assert.deepEqual(messages.at(-3).content.at(-1).cache_control, MARK.cache_control);
  assert.equal(marked(sent[0]!.body).length, 4);

  await ask({ ...QUESTION, tools: [] });
  assert.equal(marked(sent[1]!.body).length, 2);
});

Deno.test("texts that say nothing are not sent, and no reply ends with white space", async () => {
  const messages: Message[] = [
    { role: "system", text: "You are a test." },
    { role: "user", text: "Look." },
    { role: "assistant", text: "Yes.  \n", calls: [] },
    { role: "user", text: "Go on." },
    { role: "assistant", text: "  ", calls: [] },
    { role: "user", text: "Go on." },
  ];
  const { ask, sent } = asking("messages", [OK.messages]);
  await ask({ messages, tools: [] });
  const texts = sent[0]!.body.messages.map(({ content }: Json) =>
    content.map(({ text }: Json) => text)
  );
  assert.deepEqual(texts, [["Look."], ["Yes."], ["Go on."], ["(no answer)"], ["Go on."]]);
});
