import assert from "node:assert/strict";
import { recordBaseCheck } from "svc/features/checks/base_check_store.ts";
import { jobLimits, setJobLimit } from "svc/features/jobs/job_limit_store.ts";
import { pausedLanes, pauseLane, roleLane } from "svc/features/jobs/lane_store.ts";
import { insertRepo, removeRepo, updateRepo } from "svc/features/repos/repo_store.ts";
import type { Db } from "svc/store/schema.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

const NOW = Date.parse("2026-05-04T03:02:01Z");
const FORMER = "aaaaaaaaaaaa";
const MOVED = "bbbbbbbbbbbb";

/** What two clones of one project leave in a database that they share. */
async function records(db: Db, repo_id: string, said: string): Promise<void> {
  const check = { commit_id: "c".repeat(40), definition: "d".repeat(64), name: "test" };
  await recordBaseCheck(db, { repo_id, ...check, outcome: "passed", said, checked_at: NOW });
  await pauseLane(db, { kind: "role", key: roleLane(repo_id, "engineer"), reason: said }, NOW);
  await setJobLimit(db, { scope: "repo", key: repo_id, most: said === "moved" ? 1 : 7 });
}

const facts = (id: string, path: string) => ({
  ...{ id, path, remote: "a/b", branch: "main", host: "github.com" },
});

Deno.test("a repo that moves to where a clone of it was let go of takes its own records along", async () => {
  await using store = await tempStore();
  const { db } = store;
  await insertRepo(db, facts(FORMER, "/home/ada/shop"), NOW);
  await records(db, FORMER, "former");
  await removeRepo(db, FORMER);
  await insertRepo(db, facts(MOVED, "/home/ada/other"), NOW);
  await records(db, MOVED, "moved");
  await updateRepo(db, MOVED, facts(FORMER, "/home/ada/shop"), NOW);
  const checks = await db.selectFrom("base_checks").select(["repo_id", "said"]).execute();
  assert.deepEqual(checks, [{ repo_id: FORMER, said: "moved" }]);
  const lanes = await pausedLanes(db, NOW);
  assert.deepEqual(lanes.map(({ key, reason }) => [key, reason]), [[
    `${FORMER}/engineer`,
    "moved",
  ]]);
  assert.deepEqual(await jobLimits(db), [{ scope: "repo", key: FORMER, most: 1 }]);
});

Deno.test("a repo's limit goes with it, and a change that moves nothing takes no record away", async () => {
  await using store = await tempStore();
  const { db } = store;
  await insertRepo(db, facts(MOVED, "/home/ada/other"), NOW);
  await records(db, MOVED, "moved");
  await updateRepo(db, MOVED, { ...facts(MOVED, "/home/ada/other"), branch: "trunk" }, NOW);
  const checks = await db.selectFrom("base_checks").select("said").execute();
  assert.deepEqual([checks.length, (await pausedLanes(db, NOW)).length], [1, 1]);
  assert.deepEqual(await jobLimits(db), [{ scope: "repo", key: MOVED, most: 1 }]);
  await updateRepo(db, MOVED, facts(FORMER, "/home/ada/shop"), NOW);
  assert.deepEqual(await jobLimits(db), [{ scope: "repo", key: FORMER, most: 1 }]);
});
