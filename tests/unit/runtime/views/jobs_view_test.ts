import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { enginePorts, harnessedRepo, registered } from "tests/unit/runtime/engine_place.ts";
import { readsOf } from "./site.ts";

verifies(
  ["4.2:debug:page"],
  "jobs are found, among all of them, by words anywhere in what is told of them",
  async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    const repoId = await registered(ports, repo.path);
    const { db } = ports;
    const job = (role: string, more: Partial<Parameters<typeof endedJob>[1]>) =>
      endedJob(db, { repoId, role, disposition: "reported", at: Date.now(), ...more });
    await job("engineer", { reason: "100% of T-0042 is done" });
    await job("qa", { disposition: "stuck", category: "stuck", reason: "Cannot read a.txt" });
    for (let nth = 0; nth < 150; nth++) await job("ceo", { reason: "all is well" });
    const reads = readsOf(ports);
    const found = async (search: string) =>
      (await reads.jobs({ search })).jobs.map(({ role }) => role);
    const [name] = repo.path.split("/").slice(-1);
    assert.deepEqual(await found("t-0042 ENGINEER"), ["engineer"]);
    assert.deepEqual(await found("0%"), ["engineer"]);
    assert.deepEqual(await found(`stuck ${name} cannot`), ["qa"]);
    const { jobs: [oldest] } = await reads.jobs({ search: "completed reported 0042" });
    assert.deepEqual(await found(oldest!.id), ["engineer"]);
    assert.deepEqual(await found(`  ${oldest!.id.slice(-8)}  `), ["engineer"]);
    for (const none of ["engineer ceo", "%%", "t_0042", "\\", "elsewhere"]) {
      assert.deepEqual(await found(none), [], none);
    }
    const many = "reported ceo all is well ceo all is elsewhere";
    assert.deepEqual(await found(many), [], "the ninth word counts too");
    await assert.rejects(found("all is well ".repeat(7)), {
      ...{ code: "usage" },
      message: "Cannot search jobs for 84 characters in 21 words: at most 300 and 20 are taken",
    });

    const page = await reads.jobs({ search: "well" });
    const rest = await reads.jobs({ search: "well", before: page.before! });
    assert.deepEqual([page.jobs.length, rest.jobs.length, rest.before], [100, 50, null]);
    const { jobs: all } = await reads.jobs();
    assert.deepEqual((await reads.jobs({ before: all[9]!.id })).jobs.slice(0, 90), all.slice(10));
    const roles = (found: typeof page) => found.jobs.map(({ role }) => role);
    assert.deepEqual(roles(await reads.jobs({ role: "qa", repo_id: repoId })), ["qa"]);
    assert.deepEqual(roles(await reads.jobs({ status: "failed" })), ["qa"]);
  },
);

verifies(
  ["7:status-400:unknown-role-or-repo"],
  "jobs and costs of an unknown repo, and a page after no job, are refused and not told as none",
  async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    const repo_id = await registered(ports, repo.path);
    const { jobs, costs } = readsOf(ports);
    assert.deepEqual(await jobs({ repo_id }), { jobs: [], before: null });
    assert.equal((await costs({ repo_id }))?.total.jobs, 0);
    const usage = (thrown: unknown) => thrown instanceof Failure && thrown.code === "usage";
    await assert.rejects(() => jobs({ repo_id: "elsewhere" }), usage);
    await assert.rejects(() => costs({ repo_id: "elsewhere" }), usage);
    for (const before of ["zz", "1", "T-0001"]) await assert.rejects(() => jobs({ before }), usage);
  },
);
