/** What `start` does to real repos and databases, and what is left when it is killed. */
import assert from "node:assert/strict";
import { pausedLanes, pauseLane } from "svc/features/jobs/lane_store.ts";
import { pauseQueue } from "svc/features/jobs/queue_store.ts";
import { jobLines, queued, ticketed, ticketsOf } from "tests/unit/runtime/engine_place.ts";
import { type Ports, startPlace } from "tests/unit/runtime/start_place.ts";

Deno.test("a new lifecycle gives tickets back and ends old jobs, and can be asked for twice", async () => {
  const { parts, repo, ports, held, move, start } = await startPlace();
  await using _parts = parts;
  for (let count = 0; count < 2; count++) {
    await ticketed(ports, repo.path, { title: `Do ${count}` });
  }
  await move("T-0001", "in-progress");
  await move("T-0002", "in-progress", "review");
  const { id } = await held("engineer", "T-0001", "dead");
  await ports.db.updateTable("jobs").set({ trigger: "route" }).where("id", "=", id).execute();
  const { done } = await start({ newLifecycle: true });
  assert.deepEqual(done.moved, ["T-0001", "T-0002"]);
  assert.deepEqual(done.cancelled, [id]);
  assert.deepEqual((await start({ newLifecycle: true })).done.moved, []);
  assert.deepEqual(await jobLines(ports), [
    ...["engineer T-0001 failed cancelled", "ceo - pending -"],
  ]);
  const told = await ports.db.selectFrom("events").selectAll().where("type", "=", "job_update")
    .orderBy("id").execute();
  assert.deepEqual(told.map(({ data }) => JSON.parse(data)).map((one) => [one.role, one.status]), [
    ...[["engineer", "failed"], ["ceo", "pending"]],
  ]);
  assert.deepEqual((await ticketsOf(ports, repo.path)).map(({ state }) => state), [
    ...["backlog", "backlog"],
  ]);
});

/** Fails in place of the process that is killed there. */
function doomed(ports: Ports, at: "second move" | "transaction"): Ports {
  let commits = 0;
  const die = () => Promise.reject(new Error("killed"));
  return {
    ...ports,
    commits: {
      ...ports.commits,
      commit: (...args) =>
        at === "second move" && ++commits === 2 ? die() : ports.commits.commit(...args),
    },
    db: at !== "transaction" ? ports.db : new Proxy(ports.db, {
      get: (db, name) => {
        if (name === "transaction") return () => ({ execute: die });
        const value = Reflect.get(db, name, db);
        return typeof value === "function" ? value.bind(db) : value;
      },
    }),
  };
}

for (const at of ["second move", "transaction"] as const) {
  Deno.test(`a start with --force that is killed at its ${at} is finished by the next`, async () => {
    const { parts, repo, ports, move, start } = await startPlace();
    await using _parts = parts;
    for (const title of ["One", "Two"]) await ticketed(ports, repo.path, { title });
    for (const id of ["T-0001", "T-0002"]) await move(id, "in-progress", "blocked");
    await assert.rejects(start({ force: true }, doomed(ports, at)), /killed/);
    assert.deepEqual(
      await jobLines(ports),
      at === "transaction" ? [] : ["orchestrator - pending -"],
    );
    const { done } = await start({ force: true });
    assert.deepEqual(done.moved, at === "second move" ? ["T-0002"] : ["T-0001", "T-0002"]);
    const tickets = await ticketsOf(ports, repo.path);
    assert.deepEqual(tickets.map(({ state, unblock }) => [state, unblock]), [
      ...[["backlog", undefined], ["backlog", undefined]],
    ]);
    assert.equal(await repo.git("status", "--porcelain"), "");
    assert.deepEqual(await jobLines(ports), ["orchestrator - pending -"]);
    const moves = await ports.db.selectFrom("events").selectAll()
      .where("type", "=", "ticket_update").execute();
    assert.equal(moves.length, 2);
  });
}

Deno.test("an observer's start changes nothing in the repo", async () => {
  const { parts, repo, ports, move, start } = await startPlace();
  await using _parts = parts;
  await ticketed(ports, repo.path);
  await move("T-0001", "in-progress", "blocked");
  await ticketed(ports, repo.path, { title: "Second" });
  await move("T-0002", "in-progress");
  await repo.git("branch", "svc/T-0002");
  await pauseQueue(ports.db, "looking", ports.clock.now());
  const state = async () =>
    await repo.git("rev-parse", "HEAD") + await repo.git("status", "--porcelain", "--ignored");
  const before = await state();
  const observer: Ports = { ...ports, profile: "observer" };
  const { action, saw } = await start({ force: true }, observer);
  assert.equal(action, "reconcile");
  const paused = saw.find((found) => found.startsWith("no job is claimed"));
  const root = await Deno.realPath(repo.path);
  assert.equal(
    paused?.replace(/ --db \S+$/, ""),
    `no job is claimed until somebody resumes: looking; svc jobs resume --repo ${root}`,
  );
  assert.equal((await start({ newLifecycle: true, force: true }, observer)).rule, "new_lifecycle");
  assert.equal(await state(), before);
});

Deno.test("a start lifts what holds back the models of jobs that wait, and no others", async () => {
  const { parts, ports, id, start } = await startPlace();
  await using _parts = parts;
  const job = await queued(ports, id, "orchestrator");
  await ports.db.updateTable("jobs").set({ lane: "acme large" }).where("id", "=", job.id).execute();
  const reason = "the quota is used up";
  for (const key of ["acme large", "acme small"]) {
    await pauseLane(ports.db, { kind: "model", key, reason }, ports.clock.now());
  }
  await start();
  const left = await pausedLanes(ports.db, ports.clock.now());
  assert.deepEqual(left.map(({ key }) => key), ["acme small"]);
});
