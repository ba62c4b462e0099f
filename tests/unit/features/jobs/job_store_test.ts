import assert from "node:assert/strict";
import {
  budgetJobs,
  cancel,
  claimedBy,
  claimNext,
  enqueue,
  finish,
  heartbeat,
  isDue,
  release,
  rescueExpired,
  retry,
  snooze,
  wakeBudgetJobs,
} from "svc/features/jobs/job_store.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { pauseLane, resumeLane, roleLane } from "svc/features/jobs/lane_store.ts";
import { leaseWatch } from "svc/features/jobs/lease_watch.ts";
import { claimState, pauseQueue, resumeQueue } from "svc/features/jobs/queue_store.ts";
import { verifies } from "tests/kit/verifies.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";
import { asked, nobody, NOW, REPO, running } from "./sample_job.ts";

const claim = { owner: "w", now: NOW };
const HOUR = 3_600_000;

Deno.test("100 enqueues at once with one key make one job", async () => {
  await using store = await tempStore();
  const all = await Promise.all(
    Array.from({ length: 100 }, () => enqueue(store.db, asked({ unique_key: "cron 7" }), NOW)),
  );
  assert.equal(all.filter(({ existed }) => !existed).length, 1);
  assert.equal(new Set(all.map(({ job }) => job.id)).size, 1);
});

Deno.test("enqueue takes a key again once its job is final, and not while it runs", async () => {
  await using store = await tempStore();
  const job = await running(store.db, { unique_key: "k" });
  assert.deepEqual(await enqueue(store.db, asked({ unique_key: "k" }), NOW), {
    job,
    existed: true,
  });
  await finish(store.db, job, { disposition: "no_work" }, NOW);
  assert.equal((await enqueue(store.db, asked({ unique_key: "k" }), NOW)).existed, false);
});

Deno.test("claimNext takes by priority, then due time, and nothing before it is due", async () => {
  await using store = await tempStore();
  const add = (role: string, priority: number, run_after: number) =>
    enqueue(store.db, asked({ role, priority, run_after }), NOW);
  await add("later", 1, NOW - 9);
  await add("second", 0, NOW - 1);
  await add("first", 0, NOW - 2);
  await add("future", 0, NOW + 1);
  const order = [];
  for (let job; (job = await claimNext(store.db, claim));) order.push(job.role);
  assert.deepEqual(order, ["first", "second", "later"]);
  assert.equal((await claimNext(store.db, { ...claim, now: NOW + 1 }))?.role, "future");
});

Deno.test("a clock that is set back strands no job that was to run at once", async () => {
  await using store = await tempStore();
  const tomorrow = NOW + 86_400_000;
  await enqueue(store.db, asked({ role: "now", run_after: tomorrow }), tomorrow);
  await enqueue(store.db, asked({ role: "later", run_after: tomorrow + 1 }), tomorrow);
  const back = { ...claim, now: NOW };
  assert.equal((await claimNext(store.db, back))?.role, "now");
  assert.equal(await claimNext(store.db, back), undefined);
});

Deno.test("a wait that was stored by a clock far ahead is over, and one of a day is not", async () => {
  await using store = await tempStore();
  const waits = async (then: number) => {
    const job = await running(store.db, {});
    const runAfter = then + 24 * HOUR;
    const again = { category: "rate_limited", reason: "busy", runAfter } as const;
    assert.equal(await retry(store.db, job, again, then), "pending");
    return (await jobById(store.db, job.id))!;
  };
  const job = await waits(NOW);
  assert.equal(isDue(job, NOW), false);
  assert.equal(await claimNext(store.db, claim), undefined);
  // The clock was an hour ahead as it was queued.
  const { job: atOnce } = await enqueue(store.db, asked(), NOW + HOUR);
  assert.ok(isDue(atOnce, NOW));
  assert.equal((await claimNext(store.db, claim))?.id, atOnce.id);
  await store.db.deleteFrom("jobs").execute();
  const ahead = await waits(NOW + 400 * 24 * HOUR);
  assert.ok(isDue(ahead, NOW));
  assert.equal((await claimNext(store.db, claim))?.id, ahead.id);
});

