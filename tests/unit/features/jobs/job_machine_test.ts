/** Every move from every state: allowed ones change what they should, others change nothing. */
import assert from "node:assert/strict";
import { next, statesOf } from "svc/core/machine.ts";
import { jobMachine, type JobStatus } from "svc/features/jobs/job_machine.ts";
import { enqueue, finish } from "svc/features/jobs/job_store.ts";
import { type Job, TRIGGERS } from "svc/features/jobs/job_table.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import type { Db } from "svc/store/schema.ts";
import { verifies } from "tests/kit/verifies.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";
import { asked, MOVES, NOW, running } from "./sample_job.ts";

async function jobIn(db: Db, state: JobStatus): Promise<Job> {
  if (state === "pending") return (await enqueue(db, asked(), NOW)).job;
  const job = await running(db);
  if (state === "completed") await finish(db, job, { disposition: "approved" }, NOW + 1);
  if (state === "failed") await finish(db, job, { disposition: "timed_out" }, NOW + 1);
  return (await jobById(db, job.id))!;
}

const AT = NOW + 100;
const freed = { lease_owner: null, lease_until: null, heartbeat_at: null };

/** What a move changes beside the status. */
const CHANGES: Record<keyof typeof MOVES, (job: Job) => Partial<Job>> = {
  claim: () => ({
    attempt: 1,
    generation: 1,
    lease_owner: "mover",
    lease_until: AT + 60_000,
    heartbeat_at: AT,
    started_at: AT,
  }),
  complete: () => ({ ...freed, disposition: "submitted", finished_at: AT }),
  retry: () => ({ ...freed, category: "internal", reason: "fell", run_after: AT + 5 }),
  release: () => ({ ...freed, attempt: 0 }),
  snooze: () => ({ ...freed, attempt: 0, reason: "waits", run_after: AT + 9 }),
  rescue: () => ({
    ...freed,
    crashes: 1,
    category: "lease_expired",
    reason: "the process that ran it died",
    run_after: AT,
  }),
  cancel: ({ status }) => ({
    ...freed,
    disposition: "cancelled",
    reason: "not wanted",
    finished_at: AT,
    cancel_requested: status === "running" ? 1 : 0,
  }),
  giveUp: () => ({ ...freed, disposition: "stuck", category: "stuck", finished_at: AT }),
};

for (const state of statesOf(jobMachine)) {
  for (const move of Object.keys(MOVES) as (keyof typeof MOVES)[]) {
    const to = next(jobMachine, state, move);
    Deno.test(`${move} of a ${state} job ${to ? `makes it ${to}` : "changes nothing"}`, async () => {
      await using store = await tempStore();
      const before = await jobIn(store.db, state);
      await MOVES[move](store.db, before, AT);
      const after = await jobById(store.db, before.id);
      assert.deepEqual(after, to ? { ...before, ...CHANGES[move](before), status: to } : before);
    });
  }
}

verifies("3.1:job-status:closed-list", "the database refuses a job that cannot be", async () => {
  await using store = await tempStore();
  const { db } = store;
  assert.deepEqual(statesOf(jobMachine), ["pending", "running", "completed", "failed"]);
  for (const trigger of TRIGGERS) await enqueue(db, asked({ trigger }), NOW);
  const impossible: [JobStatus, Record<string, unknown>][] = [
    ["pending", { status: "paused" }],
    ["pending", { status: "running" }],
    ["pending", { status: "completed" }],
    ["pending", { disposition: "approved" }],
    ["pending", { finished_at: NOW }],
    ["pending", { lease_owner: "w" }],
    ["pending", { cancel_requested: 1 }],
    ["pending", { payload: "[]" }],
    ["pending", { payload: "{" }],
    ["pending", { trigger: "whim" }],
    ["pending", { source_trust: "owner" }],
    ["pending", { generation: -1 }],
    ["pending", { run_after: "soon" }],
    ["running", { attempt: 4 }],
    ["running", { attempt: 0 }],
    ["running", { lease_until: null }],
    ["running", { lease_until: NOW }],
    ["running", { heartbeat_at: null }],
    ["running", { status: "pending" }],
    ["completed", { disposition: "happy" }],
    ["completed", { disposition: null }],
    ["completed", { finished_at: null }],
    ["failed", { category: "whim" }],
  ];
  for (const [state, other] of impossible) {
    await db.deleteFrom("jobs").execute();
    const { id } = await jobIn(db, state);
    await assert.rejects(
      db.updateTable("jobs").set(other).where("id", "=", id).execute(),
      /constraint|cannot store|invalid input syntax/i,
      JSON.stringify(other),
    );
  }
});
