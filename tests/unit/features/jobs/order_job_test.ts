import assert from "node:assert/strict";
import {
  cancelRehearsals,
  orderFor,
  queueBehindRunning,
  queueJob,
} from "svc/features/jobs/order_job.ts";
import { claimNext } from "svc/features/jobs/job_store.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";
import { NOW, REPO } from "./sample_job.ts";

const order = orderFor({ id: REPO, manifest: undefined }, {
  ...{ role: "engineer", trigger: "route", trust: "contributor", ticket: { id: "T-0001" } },
});

Deno.test("a rehearsal stands beside the real job of its role and ticket, each once", async () => {
  await using store = await tempStore();
  const queue = async (profile: "host" | "observer") =>
    (await queueJob(store.db, order, { now: NOW, profile })).job.id;
  const [real, rehearsal] = [await queue("host"), await queue("observer")];
  assert.notEqual(real, rehearsal);
  assert.deepEqual([await queue("host"), await queue("observer")], [real, rehearsal]);
});

Deno.test("a job follows one that runs, and one that waits is enough", async () => {
  await using store = await tempStore();
  const by = { now: NOW, profile: "host" } as const;
  const behind = async () => (await queueBehindRunning(store.db, order, by)).id;
  const first = await behind();
  assert.equal(await behind(), first);
  await claimNext(store.db, { owner: "w", now: NOW });
  const second = await behind();
  assert.notEqual(second, first);
  assert.equal(await behind(), second);
});

Deno.test("real work ends the rehearsals that wait in its repos, and nothing else", async () => {
  await using store = await tempStore();
  const { db } = store;
  const other = "ba9876543210";
  const queue = async (profile: "host" | "observer", role: string, repo_id = REPO) =>
    (await queueJob(db, { ...order, role, repo_id, unique_key: `${repo_id} ${role}` }, {
      ...{ now: NOW, profile },
    })).job.id;
  const begun = await queue("observer", "ceo");
  await claimNext(db, { owner: "w", now: NOW, jobId: begun });
  const kept = [begun, await queue("host", "qa"), await queue("observer", "qa", other)];
  const ended = await queue("observer", "qa");
  await cancelRehearsals(db, [REPO], NOW);
  assert.equal((await jobById(db, ended))?.disposition, "cancelled");
  for (const id of kept) {
    const { disposition, cancel_requested } = (await jobById(db, id))!;
    assert.deepEqual([disposition, cancel_requested], [null, 0]);
  }
});
