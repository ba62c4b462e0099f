import assert from "node:assert/strict";
import fc from "fast-check";
import { fitted, masked, summarised } from "svc/features/agent/compact.ts";
import { joined, newestFrom, totalChars } from "svc/features/agent/conversation.ts";
import { runAgent } from "svc/features/agent/loop.ts";
import type { Message, ModelRequest } from "svc/features/models/client/model.ts";
import {
  call,
  calling,
  fault,
  finishing,
  mustBeWhole,
  prefixesHold,
  rig,
  type Step,
} from "./scripted_run.ts";

const RULES = "1. Never lie.\n2. Finish.";

/** A conversation as the loop makes one: each part a reply with its results, or with a note. */
const conversations = fc.array(
  fc.oneof(
    fc.record({ outputs: fc.array(fc.nat(3_000), { minLength: 1, maxLength: 4 }) }),
    fc.constant({ outputs: [] }),
  ),
  { maxLength: 12 },
).map((turns) => {
  let id = 0;
  let all: Message[] = [{ role: "system", text: "s" }, { role: "user", text: "task" }];
  for (const { outputs } of turns) {
    const calls = outputs.map(() => ({ id: `c${++id}`, name: "read", args: `{"n":${id}}` }));
    const results: Message[] = outputs.map((size, index) => ({
      role: "tool",
      callId: calls[index]!.id,
      text: "x".repeat(size),
    }));
    const note: Message[] = outputs.length === 0 ? [{ role: "user", text: "go on" }] : [];
    all = joined(all, [{ role: "assistant", text: "t", calls }, ...results, ...note]);
  }
  return all;
});

Deno.test("masked and summarised keep calls with their results, and the rules word for word", () => {
  fc.assert(fc.property(conversations, fc.nat(12_000), (all, kept) => {
    const from = newestFrom(all, kept);
    const less = masked(all, { from, rules: RULES });
    mustBeWhole(less);
    assert.ok(JSON.stringify(less.at(-1)).includes(JSON.stringify(RULES).slice(1, -1)));
    assert.deepEqual(less.slice(from, all.length - 1), all.slice(from, -1), "the newest stays");
    const short = summarised(all, { from, task: "task", summary: "what I did", rules: RULES });
    mustBeWhole(short);
    assert.ok(short[1]!.text.startsWith("task\n\n"));
    assert.ok(short[1]!.text.endsWith(RULES));
    assert.deepEqual(short.slice(2), all.slice(from));
    assert.ok(totalChars(all.slice(from)) <= kept);
    const half = totalChars(all) / 2;
    const fits = fitted(all, (messages) => totalChars(messages) <= half);
    mustBeWhole(fits);
  }));
});

Deno.test("arguments that a summary lists are cut between characters", () => {
  const args = `{"text":"${"x".repeat(110)}😀${"y".repeat(50)}"}`;
  const all: Message[] = [
    { role: "system", text: "s" },
    { role: "user", text: "task" },
    { role: "assistant", text: "t", calls: [{ id: "c1", name: "write", args }] },
    { role: "tool", callId: "c1", text: "done" },
  ];
  const short = summarised(all, { from: 4, task: "task", summary: "what I did", rules: RULES });
  assert.ok(short[1]!.text.includes(`- write {"text":"${"x".repeat(110)}…`), short[1]!.text);
});

const lines = (bytes: number) => "0123456789abcde\n".repeat(Math.ceil(bytes / 16)).slice(0, bytes);
let count = 0;
const reading = (bytes: number): Step => calling(call("read", { bytes, n: ++count }));
const tools = {
  read: (args: string) => ({ text: `${args}\n${lines(JSON.parse(args).bytes as number)}` }),
};
const tokensOf = ({ messages, tools }: ModelRequest) =>
  Math.ceil((totalChars(messages) + JSON.stringify(tools).length) / 4);
const compactions = (run: ReturnType<typeof rig>) =>
  run.trace.records.filter(({ kind }) => kind === "compacted") as unknown as {
    how: string;
    before: number;
    after: number;
    messages: Message[];
  }[];