Deno.test("one job at a time of a ticket, and of a role unless it is parallel", async () => {
  await using store = await tempStore();
  const roles = async (...jobs: Parameters<typeof asked>[0][]) => {
    await store.db.deleteFrom("jobs").execute();
    for (const job of jobs) await enqueue(store.db, asked(job), NOW);
    const order = [];
    for (let job; (job = await claimNext(store.db, claim));) order.push(job.role);
    return order.sort();
  };
  const other = "ba9876543210";
  assert.deepEqual(await roles({ role: "a" }, { role: "a" }), ["a"]);
  assert.deepEqual(await roles({ role: "a" }, { role: "a", repo_id: other }), ["a", "a"]);
  assert.deepEqual(
    await roles({ role: "a", parallel: true }, { role: "a", parallel: true }),
    ["a", "a"],
  );
  // The manifest changed between both.
  assert.deepEqual(await roles({ role: "a" }, { role: "a", parallel: true }), ["a", "a"]);
  assert.deepEqual(await roles({ role: "a", parallel: true }, { role: "a" }), ["a", "a"]);
  const ticket_id = "T-0001";
  assert.equal((await roles({ role: "a", ticket_id }, { role: "b", ticket_id })).length, 1);
  assert.equal(
    (await roles({ role: "a", ticket_id }, { role: "b", ticket_id, repo_id: other })).length,
    2,
  );
});

Deno.test("claimNext looks only at the repos it is given", async () => {
  await using store = await tempStore();
  await enqueue(store.db, asked({}), NOW);
  assert.equal(await claimNext(store.db, { ...claim, repoIds: ["ba9876543210"] }), undefined);
  assert.ok(await claimNext(store.db, { ...claim, repoIds: ["ba9876543210", REPO] }));
});

verifies(
  ["3.2:pause:no-new-claims"],
  "a paused queue gives no job, and running jobs go on",
  async () => {
    await using store = await tempStore();
    const job = await running(store.db);
    await enqueue(store.db, asked({ role: "qa" }), NOW);
    await pauseQueue(store.db, "a person paused it", NOW);
    await pauseQueue(store.db, "again", NOW + 1);
    assert.deepEqual(await claimState(store.db), {
      paused: true,
      reason: "a person paused it",
      since: NOW,
    });
    assert.equal(await claimNext(store.db, claim), undefined);
    assert.equal(await heartbeat(store.db, job, NOW + 5), "held");
    assert.equal(await finish(store.db, job, { disposition: "submitted" }, NOW + 6), true);
    await resumeQueue(store.db);
    assert.deepEqual(await claimState(store.db), { paused: false });
    assert.equal((await claimNext(store.db, claim))?.role, "qa");
  },
);

Deno.test("a paused lane holds back its own jobs until it is resumed or its time is over", async () => {
  await using store = await tempStore();
  const { db } = store;
  await enqueue(db, asked({ lane: "acme large" }), NOW);
  const reason = "the key was refused";
  const model = { kind: "model", key: "acme large", reason, category: "internal" } as const;
  assert.equal(await pauseLane(db, model, NOW), true);
  assert.equal(await pauseLane(db, model, NOW), false);
  assert.equal(await claimNext(db, claim), undefined);
  assert.equal(await resumeLane(db, "model", "acme large"), true);
  assert.equal(await resumeLane(db, "model", "acme large"), false);
  const role = { kind: "role", key: roleLane(REPO, "engineer"), reason, until: NOW + 10 } as const;
  await pauseLane(db, role, NOW);
  await enqueue(db, asked({ role: "qa" }), NOW);
  assert.equal((await claimNext(db, claim))?.role, "qa");
  assert.equal(await claimNext(db, claim), undefined);
  assert.equal((await claimNext(db, { ...claim, now: NOW + 10 }))?.role, "engineer");
});

