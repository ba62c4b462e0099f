/** What keeps a repo from being changed for a while: jobs wait for it, with the reason, and use no attempt. */
import assert from "node:assert/strict";
import type { Failure } from "svc/core/failure.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoEntrance } from "svc/platform/entrance.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
  ticketsOf,
  watchedEngine,
} from "tests/unit/runtime/engine_place.ts";
import { TEAM } from "tests/unit/runtime/team.ts";

/** What would be waited for 10 s is given up after 0.2 s. */
const FAST = { ...systemClock, monotonic: () => 50 * systemClock.monotonic() };

const TIMES = { repoWaitMs: 200, pollMs: 50, settleMs: 200 };

/**
 * An engineer's job while something is in the way: it waits. Once that is gone, the ticket gets done.
 * @returns why it waited
 */
async function waitsFor(hinder: (repo: TempRepo) => Promise<() => unknown>): Promise<string> {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path, { clock: FAST });
  await using endpoint = modelEndpoint(TEAM);
  const id = await registered(ports, repo.path);
  const ticket = await ticketed(ports, repo.path);
  const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url, times: TIMES });
  await engine.begun;
  const free = await hinder(repo);
  await queued(ports, id, "engineer", ticket);
  engine.wake();
  const back = await seen((event) => event.kind === "given_back" || event.kind === "ended");
  assert.ok(back.kind === "given_back", "it ended");
  assert.deepEqual(await jobLines(ports), ["engineer T-0001 pending -"]);
  const { attempt } = await ports.db.selectFrom("jobs").selectAll().executeTakeFirstOrThrow();
  assert.equal(attempt, 0);
  assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "backlog");
  assert.equal(endpoint.requests.length, 0);
  await free();
  engine.wake();
  await seen((event) => event.kind === "ended" && event.job.role === "qa");
  await engine.idle();
  await engine.stop();
  assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "done");
  return back.reason;
}

Deno.test("a job waits for the merge that a person is in the middle of", async () => {
  const why = await waitsFor(async (repo) => {
    const begun = `${repo.path}/.git/MERGE_HEAD`;
    await Deno.writeTextFile(begun, await repo.git("rev-parse", "HEAD"));
    return () => Deno.remove(begun);
  });
  assert.match(why, /waits for the merge to end that is going on/);
});

Deno.test("a job waits for another git that holds the index", async () => {
  const why = await waitsFor(async (repo) => {
    const lock = `${repo.path}/.git/index.lock`;
    await Deno.writeTextFile(lock, "");
    return () => Deno.remove(lock);
  });
  assert.match(why, /another git process holds/);
});

Deno.test("a job waits for another process that holds the repo", async () => {
  const program = new URL("../../platform/count_under_lock.ts", import.meta.url).pathname;
  const why = await waitsFor(async (repo) => {
    const holder = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", program, `${repo.path}/.git`, "1", "hold"],
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const said = holder.stdout.getReader();
    await said.read();
    return async () => {
      holder.kill("SIGKILL");
      await Promise.all([holder.status, said.cancel()]);
    };
  });
  assert.match(why, /svc with pid \d+ .*holds the lock/);
});

Deno.test("a merge that a person is in the middle of costs no model calls, however often one looks", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint(TEAM);
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await Deno.writeTextFile(
    `${repo.path}/.git/MERGE_HEAD`,
    await repo.git("rev-parse", "HEAD"),
  );
  await queued(ports, id, "orchestrator");
  const { engine, seen } = watchedEngine(ports, {
    modelEndpoint: endpoint.url,
    times: { ...TIMES, auditMs: 50 },
  });
  let back = 0;
  await seen((event) => event.kind === "given_back" && ++back === 3);
  await engine.stop();
  assert.deepEqual(await jobLines(ports), ["orchestrator - pending -"]);
  assert.equal(endpoint.requests.length, 0);
});

Deno.test("a job whose svc was removed under it waits, and says what brings svc back", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint(TEAM);
  const id = await registered(ports, repo.path);
  await queued(ports, id, "ceo");
  const { load } = denoEntrance(`file://${base.path}/bin/runtime/0/main.js`);
  await carryOut({ ...ports, load }, endpoint.url, { concurrency: 1 });
  const [job] = await ports.db.selectFrom("jobs").selectAll().execute();
  assert.deepEqual([job!.status, job!.attempt, job!.crashes], ["pending", 0, 0]);
  assert.match(
    job!.reason!,
    /Cannot go on until svc is started again: a part of it is gone from ".*\/bin\/runtime\/0\/"/,
  );
  await assert.rejects(load("src/runtime/service/scan"), (failure: Failure) => {
    assert.equal(failure.exit, 5);
    assert.match(failure.remedy, /^rm -rf \S+\/bin\/runtime\/0\/, then start svc again/);
    return true;
  });
});