Deno.test("runAgent leaves out old outputs at 80 % of the window, and keeps its prompt's start until then", async () => {
  const run = rig([...Array.from({ length: 9 }, () => reading(1_600)), finishing()], {
    tools,
    window: 4_000,
  });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  const made = compactions(run);
  assert.deepEqual([...new Set(made.map(({ how }) => how))], ["masked"]);
  for (const { before, after, messages } of made) {
    assert.ok(before >= 0.8 * 4_000 && before < 4_000);
    assert.ok(after <= 0.8 * before);
    mustBeWhole(messages);
    assert.ok(messages.at(-1)!.text.endsWith(RULES));
  }
  const breaks = prefixesHold(run.model.requests).filter((holds) => !holds).length;
  assert.ok(made.length > 0 && breaks <= made.length);
  assert.ok(run.model.requests.every((request) => tokensOf(request) < 0.8 * 4_000));
  const stubs = made[0]!.messages.filter(({ text }) => /^\[output of read left out: /.test(text));
  assert.ok(stubs.length > 0 && stubs.every(({ text }) => !text.includes("\n")));
});

for (const window of [8_192, 16_384]) {
  Deno.test(`runAgent never leaves out what the model has not seen yet: a window of ${window}`, async () => {
    const steps: Step[] = Array.from({ length: 20 }, (_, n) => (request) => {
      const last = request.messages.findLast(({ role }) => role === "tool")?.text ?? "";
      // An obedient model calls again what svc tells it to call again.
      const again = /left out: \d+ lines/.test(last);
      return calling(call("read", { bytes: 12_288, n: again ? n - 1 : n }));
    });
    const run = rig([...steps, finishing()], {
      tools,
      window,
      plan: { system: lines(14_000) },
    });
    assert.equal((await runAgent(run.plan)).disposition, "submitted");
    const asked = run.toolbox.called.map((line) => line.replace(/^.*"n":/, ""));
    assert.equal(new Set(asked).size, asked.length, "no read was made twice");
  });
}

Deno.test("masking breaks the prompt's prefix at most once in 20 turns", async () => {
  const run = rig([...Array.from({ length: 40 }, () => reading(3_200)), finishing()], {
    tools,
    window: 32_768,
    plan: { system: lines(14_000) },
  });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  const breaks = prefixesHold(run.model.requests).filter((holds) => !holds).length;
  assert.ok(breaks >= 1 && breaks <= 2, `${breaks} breaks in 41 turns`);
});

/** Long words of the role itself, which masking cannot leave out. */
const talking = (bytes: number): Step => ({
  text: lines(bytes),
  ...calling(call("read", { bytes: 10, n: ++count })),
});
const isSummary = ({ messages }: ModelRequest) => /## Next steps/.test(messages.at(-1)!.text);

function summarising(
  turns: readonly Step[],
  summary: Partial<Record<string, unknown>> | Error,
): Step[] {
  const left = [...turns];
  return Array.from({ length: turns.length + 12 }, () => async (request, signal) => {
    const step = isSummary(request) ? summary as Step : left.shift()!;
    if (step instanceof Error) throw step;
    return typeof step === "function" ? await step(request, signal) : step;
  });
}

Deno.test("runAgent asks for a summary at 80 % of the window, and goes on from it", async () => {
  const script = summarising(
    [...Array.from({ length: 12 }, () => talking(1_000)), finishing()],
    {
      text: "## Goal\nmend a\n## Done\nread it",
      usage: { tokensIn: 50, tokensOut: 5, estimated: true },
    },
  );
  const run = rig(script, { tools, window: 4_000 });
  const end = await runAgent(run.plan);
  assert.equal(end.disposition, "submitted");
  assert.equal(end.turns, 13);
  const [{ how, before, after, messages }] = compactions(run) as [
    ReturnType<typeof compactions>[0],
  ];
  assert.equal(how, "summarised");
  assert.ok(before >= 0.8 * 4_000 && after <= 0.8 * before);
  assert.match(messages[1]!.text, /^Do T-0001\.\n\n.*your own summary.*\n## Goal\nmend a/);
  assert.match(messages[1]!.text, /- read \{"bytes":10/);
  assert.ok(messages[1]!.text.endsWith(RULES));
  const asked = run.model.requests.findIndex(isSummary);
  assert.ok(
    prefixesHold(run.model.requests.slice(asked - 1, asked + 1))[0],
    "the cache holds for it",
  );
  assert.equal(end.tokensIn, 13 * 100 + 50 * run.model.requests.filter(isSummary).length);
  assert.ok(run.model.requests.every((request) => tokensOf(request) <= 4_000));
});

for (
  const [name, answer] of [
    ["calls a tool", calling(call("read", 1))],
    ["is empty", {}],
    ["overflows", fault("context_overflow")],
  ] as const
) {
  Deno.test(`runAgent goes on from a list of its calls when the summary ${name}`, async () => {
    const script = summarising(
      [...Array.from({ length: 9 }, () => talking(1_600)), finishing()],
      answer,
    );
    const run = rig(script, { tools, window: 4_000 });
    assert.equal((await runAgent(run.plan)).disposition, "submitted");
    assert.match(
      compactions(run)[0]!.messages[1]!.text,
      /no summary of it could be had.*\n\nCalls so far/s,
    );
  });
}

Deno.test("runAgent ends when the model cannot be reached for a summary", async () => {
  const run = rig(
    summarising(Array.from({ length: 9 }, () => talking(1_600)), fault("unreachable")),
    {
      tools,
      window: 4_000,
    },
  );
  assert.equal((await runAgent(run.plan)).category, "model_unreachable");
});

Deno.test("runAgent ends stuck when a window is too small to make progress", async () => {
  const full = rig([], { window: 4_000, plan: { task: lines(13_000) } });
  const busy = rig(
    summarising(Array.from({ length: 12 }, () => talking(5_500)), { text: "short" }),
    { tools, window: 4_000 },
  );
  const cases = [
    [full, /window of 4000 tokens is too small: the prompt and the last turn alone fill it/],
    [busy, /3 summaries in 10 turns/],
  ] as const;
  for (const [run, why] of cases) {
    const end = await runAgent(run.plan);
    assert.deepEqual([end.disposition, end.category], ["stuck", "context_overflow"]);
    assert.match(end.evidence, /^context_thrash: /);
    assert.match(end.evidence, why);
  }
});

Deno.test("runAgent makes room once for a prompt that the server refuses", async () => {
  const run = rig([
    reading(3_000),
    reading(3_000),
    reading(3_000),
    fault("context_overflow"),
    finishing(),
  ], {
    tools,
    window: 100_000,
  });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  const overflow = run.trace.records.find(({ kind }) => kind === "overflow")!;
  assert.equal(overflow.how, "refused");
  assert.ok(Number(overflow.window) < Number(overflow.promptTokens));
  assert.ok(tokensOf(run.model.requests[4]!) < tokensOf(run.model.requests[3]!) * 0.8);
});

Deno.test("runAgent ends at a second refusal in a row", async () => {
  const script = [
    reading(3_000),
    reading(3_000),
    fault("context_overflow"),
    fault("context_overflow"),
  ];
  const run = rig(script, { tools });
  const end = await runAgent(run.plan);
  assert.deepEqual([end.disposition, end.category], ["model_error", "context_overflow"]);
  assert.equal(end.fault?.kind, "context_overflow");
});

Deno.test("runAgent does not act on a reply to a prompt that the server cut", async () => {
  const usage = { tokensIn: 2_000, tokensOut: 5, estimated: false };
  const cut = { ...calling(call("write", 1)), truncatedPrompt: true, usage };
  const run = rig([reading(3_000), reading(3_000), reading(3_000), cut, finishing()], {
    tools: { ...tools, write: () => ({}) },
    window: 32_000,
  });
  const end = await runAgent(run.plan);
  assert.equal(end.disposition, "submitted");
  assert.ok(!run.toolbox.called.some((one) => one.startsWith("write")));
  const overflow = run.trace.records.find(({ kind }) => kind === "overflow")!;
  assert.deepEqual([overflow.how, overflow.window], ["cut without a word", 2_000]);
  assert.ok(
    Number(overflow.promptTokens) > 2_250,
    "what a cut prompt took tells nothing of tokens",
  );
  assert.ok(tokensOf(run.model.requests[4]!) < 2_000);
  assert.equal(end.tokensIn, 4 * 100 + 2_000);
});

Deno.test("runAgent learns from the server's counts how long a token is", async () => {
  // Three characters a token: the server counts a third more than four to a token would give.
  const counted = (step: Partial<ReturnType<typeof calling>>): Step => (request) => ({
    ...step,
    usage: { tokensIn: Math.ceil(tokensOf(request) * 4 / 3), tokensOut: 1, estimated: false },
  });
  const script = [
    ...Array.from({ length: 6 }, () => counted(reading(1_500) as object)),
    finishing(),
  ];
  const run = rig(script, { tools, window: 4_000 });
  await runAgent(run.plan);
  for (const request of run.model.requests) assert.ok(tokensOf(request) * 4 / 3 < 0.8 * 4_000);
  assert.ok(compactions(run).length > 0);
});
