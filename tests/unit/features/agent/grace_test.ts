import assert from "node:assert/strict";
import { runAgent } from "svc/features/agent/loop.ts";
import { call, calling, fault, finishing, rig, type Step } from "./scripted_run.ts";

const tools = { read: (args: string) => ({ text: args }), write: () => ({}) };
const reading = (index: number) => calling(call("read", { path: index }));
const last = (run: ReturnType<typeof rig>) => run.model.requests.at(-1)!;

/** Ends when its signal says so, as a model client does. */
const waiting: Step = (_, signal) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(fault("cancelled"))));

Deno.test("runAgent keeps its tools in the turn of grace, and takes what the role says", async () => {
  const run = rig([reading(1), finishing("blocked", "who decides?")], {
    tools,
    limits: { maxTurns: 1 },
  });
  const end = await runAgent(run.plan);
  assert.equal(end.disposition, "blocked");
  assert.equal(end.category, undefined);
  assert.equal(end.turns, 2);
  // Servers keep a prompt by its start, where the tools stand.
  assert.deepEqual(last(run).tools, run.model.requests[0]!.tools);
  const note = last(run).messages.at(-1)!;
  assert.equal(note.role, "tool", "no user message follows a tool result");
  assert.match(note.text, /\n\[Note from svc, [^\n]*\]\nThe run ends now: all 1 turns are used\./);
  assert.deepEqual(run.trace.kinds().slice(-4), ["note", "reply", "turn", "ended"]);
});

const NO_END: Readonly<Record<string, Step>> = {
  "says nothing of use": { text: "I would need more time" },
  "calls another tool": calling(call("write", 1)),
  "calls finish wrongly": calling(call("finish", "not json")),
  "meets a fault": fault("server"),
};

for (const [name, step] of Object.entries(NO_END)) {
  Deno.test(`runAgent ends with its limit when the turn of grace ${name}`, async () => {
    const finish = (args: string) =>
      args === "not json"
        ? { status: "invalid" as const, text: "bad" }
        : { facts: JSON.parse(args) };
    const again = typeof step === "object" && "calls" in step ? [step] : [];
    const run = rig([reading(1), step, ...again], {
      tools: { ...tools, finish },
      limits: { maxTurns: 1 },
    });
    const end = await runAgent(run.plan);
    assert.equal(end.disposition, "turns_exhausted");
    assert.equal(end.category, "turns");
    assert.ok(!run.toolbox.called.some((one) => one.startsWith("write")));
    if (name === "calls another tool") {
      assert.match(run.turns.at(-1)!.outcomes[0]!.text, /only finish can be called/);
    }
    assert.equal(run.clock.pending(), 0);
  });
}

Deno.test("runAgent lets a role finish that calls another tool first in its turn of grace", async () => {
  const run = rig([reading(1), calling(call("write", 1)), finishing("blocked", "no time")], {
    tools,
    limits: { maxTurns: 1 },
  });
  const end = await runAgent(run.plan);
  assert.equal(end.disposition, "blocked");
  assert.equal(end.turns, 3);
  assert.deepEqual(run.toolbox.called.map((one) => one.split(" ")[0]), ["read", "finish"]);
  assert.match(run.turns[1]!.outcomes[0]!.text, /only finish can be called/);
});

Deno.test("runAgent asks no second time in grace where the first answer used up what was left", async () => {
  const usage = { tokensIn: 100, tokensOut: 30_000, estimated: false };
  for (const [budgetTokens, asked] of [[200_000, 3], [30_150, 2]] as const) {
    const writes = calling(call("write", 1));
    const run = rig([reading(1), { ...writes, usage }, finishing("blocked", "no time")], {
      tools,
      limits: { maxTurns: 1, budgetTokens },
    });
    const { disposition } = await runAgent(run.plan);
    assert.deepEqual([run.model.requests.length, disposition], [
      asked,
      asked === 3 ? "blocked" : "turns_exhausted",
    ]);
  }
});

Deno.test("runAgent gives no grace to a role that could not end its run", async () => {
  const run = rig([reading(1)], { tools, limits: { maxTurns: 1 } });
  const offered = async () =>
    (await run.toolbox.offered()).filter((tool) => tool.function.name !== "finish");
  const { disposition } = await runAgent({ ...run.plan, toolbox: { ...run.toolbox, offered } });
  assert.deepEqual([run.model.requests.length, disposition], [1, "turns_exhausted"]);
});

Deno.test("runAgent is over time in a request: that one is ended and grace is given", async () => {
  const run = rig([
    reading(1),
    (request, signal) => {
      queueMicrotask(() => run.clock.advance(60_000));
      return (waiting as (...all: unknown[]) => Promise<never>)(request, signal);
    },
    finishing("submitted", "it was done"),
  ], { tools });
  const end = await runAgent(run.plan);
  assert.equal(end.disposition, "submitted");
  assert.match(last(run).messages.at(-1)!.text, /the time of 60 s is over/);
  assert.equal(run.clock.pending(), 0);
});

Deno.test("runAgent is over time in a tool: the call is answered, the next not made", async () => {
  const run = rig([calling(call("slow", 1), call("write", 2)), { text: "?" }], {
    tools: {
      ...tools,
      slow: (_, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          run.clock.advance(60_000);
        }),
    },
  });
  const end = await runAgent(run.plan);
  assert.equal(end.disposition, "timed_out");
  assert.equal(end.category, "timeout");
  assert.deepEqual(run.toolbox.called, ["slow 1"]);
  const results = last(run).messages.flatMap((one) => one.role === "tool" ? [one.text] : []);
  assert.match(results[0]!, /Ended before it was done/);
  assert.match(results[1]!, /^Not run/);
});

Deno.test("runAgent gives the turn of grace 60 s", async () => {
  const run = rig([
    reading(1),
    (request, signal) => {
      queueMicrotask(() => run.clock.advance(59_999));
      queueMicrotask(() => {
        assert.ok(!signal.aborted);
        run.clock.advance(1);
      });
      return (waiting as (...all: unknown[]) => Promise<never>)(request, signal);
    },
  ], { tools, limits: { maxTurns: 1, timeoutMs: 1_000_000 } });
  assert.equal((await runAgent(run.plan)).disposition, "turns_exhausted");
  assert.equal(run.clock.pending(), 0);
});

Deno.test("runAgent lets finish through when all tool calls are used", async () => {
  const reads = Array.from({ length: 200 }, (_, index) => call("read", index));
  const run = rig([calling(...reads), finishing()], { tools });
  const end = await runAgent(run.plan);
  assert.equal(end.disposition, "submitted");
  assert.equal(end.toolCalls, 200);
});
