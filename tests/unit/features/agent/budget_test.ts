import assert from "node:assert/strict";
import { runAgent } from "svc/features/agent/loop.ts";
import type { UsedTokens } from "svc/features/agent/agent.ts";
import type { ModelRequest, Usage } from "svc/features/models/client/model.ts";
import { call, calling, finishing, rig, type Step } from "./scripted_run.ts";

/** Characters to a token, as the scale believes before a server counts. */
const CHARS = 4;
const promptTokens = ({ messages, tools }: ModelRequest) =>
  Math.ceil(JSON.stringify([messages, tools]).length / CHARS);

/** Reads a file of 8,000 characters in each turn, for ever. */
function reads(usage: (request: ModelRequest, turn: number) => Partial<Usage>): Step[] {
  return Array.from({ length: 60 }, (_, turn) => (request: ModelRequest) => ({
    ...calling(call("read", { turn })),
    usage: {
      tokensIn: promptTokens(request),
      tokensOut: 20,
      estimated: false,
      ...usage(request, turn),
    },
  }));
}
const tools = { read: (args: string) => ({ text: args.padEnd(8_000, `line ${args}\n`) }) };

Deno.test("a budget of tokens counts a prompt that is sent again only once, where the server tells of no cache", async () => {
  const run = rig(reads(() => ({})), { tools, limits: { budgetTokens: 60_000 } });
  const end = await runAgent(run.plan);
  assert.equal(end.disposition, "budget_exhausted");
  // Resent text alone would have used it up in the seventh turn.
  assert.ok(end.turns > 20 && end.turns < 30, `${end.turns} turns`);
  assert.ok(end.tokensIn > 500_000);
  assert.ok(end.freshIn + end.tokensOut <= 60_000);
});

Deno.test("a budget of tokens goes by the server's word on its cache", async () => {
  const cachesNothing = rig(reads(() => ({ cachedIn: 0 })), {
    tools,
    limits: { budgetTokens: 60_000 },
  });
  const end = await runAgent(cachesNothing.plan);
  assert.equal(end.disposition, "budget_exhausted");
  assert.ok(end.turns < 9, `${end.turns} turns`);
  assert.equal(end.freshIn, end.tokensIn);
  assert.ok(cachesNothing.trace.kinds().includes("note"), "a turn of grace was kept in reserve");
  assert.ok(end.freshIn + end.tokensOut <= 60_000, "never exceeded");

  let before = 0;
  const caches = rig(
    reads((request) => {
      const cachedIn = before;
      before = promptTokens(request);
      return { cachedIn };
    }),
    { tools, limits: { budgetTokens: 60_000 } },
  );
  const later = await runAgent(caches.plan);
  assert.ok(later.turns > 20 && later.turns < 30, `${later.turns} turns`);
  assert.equal(later.freshIn, later.tokensIn - later.cachedIn);
  assert.ok(later.freshIn + later.tokensOut <= 60_000, "never exceeded");
});

Deno.test("without a budget of tokens, turns and minutes bound a run", async () => {
  const run = rig(reads(() => ({})), { tools, limits: { budgetTokens: undefined, maxTurns: 40 } });
  assert.equal((await runAgent(run.plan)).disposition, "turns_exhausted");
});

/** Dollars per million tokens, as those of a small model in a cloud. */
const priceOf = ({ tokensIn, cachedIn = 0, tokensOut }: UsedTokens) =>
  ((tokensIn - cachedIn) * 2 + cachedIn * 0.5 + tokensOut * 8) / 1e6;

Deno.test("a run stops before it would cross its budget in money", async () => {
  for (const cached of [0, 0.5, undefined]) {
    const run = rig(
      reads((request) =>
        cached === undefined ? {} : { cachedIn: Math.floor(cached * promptTokens(request)) }
      ),
      { tools, plan: { priceOf }, limits: { budgetTokens: undefined, budgetUsd: 0.2 } },
    );
    const end = await runAgent(run.plan);
    assert.equal(end.disposition, "budget_exhausted");
    assert.match(end.evidence, /budget of \$0\.20 .*: \$0\.\d\d is spent/);
    assert.ok(priceOf(end) <= 0.2, `${priceOf(end)} spent`);
    assert.ok(run.trace.kinds().includes("note"), "a turn of grace was kept in reserve");
    assert.ok(priceOf(end) > 0.1, `${priceOf(end)} spent`);
  }
});

