/** What the run makes of a reply beside its calls: reasoning, silence, endless words, its limit, its counts. */
import assert from "node:assert/strict";
import { charsOf } from "svc/features/agent/conversation.ts";
import { runAgent } from "svc/features/agent/loop.ts";
import { resumeFrom } from "svc/features/agent/resume.ts";
import type { TraceRecord } from "svc/features/agent/trace.ts";
import type { Message, ModelReply, Reasoning } from "svc/features/models/client/model.ts";
import { call, calling, finishing, prefixesHold, rig, type Step } from "./scripted_run.ts";

const THOUGHT: Reasoning = { text: "I look first.", field: "reasoning_content" };
const SIGNED: Reasoning = {
  text: "I look first.",
  field: "reasoning_details",
  items: [{ type: "reasoning.text", text: "I look first.", signature: "abc" }],
};
const EXTRA = { google: { thought_signature: "abc" } };
const read = (more: Partial<ModelReply> = {}): Partial<ModelReply> => ({
  ...calling(call("read", { path: "a" })),
  ...more,
});
const signed = () => ({ ...call("read", { path: "b" }), extra: EXTRA });
const tools = { read: (args: string) => ({ text: args }) };

const notes = ({ model }: ReturnType<typeof rig>) =>
  model.requests.map(({ messages }) => messages.at(-1)!.text);
const replies = (messages: readonly Message[]) =>
  messages.flatMap((message) => message.role === "assistant" ? [message] : []);

Deno.test("runAgent keeps reasoning and signatures in the conversation and in its trace", async () => {
  const run = rig([read({ reasoning: THOUGHT }), calling(signed()), finishing()], { tools });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  assert.deepEqual(prefixesHold(run.model.requests), [true, true]);
  const [first, second] = replies(run.model.requests[2]!.messages);
  assert.deepEqual(first!.reasoning, THOUGHT);
  assert.deepEqual(second!.calls[0]!.extra, EXTRA);
  assert.equal(second!.reasoning, undefined);
  const traced = run.trace.records.filter(({ kind }) => kind === "reply");
  assert.deepEqual((traced[0]!["message"] as { reasoning: unknown }).reasoning, THOUGHT);
});

Deno.test("no half of a character that a model wrote goes back to it", async () => {
  const half = { ...call("read"), args: '{"path":"a\\ud83d","b":"\\ud83d\\ude00"}' };
  const run = rig([
    { ...calling(half), text: "It is \ud83d", reasoning: { ...THOUGHT, text: "\ude00!" } },
    finishing(),
  ], { tools });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  const [reply] = replies(run.model.requests[1]!.messages);
  assert.equal(reply!.text, "It is \ufffd");
  assert.equal(reply!.reasoning!.text, "\ufffd!");
  assert.equal(reply!.calls[0]!.args, '{"path":"a\\ufffd","b":"\\ud83d\\ude00"}');
});

/** A run that was interrupted after two replies, as its trace has it. */
async function interrupted(): Promise<readonly TraceRecord[]> {
  const run = rig([
    read({ reasoning: SIGNED }),
    calling(signed()),
    () => {
      run.cancel.abort();
      throw new Error("cut off");
    },
  ], { tools });
  await runAgent(run.plan);
  return run.trace.records;
}

Deno.test("a run that goes on with the same model sends all reasoning back as it was", async () => {
  const resume = resumeFrom(await interrupted())!;
  const run = rig([finishing()], { tools, plan: { resume } });
  await runAgent(run.plan);
  const [first, second] = replies(run.model.requests[0]!.messages);
  assert.deepEqual([first!.reasoning, second!.calls[0]!.extra], [SIGNED, EXTRA]);
});

for (const other of [{ provider: "other", model: "m" }, { provider: "test", model: "n" }]) {
  Deno.test(`a run that goes on with ${other.model} at ${other.provider} sends none of another model's`, async () => {
    const resume = resumeFrom(await interrupted())!;
    const run = rig([finishing()], { tools });
    const { route, profile } = run.model;
    const model = {
      ...run.model,
      route: { ...route, provider: other.provider },
      profile: { ...profile, model: other.model },
    };
    assert.equal((await runAgent({ ...run.plan, model, resume })).disposition, "submitted");
    const sent = replies(run.model.requests[0]!.messages);
    assert.deepEqual(sent.map(({ reasoning }) => reasoning), [undefined, undefined]);
    assert.equal(JSON.stringify(sent).includes("thought_signature"), false);
    // What follows goes on from there, also when it is interrupted again.
    const again = resumeFrom(run.trace.records.filter(({ kind }) => kind === "resumed"))!;
    assert.deepEqual(again.model, other);
  });
}

Deno.test("a line of the trace that was cut gives back no reasoning", async () => {
  const records = (await interrupted()).map((record) =>
    record.kind === "reply" ? { ...record, cut: true } : record
  );
  const { messages } = resumeFrom(records)!;
  assert.equal(JSON.stringify(messages).includes("signature"), false);
});

