import assert from "node:assert/strict";
import { orderFor, queueBehindRunning, queueJob } from "svc/features/jobs/order_job.ts";
import { claimNext } from "svc/features/jobs/job_store.ts";
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
