import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { NOTE_MARK } from "svc/features/models/client/note.ts";
import { runAgent } from "svc/features/agent/loop.ts";
import type { ModelReply } from "svc/features/models/client/model.ts";
import {
  call,
  calling,
  fault,
  finishing,
  prefixesHold,
  type Rig,
  rig,
  type Step,
} from "./scripted_run.ts";

const many = (count: number, step: (index: number) => Step): Step[] =>
  Array.from({ length: count }, (_, index) => step(index));
const reading = (index: number) => calling(call("read", { path: `f${index}` }));
const differs = { read: (args: string) => ({ text: args }) };
/** What svc said: user messages, and the notes behind tool results. */
const userTexts = ({ model }: Rig) =>
  model.requests.at(-1)!.messages.flatMap((one) => {
    if (one.role === "user") return [one.text];
    return one.role === "tool" ? one.text.split(`\n\n${NOTE_MARK}\n`).slice(1) : [];
  });

Deno.test("runAgent asks, acts and observes until the role finishes", async () => {
  const run = rig([
    { text: "I look.", ...calling(call("read", { path: "a" })) },
    calling(call("write", { path: "a" })),
    calling(
      call("finish", { disposition: "routed", evidence: "T-0002 is next", ticket: "T-0002" }),
    ),
  ], { tools: { read: () => ({ text: "content of a" }), write: () => ({}) } });
  const end = await runAgent(run.plan);
  assert.deepEqual(end, {
    disposition: "routed",
    evidence: "T-0002 is next",
    ticket: "T-0002",
    turns: 3,
    tokensIn: 300,
    cachedIn: 0,
    freshIn: 108,
    largestIn: 100,
    tokensOut: 30,
    estimated: true,
    toolCalls: 2,
    denials: 0,
  });
  assert.deepEqual(run.toolbox.called.map((one) => one.split(" ")[0]), ["read", "write", "finish"]);
  const results = run.model.requests[1]!.messages.filter(({ role }) => role === "tool");
  assert.deepEqual(results.map(({ text }) => text), ["content of a"]);
  assert.deepEqual(prefixesHold(run.model.requests), [true, true]);
  assert.deepEqual(run.turns.map(({ turn, text }) => [turn, text]), [[1, "I look."], [2, ""], [
    3,
    "",
  ]]);
  assert.deepEqual(run.trace.kinds(), [
    "started",
    ..."reply turn ".repeat(3).trim().split(" "),
    "ended",
  ]);
  assert.equal(run.clock.pending(), 0);
});

Deno.test("runAgent carries out what comes before finish and nothing after it", async () => {
  const reply = calling(
    call("write", 1),
    call("finish", { disposition: "submitted", evidence: "e" }),
    call("write", 2),
  );
  const run = rig([reply], { tools: { write: () => ({}) } });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  assert.deepEqual(run.toolbox.called.map((one) => one.slice(0, 7)), ["write 1", "finish "]);
  assert.match(run.turns[0]!.outcomes[2]!.text, /^Not run/);
});

Deno.test("runAgent goes on after a finish that was refused", async () => {
  let times = 0;
  const finish = (args: string) =>
    ++times === 1
      ? { status: "failed" as const, text: "no such ticket" }
      : { facts: JSON.parse(args) };
  const run = rig([finishing(), finishing()], { tools: { finish } });
  assert.equal((await runAgent(run.plan)).turns, 2);
});

interface Case {
  readonly name: string;
  readonly script: Step[];
  readonly more?: Parameters<typeof rig>[1];
  readonly disposition: string;
  readonly category?: string;
  readonly evidence: RegExp;
  readonly turns: number;
}

const denied = () => ({
  status: "denied" as const,
  text: "profile observer does not write",
  deniedBy: "profile",
});
const invalid = () => ({ status: "invalid" as const, text: "path is missing; schema: …" });