Deno.test("what a server asks for what it caches, and prompts alone, count for a budget in money", async () => {
  const writing = ({ cacheWriteIn = 0, ...rest }: UsedTokens) =>
    priceOf({ ...rest, tokensIn: rest.tokensIn + 4 * cacheWriteIn });
  const promptsAlone = (use: UsedTokens) => priceOf({ ...use, tokensOut: 0 });
  for (const price of [writing, promptsAlone]) {
    const run = rig(
      reads((request) => ({ cachedIn: 0, cacheWriteIn: promptTokens(request) })),
      { tools, plan: { priceOf: price }, limits: { budgetTokens: undefined, budgetUsd: 0.2 } },
    );
    const end = await runAgent(run.plan);
    assert.equal(end.disposition, "budget_exhausted");
    assert.ok(price(end) > 0.1 && price(end) <= 0.2, `${price(end)} spent`);
  }
});

Deno.test("a reply is no longer than the money for it", async () => {
  const run = rig([finishing()], {
    plan: { priceOf },
    limits: { budgetTokens: undefined, budgetUsd: 0.01 },
  });
  await runAgent(run.plan);
  const { maxTokens = 0 } = run.model.requests[0]!;
  assert.ok(maxTokens > 1_000 && maxTokens <= 0.01 / 8e-6, `${maxTokens} tokens`);
});

Deno.test("a prompt without a known price ends a run that has a budget in money", async () => {
  const upTo = ({ tokensIn, ...rest }: UsedTokens) =>
    tokensIn > 4_000 ? undefined : priceOf({ tokensIn, ...rest });
  const run = rig(reads(() => ({})), {
    tools,
    plan: { priceOf: upTo },
    limits: { budgetTokens: undefined, budgetUsd: 5 },
  });
  const end = await runAgent(run.plan);
  assert.equal(end.disposition, "budget_exhausted");
  assert.match(end.evidence, /no price is known for a prompt of \d+ tokens/);
});

Deno.test("a prompt with other tools is new from its start", async () => {
  const end = async (change: boolean) => {
    const ends: Step = (request) => ({
      ...finishing(),
      usage: { tokensIn: promptTokens(request), tokensOut: 5, estimated: false },
    });
    const run = rig([...reads(() => ({})).slice(0, 2), ends], {
      tools: { ...tools, write: () => ({}) },
    });
    const all = await run.toolbox.offered();
    const offered = () =>
      Promise.resolve(change && run.toolbox.called.length === 2 ? all.slice(0, 2) : all);
    return await runAgent({ ...run.plan, toolbox: { ...run.toolbox, offered } });
  };
  const [same, changed] = [await end(false), await end(true)];
  assert.equal(changed.disposition, "submitted");
  assert.ok(changed.freshIn > same.freshIn + 2_000, `${changed.freshIn}, ${same.freshIn}`);
});

Deno.test("a budget that jobs share ends the run before it would cross, with the way out", async () => {
  const run = rig(reads(() => ({})), { tools });
  let spent = 0;
  const asked: number[] = [];
  const end = await runAgent({
    ...run.plan,
    ledger: {
      count: ({ freshIn, tokensOut }) => {
        spent = freshIn + tokensOut;
        return Promise.resolve();
      },
      setAside: ({ tokens }) => {
        asked.push(tokens);
        const amount = Math.min(tokens, 40_000 - spent);
        return Promise.resolve({ tokens: { amount, says: "all is spent", raise: "Raise it" } });
      },
    },
  });
  assert.deepEqual([end.disposition, end.evidence, end.raise], [
    ...["budget_exhausted", "all is spent", "Raise it"],
  ]);
  const used = end.freshIn + end.tokensOut;
  assert.ok(used > 35_000 && used <= 40_000, `${used} tokens`);
  // A whole reply and a turn of grace are set aside, not the prompt alone.
  assert.ok(asked.every((tokens) => tokens > 32_000));
});
