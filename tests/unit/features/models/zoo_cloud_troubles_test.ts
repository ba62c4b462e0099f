/** What goes wrong at the clouds of the strict zoo, in each vendor's words, and what a run makes of it. */
import assert from "node:assert/strict";
import { runAgent } from "svc/features/agent/loop.ts";
import { EXCHANGE_LIMITS } from "svc/features/models/client/exchange.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import { type Clock, systemClock } from "svc/platform/clock.ts";
import type { Conversation, ScriptedReply } from "tests/kit/model_scenario.ts";
import { troubled } from "tests/kit/servers/cloud_chat.ts";
import { deepseek, DEEPSEEK_TROUBLE } from "tests/kit/servers/deepseek.ts";
import { gemini, GEMINI_TROUBLE, MALFORMED_CALL } from "tests/kit/servers/gemini.ts";
import { mistral, MISTRAL_TROUBLE } from "tests/kit/servers/mistral.ts";
import { OPENAI_TROUBLE, openaiChat } from "tests/kit/servers/openai_chat.ts";
import { openrouter, OPENROUTER_TROUBLE } from "tests/kit/servers/openrouter.ts";
import { type OpenZoo, openZoo, type ZooServer } from "tests/kit/servers/zoo.ts";
import { rig } from "tests/unit/features/agent/scripted_run.ts";
import { client, profile, route } from "./asking.ts";

const read = (path: string): ScriptedReply => ({ calls: [{ name: "read", args: { path } }] });
const DONE = { disposition: "submitted", evidence: "make test passes" };
const FINISH: ScriptedReply = { calls: [{ name: "finish", args: DONE }] };

const saying = (...replies: readonly ScriptedReply[]): Conversation =>
  replies.map((reply) => ({ reply }));

/** Notes down the waits before another try instead of waiting; the ten minutes of a silent model stay. */
function notingClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    ...systemClock,
    waits,
    sleep(ms, signal) {
      if (ms < 1_000 || ms > 100_000) return systemClock.sleep(ms, signal);
      waits.push(ms);
      return Promise.resolve();
    },
  };
}

interface Ran {
  readonly zoo: OpenZoo;
  readonly end: Awaited<ReturnType<typeof runAgent>>;
  readonly waits: readonly number[];
  readonly refusals: readonly string[];
  readonly kinds: readonly string[];
}

/** A run in which no wait of a second or more is waited. */
async function ran(
  server: ZooServer,
  steps: Conversation,
  other: { readonly route?: Partial<ModelRoute>; readonly window?: number } = {},
): Promise<Ran> {
  await using zoo = await openZoo(server, { steps });
  const clock = notingClock();
  const { model, key } = server;
  const made = client(zoo.url, {
    route: route(zoo.url, { model, ...other.route }),
    profile: profile(zoo.url, { model, contextWindow: other.window ?? 65_536 }),
    key,
    clock,
    // No wait for the end of an answer: those between tries are told by their length.
    limits: { ...EXCHANGE_LIMITS, endMs: EXCHANGE_LIMITS.idleMs },
  });
  const run = rig([], {
    tools: { read: () => ({ text: "a line of text\n".repeat(200) }) },
    plan: { model: made },
  });
  const end = await runAgent(run.plan);
  const refusals = await zoo.refusals();
  return { zoo, end, waits: clock.waits, refusals, kinds: run.trace.kinds() };
}

const WORKS = saying(read("a"), read("b"), FINISH);

const GPT = openaiChat({ id: "gpt-4.1" });

Deno.test("a limit of requests is waited for as long as the vendor says", async () => {
  const cases = [
    [GPT, OPENAI_TROUBLE.rateLimit, 6_000],
    [openrouter(), OPENROUTER_TROUBLE.upstreamLimit, 3_000],
    // A header would be easier to find: Gemini says it in the details.
    [gemini(), GEMINI_TROUBLE.perMinute, 45_838],
  ] as const;
  for (const [server, trouble, wait] of cases) {
    const { end, waits } = await ran(troubled(server, { 2: trouble }), WORKS);
    assert.equal(end.disposition, "submitted", `${server.name}: ${end.evidence}`);
    assert.ok(waits.includes(wait), `${server.name}: ${waits}`);
  }
});

Deno.test("a fault of the moment is asked again", async () => {
  const cases = [
    [GPT, OPENAI_TROUBLE.server],
    [mistral(), MISTRAL_TROUBLE.rateLimit],
    [mistral(), MISTRAL_TROUBLE.gatewayLimit],
    [mistral(), MISTRAL_TROUBLE.capacity],
    [gemini(), GEMINI_TROUBLE.overloaded],
    [deepseek(), DEEPSEEK_TROUBLE.overloaded],
    [openrouter(), OPENROUTER_TROUBLE.midStream],
  ] as const;
  for (const [server, trouble] of cases) {
    const { end } = await ran(troubled(server, { 1: trouble, 3: trouble }), WORKS);
    assert.equal(end.disposition, "submitted", `${server.name}: ${end.evidence}`);
  }
});

Deno.test("an account without money ends the run at once, and says where", async () => {
  const cases = [
    [GPT, OPENAI_TROUBLE.quota],
    [gemini(), GEMINI_TROUBLE.perDay],
    [deepseek(), DEEPSEEK_TROUBLE.balance],
    [openrouter(), OPENROUTER_TROUBLE.credits],
  ] as const;
  for (const [server, trouble] of cases) {
    const { end } = await ran(troubled(server, { 2: trouble }), WORKS);
    assert.equal(end.fault?.kind, "quota", `${server.name}: ${end.evidence}`);
    assert.match(end.fault!.detail.remedy, /Add credit/);
    assert.equal(end.turns, 1);
  }
});

