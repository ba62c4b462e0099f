import assert from "node:assert/strict";
import { claimNext, enqueue } from "svc/features/jobs/job_store.ts";
import { endedAmong, endedBefore } from "svc/features/retention/ended_jobs.ts";
import { forgetRemovals, recordRemovals, removalOf } from "svc/features/retention/removal_store.ts";
import {
  forgetJoblessSettlements,
  newSettlement,
  pendingSettlements,
  recordSettlement,
  settle,
} from "svc/features/routing/settlement_store.ts";
import type { Db } from "svc/store/schema.ts";
import { endedJob, type SeededEnd } from "tests/kit/outcomes.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

const NOW = 1_700_000_000_000;
const [OURS, OTHER] = ["0123456789ab", "ba9876543210"];

const ended = (db: Db, more: Partial<SeededEnd> = {}) =>
  endedJob(db, { repoId: OURS, role: "engineer", disposition: "submitted", at: NOW, ...more });

const needs = (repoId = OURS) => ({ repoId, open: new Set<string>(), holders: new Set<string>() });

Deno.test("files go of jobs alone that have ended, and each repo answers for its own", async () => {
  await using store = await tempStore();
  const { db } = store;
  const ours = await ended(db);
  const theirs = await ended(db, { repoId: OTHER });
  const asked = {
    repo_id: OURS,
    role: "ceo",
    trigger: "manual",
    source_trust: "contributor",
    parallel: true,
  } as const;
  const { job: waiting } = await enqueue(db, asked, NOW);
  const { job: running } = await enqueue(db, asked, NOW);
  await claimNext(db, { owner: "w", now: NOW, jobId: running.id });
  const all = [ours, theirs, waiting.id, running.id];
  const among = async (repoId: string) =>
    (await endedAmong(db, needs(repoId), all)).map(({ id }) => id);
  assert.deepEqual(await among(OURS), [ours]);
  assert.deepEqual(await among(OTHER), [theirs]);
});

Deno.test("what git is owed keeps the job that owes it, and no ticket of that number elsewhere", async () => {
  await using store = await tempStore();
  const { db } = store;
  const ticketless = await ended(db, { owed: "pending" });
  await ended(db, { repoId: OTHER, ticket: "T-0001", owed: "pending" });
  const settled = await ended(db, { ticket: "T-0001", owed: "done" });
  const free = await endedAmong(db, needs(), [ticketless, settled]);
  assert.deepEqual(free.map(({ id }) => id), [settled]);
});

Deno.test("the newest records stay of each repo, whatever newer ones others have", async () => {
  await using store = await tempStore();
  const { db } = store;
  const ours = [];
  for (const at of [NOW - 3, NOW - 2, NOW - 1]) ours.push(await ended(db, { at }));
  for (const at of [NOW, NOW + 1]) await ended(db, { repoId: OTHER, at });
  const range = { before: NOW + 9, left: 2, limit: 9 };
  const free = await endedBefore(db, needs(), range);
  assert.deepEqual(free.map(({ id }) => id), ours.slice(0, 1));
});

Deno.test("the note of files that went stays as long as their job's record", async () => {
  await using store = await tempStore();
  const { db } = store;
  const [kept, gone] = [await ended(db), crypto.randomUUID()];
  const note = {
    repo_id: OURS,
    role: "engineer",
    ticket_id: null,
    disposition: "submitted",
    ended_at: NOW,
    removed_at: NOW,
  } as const;
  await recordRemovals(db, [
    { ...note, id: kept, job_id: kept, what: "files" },
    { ...note, id: gone, job_id: gone, what: "job" },
  ]);
  await forgetRemovals(db, NOW + 1);
  assert.equal((await removalOf(db, kept, "files"))?.id, kept);
  assert.equal(await removalOf(db, gone, "job"), undefined);
});

Deno.test("what a person decided goes once it was done, is old, and its ticket is finished", async () => {
  await using store = await tempStore();
  const { db } = store;
  const decided = async (ticket: string, settledAt?: number) => {
    const owed = newSettlement({
      ...{ repoId: OURS, ticket, reason: "yes", actor: "ada" },
      move: { from: "review", to: "done" },
    }, NOW);
    await recordSettlement(db, owed);
    if (settledAt === undefined) return;
    await settle(db, owed.id, { state: "done", outcome: "moved", now: settledAt });
  };
  await decided("T-0001");
  await decided("T-0002", NOW - 9);
  await decided("T-0003", NOW);
  await decided("T-0004", NOW - 9);
  // Goes with its job.
  await ended(db, { ticket: "T-0005", owed: "done", at: NOW - 9 });
  const bounds = { open: new Set(["T-0004"]), before: NOW, limit: 9 };
  assert.equal(await forgetJoblessSettlements(db, OTHER, bounds), 0);
  assert.equal(await forgetJoblessSettlements(db, OURS, bounds), 1);
  const left = await db.selectFrom("settlements").select("ticket_id").orderBy("ticket_id")
    .execute();
  assert.deepEqual(left.map((one) => one.ticket_id), ["T-0001", "T-0003", "T-0004", "T-0005"]);
  assert.equal((await pendingSettlements(db, OURS)).length, 1);
});
