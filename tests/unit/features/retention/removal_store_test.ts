/** A note of what was removed stays as long as something refers to it. */
import assert from "node:assert/strict";
import { forgetRemovals, recordRemovals } from "svc/features/retention/removal_store.ts";
import type { Removal, RemovedWhat } from "svc/features/retention/removal_table.ts";
import { newSettlement, recordSettlement } from "svc/features/routing/settlement_store.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.now();
const REPO = "ab9876543210";

/** Ids are 36 characters long. */
const id = (name: string) => name.padEnd(36, "-");

Deno.test("notes of what nothing refers to any more go, once they are old", async () => {
  await using store = await tempStore();
  const { db } = store;
  const removal = (name: string, what: RemovedWhat, removed_at: number): Removal => ({
    ...{ id: id(name), what, job_id: id(name), repo_id: REPO, role: "engineer", ticket_id: null },
    ...{ disposition: "submitted", ended_at: removed_at, removed_at },
  });
  const old = (id: string) => removal(id, "job", NOW - 2 * DAY);
  await recordRemovals(db, [
    ...["caused", "next", "settled", "decided", "free"].map(old),
    removal("young", "job", NOW),
    removal("trace", "files", NOW - 2 * DAY),
  ]);
  const seed = { repoId: REPO, role: "engineer", disposition: "submitted", at: NOW } as const;
  const job = await endedJob(db, {
    ...{ ...seed, ticket: "T-0001" },
    next: { role: "qa", began: false },
  });
  await db.updateTable("jobs").set({ caused_by: id("caused") }).where("id", "=", job).execute();
  await db.updateTable("decisions").set({ next_job: id("next") }).where("job_id", "=", job)
    .execute();
  const move = { from: "backlog", to: "blocked" } as const;
  const owed = { repoId: REPO, ticket: "T-0001", move, reason: "r", actor: "svc" } as const;
  await recordSettlement(db, {
    ...newSettlement({ ...owed, unblock: { owner: "ada", action: "look" } }, NOW),
    ...{ job_id: id("settled"), decision_id: id("decided") },
  });
  await forgetRemovals(db, NOW - DAY);
  const left = await db.selectFrom("removals").select("id").orderBy("id").execute();
  assert.deepEqual(left.map((one) => one.id), [
    ...["caused", "decided", "next", "settled", "trace", "young"].map(id),
  ]);
});