const CASES: readonly Case[] = [
  {
    name: "its turns",
    script: [...many(3, reading), { text: "nothing to say" }],
    more: { limits: { maxTurns: 3 }, tools: differs },
    ...{ disposition: "turns_exhausted", category: "turns", evidence: /all 3 turns/, turns: 4 },
  },
  {
    name: "its tool calls",
    script: [
      calling(...Array.from({ length: 250 }, (_, index) => call("read", { index }))),
      { text: "x" },
    ],
    more: { tools: differs },
    ...{ disposition: "turns_exhausted", category: "turns", evidence: /200 tool calls/, turns: 2 },
  },
  {
    name: "its budget",
    script: [
      { ...reading(1), usage: { tokensIn: 700, tokensOut: 100, estimated: true } },
      { text: "no" },
    ],
    more: { limits: { budgetTokens: 1_300 }, tools: differs },
    ...{ disposition: "budget_exhausted", category: "budget", evidence: /1300 tokens/, turns: 2 },
  },
  {
    name: "a budget below the first prompt, without a request",
    script: [],
    more: { limits: { budgetTokens: 100 } },
    ...{ disposition: "budget_exhausted", category: "budget", evidence: /100 tokens/, turns: 0 },
  },
  {
    name: "silence",
    script: [{ text: "I think" }, { text: "" }, { text: "half a", end: "length" }],
    ...{ disposition: "stuck", category: "stuck", evidence: /3 turns in a row/, turns: 3 },
  },
  {
    name: "invalid and unknown calls",
    script: many(5, (index) => calling(call(index % 2 ? "read" : "raed", { index }))),
    more: { tools: { read: invalid } },
    ...{ disposition: "model_error", category: "model_protocol", evidence: /5 turns/, turns: 5 },
  },
  {
    name: "one call five times with one result",
    script: many(5, () => calling(call("read", { path: "a" }))),
    more: { tools: { read: () => ({ text: "same" }) } },
    ...{ disposition: "stuck", category: "stuck", evidence: /call of read came 5 times/, turns: 5 },
  },
  {
    name: "a round of two calls four times",
    script: many(8, (index) => calling(call("read", { path: index % 2 }))),
    more: { tools: differs },
    ...{ disposition: "stuck", category: "stuck", evidence: /read, read came 4 times/, turns: 8 },
  },
  {
    name: "the same denied call three times",
    script: many(3, () => calling(call("write", { path: "a" }))),
    more: { tools: { write: denied } },
    ...{
      disposition: "policy_denied",
      category: "policy_denied",
      evidence: /write was denied 3 times: profile/,
      turns: 3,
    },
  },
  {
    name: "five turns of denied calls",
    script: many(5, (index) => calling(call("write", { index }))),
    more: { tools: { write: denied } },
    ...{
      disposition: "policy_denied",
      category: "policy_denied",
      evidence: /5 turns in a row/,
      turns: 5,
    },
  },
  {
    name: "a fault of the model",
    script: [reading(1), fault("server")],
    more: { tools: differs },
    ...{
      disposition: "model_error",
      category: "model_unreachable",
      evidence: /Cannot ask the model/,
      turns: 1,
    },
  },
  {
    name: "an overflow with nothing to leave out",
    script: [fault("context_overflow")],
    ...{
      disposition: "model_error",
      category: "context_overflow",
      evidence: /context_overflow/,
      turns: 0,
    },
  },
  {
    name: "a tool that breaks",
    script: [reading(1)],
    more: {
      tools: {
        read: () => {
          throw new Error("secret detail");
        },
      },
    },
    ...{
      disposition: "internal_error",
      category: "internal",
      evidence: /^Unexpected failure of svc; its cause is in \/home\/traces/,
      turns: 1,
    },
  },
  {
    name: "a finish without facts",
    script: [finishing()],
    more: { tools: { finish: () => ({}) } },
    ...{ disposition: "internal_error", category: "internal", evidence: /Unexpected/, turns: 1 },
  },
];

for (const { name, script, more, disposition, category, evidence, turns } of CASES) {
  Deno.test(`runAgent ends at ${name}`, async () => {
    const run = rig(script, more);
    const end = await runAgent(run.plan);
    assert.equal(end.disposition, disposition);
    assert.equal(end.category, category);
    assert.match(end.evidence, evidence);
    assert.equal(end.turns, turns);
    assert.equal(run.model.requests.length, script.length, "all of the script was asked");
    assert.equal(run.trace.kinds().at(-1), "ended");
    assert.equal(run.trace.records.at(-1)!.disposition, disposition);
    assert.equal(run.clock.pending(), 0, "no timer is left");
  });
}

Deno.test("runAgent writes the cause of an internal error to the trace only", async () => {
  const run = rig([() => {
    throw new TypeError("the inner cause");
  }]);
  const end = await runAgent(run.plan);
  assert.ok(!JSON.stringify(end).includes("inner cause"));
  assert.match(String(run.trace.records.at(-1)!.cause), /TypeError: the inner cause/);
});

Deno.test("runAgent says what it waited for in vain, such as a database server", async () => {
  const message = 'Cannot use the database "postgres://team@db/svc": the server does not answer';
  const run = rig([reading(1)], {
    tools: {
      read: () => {
        throw new Failure("environment", message, { waits: true });
      },
    },
  });
  const { disposition, category, evidence } = await runAgent(run.plan);
  assert.deepEqual([disposition, category, evidence], ["internal_error", "internal", message]);
});

Deno.test("runAgent ends with an internal error when its trace cannot be written", async () => {
  for (const broken of ["started", "reply", "turn"]) {
    const run = rig([finishing()]);
    const write = (kind: string) =>
      kind === broken ? Promise.reject(new Error("disk full")) : Promise.resolve();
    const end = await runAgent({ ...run.plan, trace: { path: "/t", write } });
    assert.equal(end.disposition, "internal_error");
    assert.equal(run.turns.length, 0);
  }
  const run = rig([]);
  const write = () => Promise.reject(new Error("disk full"));
  assert.equal(
    (await runAgent({ ...run.plan, trace: { path: "/t", write } })).category,
    "internal",
  );
});