Deno.test("a reply that the vendor broke off is asked for again", async () => {
  // api-docs.deepseek.com, create-chat-completion: "interrupted due to insufficient resource".
  const cut = { text: "Let me look at", finish: "insufficient_system_resource" };
  const { end, zoo } = await ran(deepseek(), saying(read("a"), cut, FINISH));
  assert.equal(end.disposition, "submitted", end.evidence);
  assert.equal(end.turns, 2);
  assert.ok(!JSON.stringify(zoo.asked.at(-1)!.body).includes("Let me look at"));
});

Deno.test("a call that Gemini found malformed is no end of the run", async () => {
  const malformed = { text: "", finish: MALFORMED_CALL };
  const { end, zoo } = await ran(gemini(), saying(read("a"), malformed, FINISH));
  assert.equal(end.disposition, "submitted", end.evidence);
  assert.match(zoo.asked.at(-1)!.text, /Call a tool, or finish/);
});

Deno.test("what the provider behind OpenRouter said is read: too long, or shown to the person", async () => {
  const overflow = () => OPENROUTER_TROUBLE.upstreamOverflow(1_500, 1_520);
  const long = await ran(
    troubled(openrouter(), { 3: overflow }),
    WORKS,
  );
  assert.equal(long.end.disposition, "submitted", long.end.evidence);
  assert.ok(long.kinds.includes("overflow"));
  const roles = await ran(troubled(openrouter(), { 2: OPENROUTER_TROUBLE.upstreamRoles }), WORKS);
  assert.match(roles.end.evidence, /Unexpected role 'user' after role 'tool'/);
});

Deno.test("OpenRouter's models without tools are asked in text", async () => {
  const { end, zoo, refusals } = await ran(openrouter({ noTools: true }), WORKS);
  assert.equal(end.disposition, "submitted", end.evidence);
  assert.equal(refusals.length, 1);
  assert.ok(zoo.asked.every(({ body }) => body.tools === undefined));
});

Deno.test("a forced call is left out where the vendor does not take it", async () => {
  for (const server of [deepseek(), openrouter({ noToolChoice: true })]) {
    const silent = { text: "I think about it." };
    const { end, refusals } = await ran(server, saying(read("a"), silent, silent, FINISH));
    assert.equal(end.disposition, "submitted", `${server.name}: ${end.evidence}`);
    assert.equal(refusals.length, 1, refusals.join("\n"));
    assert.match(refusals[0]!, /tool_choice/);
  }
});

Deno.test("DeepSeek gets reasoning back that it left empty, from its first refusal on", async () => {
  const unthinking = { ...read("a"), reasoning: "" };
  const { end, refusals } = await ran(deepseek(), saying(unthinking, read("b"), FINISH));
  assert.equal(end.disposition, "submitted", end.evidence);
  assert.ok(refusals.length <= 1, refusals.join("\n"));
});

Deno.test("DeepSeek's first reasoner is asked in text, without its reasoning", async () => {
  const { end, zoo, refusals } = await ran(
    deepseek({ firstReasoner: true }),
    saying(read("a"), { text: "I think about it." }, FINISH),
  );
  assert.equal(end.disposition, "submitted", end.evidence);
  assert.match(refusals[0]!, /Function Calling/);
  assert.match(refusals[1]!, /max_tokens is \[1, 8192\]/);
  assert.equal(refusals.length, 2, refusals.join("\n"));
  assert.ok(!zoo.asked.at(-1)!.text.includes("reasoning_content"));
});

Deno.test("DeepSeek's answer after empty lines is read", async () => {
  const message = { role: "assistant", content: "", reasoning_content: "I am done." };
  const tool_calls = [{
    id: "call_00_0",
    type: "function",
    function: { name: "finish", arguments: JSON.stringify(DONE) },
  }];
  const whole = {
    choices: [{ index: 0, message: { ...message, tool_calls }, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 900, completion_tokens: 9 },
  };
  const { end } = await ran(
    troubled(deepseek(), { 1: () => DEEPSEEK_TROUBLE.slowWhole(whole) }),
    [],
  );
  assert.equal(end.disposition, "submitted", end.evidence);
});

Deno.test("models of Mistral that take no words beside calls get the calls", async () => {
  const both = { ...read("a"), text: "I look." };
  const { end, refusals } = await ran(mistral({ both: false }), saying(both, both, FINISH));
  assert.equal(end.disposition, "submitted", end.evidence);
  assert.equal(refusals.filter((refusal) => /not both/.test(refusal)).length, 1);
});

Deno.test("ids of calls that another server made are sent as OpenAI and Mistral want them", async () => {
  const long = { calls: [{ name: "read", args: { path: "a" }, id: "x".repeat(46) }] };
  for (const server of [GPT, mistral()]) {
    const { end, refusals } = await ran(server, saying(long, read("b"), FINISH));
    assert.equal(end.disposition, "submitted", `${server.name}: ${end.evidence}`);
    const others = refusals.filter((refusal) => !/stream_options/.test(refusal));
    assert.equal(others.length, 1, others.join("\n"));
  }
});

Deno.test("a model that OpenAI has with tools in another protocol alone names that", async () => {
  const codex = { id: "gpt-5-codex", reasons: true, responsesOnly: true };
  const newer = { id: "gpt-5.6", reasons: true, toolsWithoutReasoning: true };
  for (const model of [codex, newer]) {
    const { end } = await ran(openaiChat(model), WORKS);
    assert.match(end.fault!.detail.remedy, /responses/, model.id);
  }
});
