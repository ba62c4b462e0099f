import assert from "node:assert/strict";
import { recordDenial } from "svc/features/trust/denial_store.ts";
import { assignLane, claimNext, enqueue, finish, release } from "svc/features/jobs/job_store.ts";
import {
  countsByStatus,
  jobById,
  jobsOf,
  liveJobOf,
  provenCommit,
  recentJobIds,
  recentJobs,
  runningJobs,
} from "svc/features/jobs/job_views.ts";
import { pausedLanes, pauseFailingRole, pauseLane } from "svc/features/jobs/lane_store.ts";
import { insertRepo, updateRepo } from "svc/features/repos/repo_store.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";
import { asked, NOW, REPO, running } from "./sample_job.ts";

const OTHER = "ba9876543210";

Deno.test("countsByStatus counts all repos, or one", async () => {
  await using store = await tempStore();
  const { db } = store;
  await finish(db, await running(db), { disposition: "approved" }, NOW);
  await running(db);
  await enqueue(db, asked({ repo_id: OTHER }), NOW);
  assert.deepEqual(await countsByStatus(db), { pending: 1, running: 1, completed: 1, failed: 0 });
  assert.deepEqual(await countsByStatus(db, OTHER), {
    pending: 1,
    running: 0,
    completed: 0,
    failed: 0,
  });
  assert.equal((await runningJobs(db)).length, 1);
});

Deno.test("recentJobs pages from the newest on", async () => {
  await using store = await tempStore();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) {
    ids.unshift((await enqueue(store.db, asked({ role: n % 2 ? "qa" : "ceo" }), NOW + n)).job.id);
  }
  const page = async (
    ...args: Parameters<typeof recentJobs> extends [unknown, ...infer R] ? R : never
  ) => (await recentJobs(store.db, ...args)).map(({ id }) => id);
  assert.deepEqual(await page({}, 2), ids.slice(0, 2));
  assert.deepEqual(await page({ before: ids[1]! }, 2), ids.slice(2, 4));
  assert.deepEqual(await page({ role: "qa", status: "pending", repo_id: REPO }, 9), [
    ids[1],
    ids[3],
  ]);
  assert.deepEqual(await page({ status: "failed" }, 9), []);
});

