import assert from "node:assert/strict";
import fc from "fast-check";
import { DISPOSITIONS } from "svc/core/disposition.ts";
import { totalChars } from "svc/features/agent/conversation.ts";
import { runAgent } from "svc/features/agent/loop.ts";
import { MODEL_FAULTS } from "svc/features/models/client/model.ts";
import type { FakeTool, Step } from "./scripted_run.ts";
import { call, fault, rig } from "./scripted_run.ts";

const calls = fc.array(
  fc.record({
    name: fc.constantFrom("read", "read", "read", "write", "nothing"),
    args: fc.oneof(
      fc.record({ size: fc.nat(6_000), n: fc.nat(5) }).map((args) => JSON.stringify(args)),
      fc.constantFrom("", "{", "null", "[]"),
    ),
    id: fc.constantFrom("a", "b", "", "c"),
  }),
  { maxLength: 6 },
);
const replies = fc.record({
  text: fc.oneof(fc.constant(""), fc.nat(3_000).map((size) => "t".repeat(size))),
  calls,
  end: fc.constantFrom("stop", "calls", "length"),
  truncatedPrompt: fc.integer({ min: 0, max: 20 }).map((one) => one === 0),
  usage: fc.record({
    tokensIn: fc.nat(3_000),
    tokensOut: fc.nat(500),
    estimated: fc.constant(true),
  }),
});
const ends = fc.record({
  disposition: fc.constantFrom("submitted", "approved", "shipped", ""),
  evidence: fc.string(),
});
const steps = fc.oneof(
  { weight: 30, arbitrary: replies },
  { weight: 1, arbitrary: fc.constantFrom(...MODEL_FAULTS) },
  { weight: 1, arbitrary: ends },
);

const output = (args: string): string => {
  try {
    return "o".repeat((JSON.parse(args) as { size?: number } | null)?.size ?? 10);
  } catch {
    return "no JSON";
  }
};
const tools: Readonly<Record<string, FakeTool>> = {
  read: (args) => ({ text: output(args) }),
  write: (args) =>
    args === "{" ? { status: "invalid", text: "bad" } : { status: "denied", text: "no" },
  finish: (args) => {
    const { disposition } = JSON.parse(args) as { disposition: string };
    return ["submitted", "approved"].includes(disposition)
      ? { facts: JSON.parse(args) }
      : { status: "invalid", text: "disposition must be one of …" };
  },
};

Deno.test("runAgent comes to an orderly end whatever the model says", async () => {
  const plans = fc.record({
    script: fc.array(steps, { minLength: 1, maxLength: 40 }),
    window: fc.integer({ min: 300, max: 20_000 }),
    limits: fc.record({
      maxTurns: fc.integer({ min: 1, max: 30 }),
      budgetTokens: fc.integer({ min: 100, max: 60_000 }),
    }),
  });
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(plans, async ({ script, window, limits }) => {
      const asSteps = script.map((one): Step => {
        if (typeof one === "string") return fault(one);
        return "disposition" in one ? { calls: [call("finish", one)], end: "calls" } : one;
      });
      // What comes after the script: the role gives up.
      const last: Step = { calls: [call("finish", { disposition: "approved", evidence: "" })] };
      const run = rig([...asSteps, ...Array.from({ length: 40 }, () => last)], {
        tools,
        limits,
        window,
      });
      const end = await runAgent(run.plan);
      seen.add(end.disposition);
      assert.ok(DISPOSITIONS.includes(end.disposition));
      // The scripted model refuses a malformed conversation, which would end so.
      assert.notEqual(end.disposition, "internal_error", String(run.trace.records.at(-1)!.cause));
      assert.equal(run.trace.kinds().at(-1), "ended");
      assert.equal(run.clock.pending(), 0);
      assert.ok(end.turns <= limits.maxTurns + 2);
      assert.ok(end.toolCalls <= 200);
      for (const { messages, tools } of run.model.requests) {
        const tokens = (totalChars(messages) + JSON.stringify(tools).length) / 4;
        assert.ok(tokens <= window + 100, `${tokens} of ${window}`);
      }
    }),
    { numRuns: 1_500 },
  );
  for (
    const one of [
      "submitted",
      "stuck",
      "model_error",
      "turns_exhausted",
      "budget_exhausted",
      "policy_denied",
    ]
  ) {
    assert.ok(seen.has(one), `${one} was never reached`);
  }
});
