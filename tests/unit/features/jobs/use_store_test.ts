import assert from "node:assert/strict";
import { claimNext, finish, rescueExpired } from "svc/features/jobs/job_store.ts";
import type { SharedLimit } from "svc/features/jobs/shared_limits.ts";
import { addUse, NO_USE, setAside, standOf, usesOf } from "svc/features/jobs/use_store.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";
import { nobody, NOW, running } from "./sample_job.ts";

const day = (amount: number, more: Partial<SharedLimit> = {}): SharedLimit => ({
  ...{ scope: "day", unit: "usd", amount, everyRepo: false, setBy: "budgets.day in a test" },
  ...more,
});
const DAY_MS = 86_400_000;

Deno.test("two jobs that run at once share what is left; each asks again for its next request", async () => {
  await using store = await tempStore();
  const { db } = store;
  const one = await running(db, { role: "engineer" });
  const two = await running(db, { role: "qa" });
  const ask = (job: typeof one, usd: number) =>
    setAside(db, job, { limits: [day(5)], want: { usd, tokens: 0 }, now: NOW });
  const [first, second] = await Promise.all([ask(one, 3), ask(two, 3)]);
  assert.equal(first.usd!.amount + second.usd!.amount, 5);
  assert.deepEqual([first.usd!.held, second.usd!.held].sort(), [0, 3]);

  // What the first one spent is less than it had set aside.
  await addUse(db, one, { ...NO_USE, spent_usd: 1 }, NOW);
  assert.equal((await ask(one, 0)).usd!.amount, 0);
  assert.equal((await ask(two, 9)).usd!.amount, 4);
  assert.equal((await ask(one, 9)).usd!.amount, 0);
});

Deno.test("what a job has set aside is free again when it ends, and when its process is killed", async () => {
  await using store = await tempStore();
  const { db } = store;
  const [ended, killed, last] = [
    await running(db, { role: "a" }),
    await running(db, { role: "b" }),
    await running(db, { role: "c" }),
  ];
  const limits = [day(100, { unit: "tokens" })];
  const held = async () => (await standOf(db, { job: last, limit: limits[0]!, now: NOW })).held;
  for (const job of [ended, killed]) {
    await setAside(db, job, { limits, want: { usd: 0, tokens: 40 }, now: NOW });
  }
  assert.equal(await held(), 80);
  await finish(db, ended, { disposition: "submitted" }, NOW);
  assert.equal(await held(), 40);
  await rescueExpired(db, {
    now: NOW,
    isAlive: (owner) => owner === killed.lease_owner ? "dead" : "alive",
    ...nobody,
  });
  assert.equal(await held(), 0);
});

Deno.test("what a job used is told of all its attempts or of one, and of no other job", async () => {
  await using store = await tempStore();
  const { db } = store;
  const [job, other] = [await running(db, {}), await running(db, { role: "qa" })];
  assert.equal(await usesOf(db, job.id), undefined);
  const attempts = [job, { ...job, generation: job.generation + 1 }, other];
  for (const [at, attempt] of attempts.entries()) {
    await addUse(db, attempt, { ...NO_USE, turns: 1, tokens_in: 10 ** at }, NOW);
  }
  const tokens = async (...of: [string, number?]) => (await usesOf(db, ...of))?.tokens_in;
  assert.deepEqual([await tokens(job.id), await tokens(other.id)], [11, 100]);
  assert.deepEqual([await tokens(job.id, job.generation), await tokens(job.id, 99)], [
    ...[1, undefined],
  ]);
});

Deno.test("a day ends at midnight in UTC, a ticket's budget never; other roles and repos have their own", async () => {
  await using store = await tempStore();
  const { db } = store;
  const job = await running(db, { ticket_id: "T-0001" });
  const other = await running(db, { repo_id: "ba9876543210", role: "qa" });
  await addUse(db, job, { ...NO_USE, spent_usd: 2 }, NOW);
  await addUse(db, other, { ...NO_USE, spent_usd: 1 }, NOW);
  const spent = async (limit: SharedLimit, now = NOW) =>
    (await standOf(db, { job, limit, now })).spent;
  assert.equal(await spent(day(9)), 2);
  assert.equal(await spent(day(9, { everyRepo: true })), 3);
  assert.equal(await spent(day(9, { scope: "role" })), 2);
  assert.equal(await spent(day(9, { scope: "ticket" })), 2);
  const qa = { ...job, role: "qa" };
  const role = { job: qa, limit: day(9, { scope: "role" }), now: NOW };
  assert.equal((await standOf(db, role)).spent, 0);
  assert.equal(await spent(day(9), NOW + DAY_MS), 0);
  assert.equal(await spent(day(9, { scope: "role" }), NOW + DAY_MS), 0);
  assert.equal(await spent(day(9, { scope: "ticket" }), NOW + DAY_MS), 2);
});

Deno.test("the tightest of several budgets says what is set aside, in whatever order they come", async () => {
  await using store = await tempStore();
  const { db } = store;
  const job = await running(db);
  const limits = [day(5), day(2, { scope: "role" }), day(9, { everyRepo: true })];
  for (const some of [limits, limits.toReversed()]) {
    const { usd } = await setAside(db, job, {
      limits: some,
      want: { usd: 3, tokens: 0 },
      now: NOW,
    });
    assert.deepEqual([usd?.amount, usd?.limit.scope], [2, "role"]);
  }
});

Deno.test("an attempt holds nothing of what an earlier one, or its own request of yesterday, set aside", async () => {
  await using store = await tempStore();
  const { db } = store;
  const first = await running(db, { ticket_id: "T-0001" });
  const other = await running(db, { role: "qa" });
  const limit = day(9, { scope: "ticket" });
  const ask = (job: typeof first, usd: number, now = NOW) =>
    setAside(db, job, { limits: [limit], want: { usd, tokens: 0 }, now });
  const of = { ...other, ticket_id: "T-0001" };
  const held = async () => (await standOf(db, { job: of, limit, now: NOW })).held;
  await ask(first, 3);
  await ask(first, 2, NOW + DAY_MS);
  assert.equal(await held(), 2);
  const isAlive = (owner: string) => owner === first.lease_owner ? "dead" : "alive";
  await rescueExpired(db, { now: NOW, isAlive, ...nobody });
  const second = (await claimNext(db, { owner: "w2", now: NOW }))!;
  assert.deepEqual([second.id, await held()], [first.id, 0]);
  await ask(second, 4);
  assert.equal(await held(), 4);
});