Deno.test("reasoning and signatures count in the prompt's size, where they go back", () => {
  const message = { role: "assistant", text: "x", calls: [call("read")] } as const;
  const bare = charsOf(message);
  assert.equal(charsOf({ ...message, reasoning: THOUGHT }), bare + THOUGHT.text.length);
  assert.equal(charsOf({ ...message, reasoning: { text: "a block" } }), bare);
  assert.ok(charsOf({ ...message, reasoning: SIGNED }) > bare + 60);
  const calls = [{ ...message.calls[0]!, extra: EXTRA }];
  assert.equal(charsOf({ ...message, calls }), bare + JSON.stringify(EXTRA).length);
});

Deno.test("runAgent says what was missing in a reply without a call", async () => {
  const silent: readonly Partial<ModelReply>[] = [
    { reasoning: THOUGHT },
    { reasoning: THOUGHT, end: "length" },
    { text: "I will", reasoning: THOUGHT },
    { text: "I will", reasoning: THOUGHT, end: "length" },
    { text: "I will. I will", repeated: "text", end: "length" },
    { reasoning: THOUGHT, repeated: "reasoning", end: "length" },
  ];
  const run = rig([...silent.flatMap((reply) => [reply, read()]), finishing()], {
    tools: { read: () => ({ text: `${Math.random()}` }) },
  });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  const said = notes(run).filter((_, at) => at % 2 === 1);
  const expected = [
    /^You thought but said nothing:/,
    /^Your thinking used up the whole length limit/,
    /^That reply called no tool/,
    /^Your reply was cut off at the length limit before/,
    /^Your reply repeated itself without end/,
    /^Your reply repeated itself without end/,
  ];
  assert.equal(said.length, expected.length);
  for (const [at, pattern] of expected.entries()) assert.match(said[at]!, pattern);
});

Deno.test("runAgent carries out what an endless reply called before, and says why it ended", async () => {
  const run = rig([read({ end: "length", repeated: "arguments" }), finishing()], { tools });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  assert.deepEqual(run.toolbox.called.length, 2);
  assert.match(notes(run)[1]!, /Your reply repeated itself without end/);
  const traced = run.trace.records.find(({ kind }) => kind === "reply")!;
  assert.deepEqual([traced["end"], traced["repeated"]], ["length", "arguments"]);
});

Deno.test("runAgent asks for a call once after a turn without one", async () => {
  const script: readonly Step[] = [
    { text: "hm" },
    read(),
    { text: "hm" },
    { text: "hm" },
    finishing(),
  ];
  const run = rig(script, { tools });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  assert.deepEqual(run.model.requests.map(({ toolChoice }) => toolChoice), [
    undefined,
    "required",
    undefined,
    "required",
    undefined,
  ]);
});

Deno.test("runAgent always bounds the reply: by its usual length, by the window, by what a call needs", async () => {
  const bounds = async (window: number, tokensIn: number) => {
    const usage = { tokensIn, tokensOut: 10, estimated: false };
    const run = rig([{ ...read(), usage }, finishing()], { tools, window });
    await runAgent(run.plan);
    return run.model.requests.map(({ maxTokens }) => maxTokens!);
  };
  assert.deepEqual(await bounds(1_000_000, 200), [32_000, 32_000]);
  const [first, second] = await bounds(8_192, 500);
  assert.ok(first! > 7_000 && first! < 8_192 - 256, `${first}`);
  // What the server counted, and what came since, and no more.
  assert.ok(second! < 8_192 - 500 && second! > 7_400, `${second}`);
  const [, none] = await bounds(600, 300);
  assert.equal(none, 256);
});

Deno.test("the last turn's reply is bounded by what is left of the window", async () => {
  const run = rig([read(), finishing()], { tools, window: 3_000, limits: { maxTurns: 1 } });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  const { maxTokens } = run.model.requests[1]!;
  assert.ok(maxTokens! > 2_000 && maxTokens! < 3_000, `${maxTokens}`);
});

Deno.test("cached tokens add up over the run, and a resumed run goes on counting", async () => {
  const usage = (cachedIn: number | undefined) => ({
    usage: { tokensIn: 100, tokensOut: 10, estimated: false, cachedIn },
  });
  const run = rig([read(usage(undefined)), read(usage(40)), { ...finishing(), ...usage(90) }], {
    tools,
  });
  assert.equal((await runAgent(run.plan)).cachedIn, 130);
  const records = run.trace.records.filter(({ kind }) => kind !== "ended");
  const cut = records.filter(({ kind, turn }) => kind === "started" || (turn as number) < 3);
  assert.equal(resumeFrom(cut)!.cachedIn, 40);
  // A trace from before has no such number.
  const old = cut.map(({ tally: _, ...record }) => record);
  assert.equal(resumeFrom(old as TraceRecord[])!.cachedIn, 0);
});
