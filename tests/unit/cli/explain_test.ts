/** `svc explain` of jobs that no decision followed. */
import assert from "node:assert/strict";
import { cancel, claimNext, enqueue, rescueExpired } from "svc/features/jobs/job_store.ts";
import { leaseWatch } from "svc/features/jobs/lease_watch.ts";
import { pauseLane } from "svc/features/jobs/lane_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openStore } from "svc/store/open.ts";
import { svc } from "tests/kit/entrance.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { asked } from "tests/unit/features/jobs/sample_job.ts";

Deno.test("svc explain says how a job stands that has no decision", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await using home = await tempFolder();
  const path = `${home.path}/svc.db`;
  const ids = await (async () => {
    await using store = await openStore({ files: denoFiles(), clock: systemClock }, path);
    const { db } = store;
    const now = Date.now();
    const made = async (more = {}) =>
      (await enqueue(db, asked({ max_attempts: 1, parallel: true, ...more }), now)).job.id;
    const [gone, died, waits] = [await made(), await made(), await made({ lane: "acme large" })];
    await cancel(db, gone, "not wanted", now);
    await claimNext(db, { owner: "w", now, jobId: died });
    const watch = leaseWatch(systemClock);
    await rescueExpired(db, { now, isAlive: () => "dead", watch });
    await pauseLane(db, { kind: "model", key: "acme large", reason: "no quota" }, now);
    return { gone, died, waits };
  })();
  const explain = (...args: string[]) =>
    svc(["explain", "--repo", repo.path, "--db", path, ...args], {
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home.path, SVC_HOME: `${home.path}/.svc` },
    });
  const gone = await explain(ids.gone.toUpperCase());
  assert.equal(gone.code, 0, gone.stderr);
  assert.match(gone.stdout, /cancelled\n/);
  assert.match(gone.stdout, /because: +not wanted/);
  const died = await explain(ids.died.slice(-8));
  assert.match(died.stdout, /because: +the process that ran it died/);
  assert.match(died.stdout, /attempts used: +1 of 1/);
  const { job, decisions } = JSON.parse((await explain(ids.waits, "--json")).stdout);
  assert.deepEqual([decisions, job.status, job.attempt, job.held_back], [
    ...[[], "pending", 0, "no quota"],
  ]);
  assert.match(job.run_after, /^\d{4}-/);
  const none = await explain("000000ffffff");
  assert.equal(none.code, 1);
  assert.match(none.stderr, /Cannot find a decision or job "000000ffffff"/);
});