Deno.test("a search looks through a bounded part of the jobs by each statement, and finds the same", async () => {
  await using store = await tempStore();
  const ids: string[] = [];
  for (let n = 0; n < 9; n++) {
    ids.unshift((await enqueue(store.db, asked({ role: n % 3 ? "qa" : "ceo" }), NOW + n)).job.id);
  }
  let statements = 0;
  const db = store.db.withPlugin({
    transformQuery({ node }) {
      statements++;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  const of = async (words: readonly string[], limit: number, more = {}) => {
    statements = 0;
    return [await recentJobIds(db, { words, ...more }, limit, 4), statements];
  };
  const ceo = [ids[2], ids[5], ids[8]];
  assert.deepEqual(await of(["CEO"], 9), [ceo, 6]);
  assert.deepEqual(await of(["ceo"], 3), [ceo, 6]);
  assert.deepEqual(await of(["ceo"], 1), [[ids[2]], 2]);
  assert.deepEqual(await of(["ceo"], 9, { before: ids[2], repo_id: REPO }), [[ids[5], ids[8]], 4]);
  assert.deepEqual(await of(["ceo"], 9, { role: "qa" }), [[], 4]);
  assert.deepEqual(await of(["nowhere"], 9), [[], 6]);
  // The last part is full.
  assert.deepEqual(await of(["qa"], 9, { before: ids[0] }), [
    [1, 3, 4, 6, 7].map((at) => ids[at]),
    6,
  ]);
});

Deno.test("liveJobOf gives the running job of a ticket before the waiting one", async () => {
  await using store = await tempStore();
  const { db } = store;
  const ticket_id = "T-0007";
  assert.equal(await liveJobOf(db, REPO, ticket_id), undefined);
  const job = await running(db, { ticket_id });
  const { job: waiting } = await enqueue(db, asked({ ticket_id }), NOW - 5);
  assert.equal((await liveJobOf(db, REPO, ticket_id))?.id, job.id);
  await finish(db, job, { disposition: "submitted" }, NOW);
  assert.equal((await liveJobOf(db, REPO, ticket_id))?.id, waiting.id);
  assert.deepEqual((await jobsOf(db, REPO, ticket_id)).map(({ id }) => id), [waiting.id, job.id]);
});

Deno.test("failures that a clock far ahead stored pause no role, and its successes excuse none", async () => {
  await using store = await tempStore();
  const { db } = store;
  const end = async (at: number, disposition: "stuck" | "submitted") => {
    await enqueue(db, asked(), at);
    const job = (await claimNext(db, { owner: "w", now: at }))!;
    await finish(db, job, { disposition }, at);
    return await pauseFailingRole(db, job, at);
  };
  const ahead = NOW + 400 * 86_400_000;
  assert.deepEqual([await end(ahead, "stuck"), await end(ahead + 1, "stuck")], [false, false]);
  assert.equal(await end(NOW, "stuck"), false);
  await end(ahead + 2, "submitted");
  assert.deepEqual([await end(NOW + 1, "stuck"), await end(NOW + 2, "stuck")], [false, true]);
});

Deno.test("three failures of a role within 15 min pause it on that repo", async () => {
  await using store = await tempStore();
  const { db } = store;
  const fail = async (at: number, disposition: "stuck" | "cancelled" = "stuck") => {
    await enqueue(db, asked(), at);
    const job = (await claimNext(db, { owner: "w", now: at }))!;
    await finish(db, job, { disposition }, at);
    return await pauseFailingRole(db, job, at);
  };
  const minutes = (n: number) => NOW + n * 60_000;
  assert.equal(await fail(minutes(0)), false);
  assert.equal(await fail(minutes(10)), false);
  assert.equal(await fail(minutes(12), "cancelled"), false);
  assert.equal(await fail(minutes(16)), false);
  assert.equal(await fail(minutes(20)), true);
  const [lane] = await pausedLanes(db, minutes(20));
  assert.deepEqual(lane, {
    kind: "role",
    key: `${REPO}/engineer`,
    reason: '3 jobs of role "engineer" failed within 15 min',
    category: null,
    paused_at: minutes(20),
    until: null,
  });
  await enqueue(db, asked(), minutes(20));
  assert.equal(await claimNext(db, { owner: "w", now: minutes(20) }), undefined);
});

Deno.test("what strangers ask for pauses no role, and what a person vouched for does", async () => {
  await using store = await tempStore();
  const { db } = store;
  const fail = async (at: number, more: Partial<Parameters<typeof asked>[0]>, denied = false) => {
    await enqueue(db, asked({ source_trust: "observer", ...more }), NOW + at);
    const job = (await claimNext(db, { owner: "w", now: NOW + at }))!;
    const of = { repoId: REPO, job: job.id, role: job.role, tool: "file_write", at: NOW + at };
    if (denied) await recordDenial(db, { ...of, by: "source_trust", reason: "from outside" });
    await finish(db, job, { disposition: "stuck" }, NOW + at);
    return await pauseFailingRole(db, job, NOW + at);
  };
  const ticket = { ticket_id: "T-0007" };
  for (const at of [1, 2, 3]) {
    assert.equal(await fail(at, { payload: { pull: { number: 7 } } }), false);
  }
  for (const at of [4, 5, 6]) assert.equal(await fail(at, ticket, true), false);
  assert.deepEqual([await fail(7, ticket), await fail(8, ticket), await fail(9, ticket)], [
    ...[false, false, true],
  ]);
});

Deno.test("jobs and paused roles follow a repo that moved", async () => {
  await using store = await tempStore();
  const { db } = store;
  const facts = { id: REPO, path: "/a", remote: null, host: null, branch: "main" };
  await insertRepo(db, facts, NOW);
  const { job } = await enqueue(db, asked(), NOW);
  const pause = { kind: "role", key: `${REPO}/qa`, reason: "tea" } as const;
  await pauseLane(db, pause, NOW);
  await updateRepo(db, REPO, { ...facts, id: OTHER, path: "/b" }, NOW);
  assert.equal((await jobById(db, job.id))?.repo_id, OTHER);
  assert.equal((await pausedLanes(db, NOW))[0]?.key, `${OTHER}/qa`);
});

Deno.test("provenCommit is the commit of a ticket's last submission", async () => {
  await using store = await tempStore();
  const { db } = store;
  const ticket_id = "T-0001";
  assert.equal(await provenCommit(db, REPO, ticket_id), undefined);
  for (const [n, disposition] of (["submitted", "submitted", "checks_failed"] as const).entries()) {
    const job = await running(db, { ticket_id });
    await finish(db, job, { disposition, head_commit: `c${n}` }, NOW + n);
  }
  assert.equal(await provenCommit(db, REPO, ticket_id), "c1");
});

Deno.test("assignLane names the lane of a job that is held, and only of that", async () => {
  await using store = await tempStore();
  const { db } = store;
  const job = await running(db);
  assert.equal(await assignLane(db, job, "acme large"), true);
  await release(db, job, NOW);
  assert.equal(await assignLane(db, job, "other"), false);
  assert.equal((await claimNext(db, { owner: "another", now: NOW }))?.id, job.id);
  assert.equal(await assignLane(db, job, "other"), false);
  assert.equal((await jobById(db, job.id))?.lane, "acme large");
});
