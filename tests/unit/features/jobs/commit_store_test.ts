import assert from "node:assert/strict";
import {
  commitMakers,
  forgetJoblessCommits,
  recordCommits,
} from "svc/features/jobs/commit_store.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";
import { REPO, running } from "./sample_job.ts";

const [ONE, TWO] = ["1".repeat(40), "2".repeat(64)];
const made = { repo_id: REPO, branch: "svc/x", job_id: "j1", role: "engineer", at: 5 };

Deno.test("a commit is its first maker's, on its own branch alone", async () => {
  await using store = await tempStore();
  const { db } = store;
  await recordCommits(db, { ...made, commits: [] });
  await recordCommits(db, { ...made, commits: [ONE] });
  await recordCommits(db, { ...made, job_id: "j2", role: "gardener", commits: [ONE, TWO] });
  const known = await commitMakers(db, made);
  assert.deepEqual([...known], [
    [ONE, { job: "j1", role: "engineer" }],
    [TWO, { job: "j2", role: "gardener" }],
  ]);
  assert.equal((await commitMakers(db, { ...made, branch: "svc/y" })).size, 0);
  assert.equal((await commitMakers(db, { ...made, repo_id: "ba9876543210" })).size, 0);
  await assert.rejects(recordCommits(db, { ...made, commits: ["main"] }), /CHECK/i);
});

Deno.test("many commits are stored at once", async () => {
  await using store = await tempStore();
  const commits = Array.from({ length: 2_500 }, (_, at) => at.toString(16).padStart(40, "0"));
  await recordCommits(store.db, { ...made, commits });
  assert.equal((await commitMakers(store.db, made)).size, 2_500);
});

Deno.test("commits of jobs that are known stay, others go after their time", async () => {
  await using store = await tempStore();
  const { db } = store;
  const { id } = await running(db);
  await recordCommits(db, { ...made, job_id: id, commits: [ONE] });
  await recordCommits(db, { ...made, commits: [TWO] });
  await recordCommits(db, { ...made, branch: "svc/y", at: 50, commits: [TWO] });
  const bounds = { before: 50, limit: 10 };
  assert.equal(await forgetJoblessCommits(db, REPO, { ...bounds, limit: 0 }), 0);
  assert.equal(await forgetJoblessCommits(db, REPO, bounds), 1);
  assert.deepEqual([...(await commitMakers(db, made)).keys()], [ONE]);
  assert.equal((await commitMakers(db, { ...made, branch: "svc/y" })).size, 1);
});
