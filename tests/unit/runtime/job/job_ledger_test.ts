import assert from "node:assert/strict";
import type { Cost } from "svc/core/cost.ts";
import { NOTHING_USED, type Tally } from "svc/features/agent/agent.ts";
import { claimNext, finish, rescueExpired, retry } from "svc/features/jobs/job_store.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { raiseText } from "svc/features/jobs/shared_limits.ts";
import { setAside, usesOf } from "svc/features/jobs/use_store.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { JobLedger, sharedBudgets } from "svc/runtime/job/job_ledger.ts";
import { nobody, NOW, running } from "tests/unit/features/jobs/sample_job.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

/** A dollar for each token out. */
const priced = {
  route: { model: "large-1" },
  cost: ({ tokensOut }: { readonly tokensOut: number }): Cost =>
    tokensOut > 1_000
      ? { cost_basis: "unknown", cost_usd: null }
      : { cost_basis: "price", cost_usd: tokensOut },
  pricing: ({ tokensOut }: { readonly tokensOut: number }) => tokensOut,
};

const used = (more: Partial<Tally>): Tally => ({ ...NOTHING_USED, ...more });
type Ports = ConstructorParameters<typeof JobLedger>[0];
const at = (now: () => number, db: Ports["db"]): Ports => ({
  clock: { now } as Ports["clock"],
  db,
});
const place = (db: Ports["db"]) => at(() => NOW, db);

Deno.test("an attempt that dies leaves what it used to its job, which counts all its attempts", async () => {
  await using store = await tempStore();
  const { db } = store;
  const first = await running(db);
  const ledger = new JobLedger(place(db), first, priced);
  await ledger.count(used({ turns: 1, tokensIn: 100, freshIn: 100, tokensOut: 5 }));
  await ledger.count(used({ turns: 2, tokensIn: 220, freshIn: 120, tokensOut: 8, toolCalls: 1 }));
  assert.equal((await usesOf(db, first.id))?.tokens_in, 220);
  await rescueExpired(db, { now: NOW, isAlive: () => "dead", ...nobody });
  const waiting = (await jobById(db, first.id))!;
  assert.deepEqual([waiting.status, waiting.tokens_in, waiting.cost_usd], ["pending", 220, 8]);

  const second = (await claimNext(db, { owner: "w", now: NOW }))!;
  await new JobLedger(place(db), second, priced)
    .count(used({ turns: 1, tokensIn: 90, tokensOut: 2 }));
  await retry(db, second, { category: "internal", reason: "fell", runAfter: NOW }, NOW);
  const third = (await claimNext(db, { owner: "w", now: NOW }))!;
  const last = used({ turns: 1, tokensIn: 50, tokensOut: 1, toolCalls: 1 });
  await new JobLedger(place(db), third, priced).count(last);
  await finish(db, third, { disposition: "submitted", tokens_in: 50, tokens_out: 1 }, NOW);
  const job = (await jobById(db, first.id))!;
  const { turns, tool_calls, tokens_in, tokens_out, cost_basis, cost_usd } = job;
  assert.deepEqual(
    { turns, tool_calls, tokens_in, tokens_out, cost_basis, cost_usd },
    { turns: 4, tool_calls: 2, tokens_in: 360, tokens_out: 11, cost_basis: "price", cost_usd: 11 },
  );
});

Deno.test("a job that goes on with another's conversation counts what it used itself", async () => {
  await using store = await tempStore();
  const before = used({ turns: 3, tokensIn: 900, freshIn: 400, tokensOut: 40, toolCalls: 3 });
  const job = await running(store.db);
  const ledger = new JobLedger(place(store.db), job, priced, [], before);
  await ledger.count({ ...before, turns: 4, tokensIn: 1_300, freshIn: 500, tokensOut: 47 });
  const { turns, tokens_in, tokens_out, tool_calls } = (await usesOf(store.db, job.id))!;
  assert.deepEqual([turns, tokens_in, tokens_out, tool_calls], [1, 400, 7, 0]);
});