Deno.test("a worker that lost its lease can neither finish nor go on", async () => {
  await using store = await tempStore();
  const { db } = store;
  const lost = await running(db);
  await rescueExpired(db, { now: NOW, isAlive: () => "dead", ...nobody });
  const held = (await claimNext(db, { owner: "other", now: NOW }))!;
  const before = await jobById(db, lost.id);
  assert.equal(await finish(db, lost, { disposition: "submitted", turns: 9 }, NOW), false);
  assert.equal(await heartbeat(db, lost, NOW + 1), "lost");
  assert.equal(await release(db, lost, NOW), undefined);
  const again = { category: "internal", reason: "x", runAfter: NOW } as const;
  assert.equal(await retry(db, lost, again, NOW), undefined);
  assert.deepEqual(await jobById(db, lost.id), before);
  assert.equal(await finish(db, held, { disposition: "submitted" }, NOW), true);
});

Deno.test("finish in a transaction that finds the lease lost leaves nothing", async () => {
  await using store = await tempStore();
  const { db } = store;
  const lost = await running(db);
  await rescueExpired(db, { now: NOW, isAlive: () => "dead", ...nobody });
  const settle = db.transaction().execute(async (transaction) => {
    await enqueue(transaction, asked({ role: "qa" }), NOW);
    if (!await finish(transaction, lost, { disposition: "submitted" }, NOW)) {
      throw new Error("lease lost");
    }
  });
  await assert.rejects(settle, /lease lost/);
  assert.equal((await db.selectFrom("jobs").selectAll().execute()).length, 1);
});

Deno.test("a job fails when its attempts are used up", async () => {
  await using store = await tempStore();
  const { db } = store;
  await enqueue(db, asked({ max_attempts: 2 }), NOW);
  const again = { category: "model_protocol", reason: "no sense", runAfter: NOW } as const;
  assert.equal(await retry(db, (await claimNext(db, claim))!, again, NOW), "pending");
  const last = (await claimNext(db, claim))!;
  assert.equal(await retry(db, last, again, NOW), "failed");
  const { status, disposition, category, reason } = (await jobById(db, last.id))!;
  assert.deepEqual(
    { status, disposition, category, reason },
    {
      status: "failed",
      disposition: "model_error",
      category: "model_protocol",
      reason: "no sense",
    },
  );
});

Deno.test("a job that three processes died of is a crash loop, however many attempts it has", async () => {
  await using store = await tempStore();
  const { db } = store;
  const { job } = await enqueue(db, asked({ max_attempts: 9 }), NOW);
  for (const status of ["pending", "pending", "failed"]) {
    await claimNext(db, claim);
    const [rescued] = await rescueExpired(db, { now: NOW, isAlive: () => "dead", ...nobody });
    assert.equal(rescued?.status, status);
  }
  const { reason, disposition, category, crashes } = (await jobById(db, job.id))!;
  assert.deepEqual({ reason, disposition, category, crashes }, {
    reason: "crash_loop",
    disposition: "internal_error",
    category: "lease_expired",
    crashes: 3,
  });
});

for (const life of ["alive", "unknown"] as const) {
  Deno.test(`a clock that jumps by an hour takes no job from an owner whose life is ${life}`, async () => {
    await using store = await tempStore();
    const { db } = store;
    const job = await running(db);
    let monotonic = 0;
    const watch = leaseWatch({ monotonic: () => monotonic });
    const rescue = (now: number) => rescueExpired(db, { now, isAlive: () => life, watch });
    assert.deepEqual(await rescue(NOW), []);
    for (const jump of [HOUR, -HOUR, 0]) {
      monotonic += 15_000;
      assert.deepEqual(await rescue(NOW + jump), []);
      assert.equal(await heartbeat(db, job, NOW + jump + 1), "held");
    }
    // Its heart stopped while the clock was an hour ahead: the lease says "in an hour" ever since.
    await heartbeat(db, job, NOW + HOUR);
    await rescue(NOW);
    monotonic += 59_999;
    assert.deepEqual(await rescue(NOW), []);
    monotonic += 1;
    const [{ status, crashed } = {}] = await rescue(NOW);
    assert.deepEqual({ status, crashed }, { status: "pending", crashed: false });
  });
}

