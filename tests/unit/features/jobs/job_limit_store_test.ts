import assert from "node:assert/strict";
import { claimNext, enqueue, finish } from "svc/features/jobs/job_store.ts";
import {
  anyLimitLook,
  dropJobLimit,
  jobLimits,
  setJobLimit,
} from "svc/features/jobs/job_limit_store.ts";
import type { JobLimit } from "svc/features/jobs/job_limit_table.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { Db } from "svc/store/schema.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";
import { asked, NOW } from "./sample_job.ts";

const REPOS = ["aaaaaaaaaaaa", "bbbbbbbbbbbb"];
const claim = { owner: "w", now: NOW, limited: true };

/** Three parallel jobs of two roles in two repos: twelve. */
async function twelve(db: Db): Promise<void> {
  for (const repo_id of REPOS) {
    for (const role of ["engineer", "qa"]) {
      for (let nth = 0; nth < 3; nth++) {
        await enqueue(db, asked({ repo_id, role, parallel: true }), NOW);
      }
    }
  }
}

async function all(db: Db, node?: string): Promise<Job[]> {
  const jobs: Job[] = [];
  for (;;) {
    const job = await claimNext(db, { ...claim, ...(node && { node }) });
    if (job === undefined) return jobs;
    jobs.push(job);
  }
}

const CASES: readonly [what: string, limit: JobLimit, most: number, of: (job: Job) => boolean][] = [
  ["the team", { scope: "team", key: "", most: 5 }, 5, () => true],
  ["a repo", { scope: "repo", key: REPOS[0]!, most: 2 }, 8, ({ repo_id }) => repo_id === REPOS[0]],
  ["a role in all repos", { scope: "role", key: "qa", most: 1 }, 7, ({ role }) => role === "qa"],
  ["a node", { scope: "node", key: "north", most: 4 }, 4, ({ node_id }) => node_id === "north"],
  ["none of a role", { scope: "role", key: "qa", most: 0 }, 6, ({ role }) => role === "qa"],
];

for (const [what, limit, most, of] of CASES) {
  Deno.test(`a limit of ${what} is kept, and an end makes room`, async () => {
    await using store = await tempStore();
    const { db } = store;
    await twelve(db);
    await setJobLimit(db, limit);
    const jobs = await all(db, "north");
    assert.equal(jobs.length, most);
    const limited = jobs.filter(of);
    assert.equal(limited.length, limit.most);
    if (limited[0] === undefined) return;
    await finish(db, limited[0], { disposition: "reported" }, NOW);
    assert.equal((await all(db, "north")).length, 1);
    await dropJobLimit(db, limit);
    assert.equal((await all(db, "north")).length, 12 - most - 1);
  });
}

Deno.test("another node has room where one has none", async () => {
  await using store = await tempStore();
  await twelve(store.db);
  await setJobLimit(store.db, { scope: "node", key: "north", most: 2 });
  assert.equal((await all(store.db, "north")).length, 2);
  assert.equal((await all(store.db, "south")).length, 10);
});

Deno.test("many who claim at once do not pass a limit", async () => {
  await using store = await tempStore();
  await twelve(store.db);
  await setJobLimit(store.db, { scope: "team", key: "", most: 3 });
  const claims = Array.from({ length: 12 }, () => claimNext(store.db, claim));
  const jobs = (await Promise.all(claims)).filter((job) => job !== undefined);
  assert.equal(jobs.length, 3);
});

Deno.test("a limit is set once, changed, and told of within the time of a look", async () => {
  await using store = await tempStore();
  const { db } = store;
  let at = 0;
  const look = anyLimitLook({ db, clock: { monotonic: () => at } }, 5_000);
  assert.equal(await look(), false);
  const limit = { scope: "role", key: "qa", most: 2 } as const;
  await setJobLimit(db, limit);
  await setJobLimit(db, { ...limit, most: 3 });
  assert.deepEqual(await jobLimits(db), [{ ...limit, most: 3 }]);
  assert.equal(await look(), false);
  at = 5_000;
  assert.equal(await look(), true);
  assert.equal(await dropJobLimit(db, limit), true);
  assert.equal(await dropJobLimit(db, limit), false);
});

Deno.test("a job with needs waits for a node that has them all; by hand it runs anywhere", async () => {
  await using store = await tempStore();
  const { db } = store;
  const needs = JSON.stringify(["model:qwen3", "tag:gpu"]);
  const { job } = await enqueue(db, asked({ needs }), NOW);
  const as = (abilities: readonly string[]) => claimNext(db, { ...claim, node: "n", abilities });
  for (const abilities of [[], ["tag:gpu"], ["tag:gpux", "model:qwen3"]]) {
    assert.equal(await as(abilities), undefined);
  }
  assert.equal((await as(["tag:gpu", "tag:big", "model:qwen3"]))?.id, job.id);
  const { job: second } = await enqueue(db, asked({ needs, role: "qa" }), NOW);
  assert.equal((await claimNext(db, { ...claim, jobId: second.id }))?.id, second.id);
});