Deno.test("what is used after midnight in UTC is the next day's; one price that is missing leaves none", async () => {
  await using store = await tempStore();
  const { db } = store;
  const job = await running(db);
  let now = Date.parse("2026-05-04T23:59:59Z");
  const ledger = new JobLedger(at(() => now, db), job, priced);
  await ledger.count(used({ turns: 1, tokensOut: 3 }));
  now += 2_000;
  await ledger.count(used({ turns: 2, tokensOut: 1_500 }));
  const rows = await db.selectFrom("job_uses").selectAll().orderBy("day").execute();
  assert.deepEqual(
    rows.map(({ day, tokens_out, cost_basis, spent_usd }) => [
      ...[day, tokens_out, cost_basis, spent_usd],
    ]),
    [["2026-05-04", 3, "price", 3], ["2026-05-05", 1_497, "unknown", 1_497]],
  );
  await finish(db, job, { disposition: "stuck" }, now);
  const { cost_basis, cost_usd } = (await jobById(db, job.id))!;
  assert.deepEqual([cost_basis, cost_usd], ["unknown", null]);
});

Deno.test("nothing of a model that costs nothing counts for budgets", async () => {
  await using store = await tempStore();
  const job = await running(store.db);
  const cost = () => ({ cost_basis: "local", cost_usd: null }) as const;
  await new JobLedger(place(store.db), job, { route: { model: "own" }, cost, pricing: "free" })
    .count(used({ turns: 1, tokensIn: 9, freshIn: 9, tokensOut: 9 }));
  const row = await store.db.selectFrom("job_uses").selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([row.tokens_in, row.spent_tokens, row.spent_usd], [9, 0, 0]);
});

/** What a job of the model may spend, by the budgets of the config. */
async function budgetsFor(
  db: Ports["db"],
  job: Awaited<ReturnType<typeof running>>,
  budgets: Record<string, unknown>,
  pricing: Parameters<typeof sharedBudgets>[2]["pricing"],
) {
  const ports = { ...place(db), settings: () => Promise.resolve(Config.parse({ budgets })) };
  const plan = { job, manifest: { budgets: {} } } as Parameters<typeof sharedBudgets>[1];
  const model = { pricing, route: { model: "m" } } as Parameters<typeof sharedBudgets>[2];
  return await sharedBudgets(ports, plan, model);
}

Deno.test("a budget in money is not passed over where no price is known, unless tokens bound the same", async () => {
  await using store = await tempStore();
  const { db } = store;
  const job = await running(db);
  for (const budgets of [{ day: "$5" }, { day: "$5", role_tokens: "1m" }]) {
    await assert.rejects(budgetsFor(db, job, budgets, "unknown"), {
      code: "refused",
      message: 'Cannot keep budgets.day in ~/.svc/config.yaml: no price is known for model "m"',
      remedy: "Write its price under models.prices in ~/.svc/config.yaml, or give tokens beside: " +
        "budgets.day_tokens",
    });
  }
  const bounded = await budgetsFor(db, job, { day: "$5", day_tokens: "1m" }, "unknown");
  assert.deepEqual(bounded.map(({ unit, amount }) => [unit, amount]), [["tokens", 1_000_000]]);
  assert.deepEqual(await budgetsFor(db, job, { day: "$5" }, "free"), []);
});

Deno.test("a job waits while others have set aside all that is left of a budget", async () => {
  await using store = await tempStore();
  const { db } = store;
  const [job, other] = [await running(db), await running(db, { role: "qa" })];
  const budgets = { day: "$5" };
  const limits = await budgetsFor(db, job, budgets, priced.pricing);
  await setAside(db, other, { limits, want: { usd: 4, tokens: 0 }, now: NOW });
  assert.equal((await budgetsFor(db, job, budgets, priced.pricing)).length, 1);
  await setAside(db, other, { limits, want: { usd: 9, tokens: 0 }, now: NOW });
  await assert.rejects(budgetsFor(db, job, budgets, priced.pricing), {
    code: "conflict",
    message: /nothing is left of the day's budget of \$5\.00 .*, and \$5\.00 is set aside/,
    detail: { waits: true, budget: true, remedy: raiseText(limits[0]!) },
  });
});