Deno.test("nobody gets the job of a worker that died before what it left is ended", async () => {
  await using store = await tempStore();
  const { db } = store;
  await running(db);
  const claims: (string | undefined)[] = [];
  const claimed = async () => claims.push((await claimNext(db, { ...claim, owner: "next" }))?.id);
  const [rescued] = await rescueExpired(db, {
    ...{ now: NOW, isAlive: () => "dead", ...nobody },
    async before() {
      await claimed();
      await claimed();
    },
  });
  assert.equal(rescued?.status, "pending");
  assert.deepEqual(claims, [undefined, undefined]);
  await claimed();
  assert.equal(claims.at(-1), rescued.job.id);
});

Deno.test("a worker that gives a sign of life while its job is being taken back keeps it", async () => {
  await using store = await tempStore();
  const { db } = store;
  const job = await running(db);
  const watch = { ...nobody.watch, silent: () => true };
  const rescued = await rescueExpired(db, {
    ...{ now: NOW, watch, isAlive: () => "unknown" },
    before: () => heartbeat(db, job, NOW + 1),
  });
  assert.deepEqual(rescued, []);
  assert.equal(await heartbeat(db, job, NOW + 2), "held");
});

Deno.test("cancel ends a waiting job, asks a running one to stop, and leaves a final one", async () => {
  await using store = await tempStore();
  const { db } = store;
  const job = await running(db);
  const { job: waiting } = await enqueue(db, asked(), NOW);
  assert.equal(await cancel(db, waiting.id, "not wanted", NOW), "cancelled");
  assert.equal(await cancel(db, waiting.id, "twice", NOW), "final");
  assert.equal(await cancel(db, "none", "x", NOW), undefined);
  assert.equal(await cancel(db, job.id, "not wanted", NOW), "requested");
  assert.equal(await heartbeat(db, job, NOW + 1), "cancel");
  // Whoever ran it stopped before it could tell: it does not come back.
  assert.equal(await release(db, job, NOW + 2), "failed");
  const { disposition, reason, attempt } = (await jobById(db, job.id))!;
  assert.deepEqual({ disposition, reason, attempt }, {
    disposition: "cancelled",
    reason: "not wanted",
    attempt: 0,
  });
});

Deno.test("a claim notes the node that runs the job, and the next one another", async () => {
  await using store = await tempStore();
  await enqueue(store.db, asked({}), NOW);
  const job = await claimNext(store.db, { ...claim, node: "north" });
  assert.equal(job?.node_id, "north");
  await release(store.db, job, NOW);
  assert.equal((await claimNext(store.db, { ...claim, node: "south" }))?.node_id, "south");
});

Deno.test("claimedBy finds what a worker holds without knowing it, and nothing that another holds", async () => {
  await using store = await tempStore();
  const { db } = store;
  await running(db, { role: "qa" });
  assert.equal(await claimedBy(db, "lost"), undefined);
  const { job } = await enqueue(db, asked(), NOW);
  await claimNext(db, { owner: "lost", now: NOW });
  const held = await claimedBy(db, "lost");
  assert.equal(held?.id, job.id);
  await finish(db, held!, { disposition: "no_work" }, NOW);
  assert.equal(await claimedBy(db, "lost"), undefined);
});

Deno.test("wakeBudgetJobs wakes what waits for a budget of these repos, and nothing else that waits", async () => {
  await using store = await tempStore();
  const { db } = store;
  const other = "ba9876543210";
  const until = NOW + HOUR;
  const waits = async (role: string, repo_id: string, category: "budget" | "rate_limited") => {
    const job = await running(db, { role, repo_id });
    await snooze(db, job, { until, reason: role, category }, NOW);
    return job.id;
  };
  const poor = await waits("engineer", REPO, "budget");
  await waits("qa", REPO, "rate_limited");
  await waits("ceo", other, "budget");
  assert.deepEqual((await budgetJobs(db, [REPO], 9)).map(({ id }) => id), [poor]);
  await wakeBudgetJobs(db, [REPO], NOW + 1);
  assert.equal((await claimNext(db, { owner: "w", now: NOW + 1 }))?.id, poor);
  assert.equal(await claimNext(db, { owner: "w", now: NOW + 1 }), undefined);
  assert.deepEqual(await budgetJobs(db, [REPO], 9), []);
});