Deno.test("runAgent keeps its end when only the trace's last line cannot be written", async () => {
  const run = rig([finishing()]);
  const write = (kind: string) =>
    kind === "ended" ? Promise.reject(new Error("disk full")) : Promise.resolve();
  assert.equal(
    (await runAgent({ ...run.plan, trace: { path: "/t", write } })).disposition,
    "submitted",
  );
});

Deno.test("runAgent tells silence, emptiness and a cut-off apart", async () => {
  const run = rig([{ text: "hm" }, reading(1), { text: "" }, reading(2), {
    end: "length",
    text: "lo",
  }, finishing()], { tools: differs });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  const [, plain, empty, cut] = userTexts(run);
  assert.match(plain!, /called no tool/);
  assert.match(empty!, /was empty/);
  assert.match(cut!, /was cut off/);
});

Deno.test("runAgent says once that a call goes in circles, and lets the role go on", async () => {
  const same = () => calling(call("read", { path: "a" }));
  const run = rig([same(), same(), same(), reading(1), finishing()], {
    tools: { read: (args) => ({ text: args }) },
  });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  const [, nudge, ...others] = userTexts(run);
  assert.match(nudge!, /^You called read with the same arguments 3 times/);
  assert.deepEqual(others, []);
});

Deno.test("runAgent never takes calls for a circle whose results differ", async () => {
  let count = 0;
  const run = rig([...many(30, () => calling(call("read", { path: "a" }))), finishing()], {
    tools: { read: () => ({ text: `${++count}` }) },
  });
  assert.equal((await runAgent(run.plan)).turns, 31);
  assert.equal(userTexts(run).length, 1);
});

Deno.test("runAgent writes each turn to the trace before it shows it", async () => {
  const order: string[] = [];
  const run = rig([reading(1), reading(2), finishing()], { tools: differs });
  const write = run.trace.write;
  await runAgent({
    ...run.plan,
    trace: {
      path: "/t",
      async write(kind, fields) {
        await new Promise((done) => queueMicrotask(() => done(undefined)));
        await write(kind, fields);
        if (kind === "turn") order.push(`written ${fields.turn}`);
      },
    },
    onTurn: ({ turn }) => order.push(`shown ${turn}`),
  });
  assert.deepEqual(order, [1, 2, 3].flatMap((turn) => [`written ${turn}`, `shown ${turn}`]));
});

Deno.test("runAgent gives calls unique ids, and each its own result", async () => {
  const twice = calling(call("read", 1, "x"), call("read", 2, "x"), call("read", 3, ""));
  const run = rig([twice, twice, finishing()], { tools: differs });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  const results = run.model.requests[2]!.messages.flatMap((one) =>
    one.role === "tool" ? [one.text] : []
  );
  assert.deepEqual(results, ["1", "2", "3", "1", "2", "3"]);
});

Deno.test("runAgent bounds the length of a reply when the budget nears its end", async () => {
  const usage = { tokensIn: 3_000, tokensOut: 100, estimated: true };
  const run = rig([{ ...reading(1), usage }, finishing()], {
    limits: { budgetTokens: 5_000 },
    tools: differs,
  });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  const [first, second] = run.model.requests.map(({ maxTokens }) => maxTokens);
  assert.ok(first! > 4_500 && first! < 5_000);
  assert.ok(second! > 256 && second! < 1_700);
});

Deno.test("runAgent gives the same tools as the same objects", async () => {
  const given: unknown[] = [];
  const noting = (reply: Partial<ModelReply>): Step => (request) => {
    given.push(request.tools);
    return reply;
  };
  const run = rig([noting(reading(1)), noting(reading(2)), noting(finishing())], {
    tools: differs,
  });
  const offered = async () => structuredClone(await run.toolbox.offered());
  await runAgent({ ...run.plan, toolbox: { ...run.toolbox, offered } });
  assert.ok(given.length === 3 && given.every((tools) => tools === given[0]));
});

Deno.test("runAgent shows a model the tools that the policy allows at that turn", async () => {
  const run = rig([reading(1), finishing()], { tools: { ...differs, write: () => ({}) } });
  const all = await run.toolbox.offered();
  // The policy changes during the first turn.
  const offered = () =>
    Promise.resolve(
      run.toolbox.called.length === 0 ? all : all.filter((one) => one.function.name !== "write"),
    );
  await runAgent({ ...run.plan, toolbox: { ...run.toolbox, offered } });
  assert.deepEqual(run.model.requests.map(({ tools }) => tools.length), [3, 2]);
});
