/** An engine whose database, or whose home, lies on a disk that is full or read-only, or loses a folder. */
import assert from "node:assert/strict";
import { sql } from "svc/store/query.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { cannotMount, tmpfs } from "tests/kit/odd_disks.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
  ticketsOf,
  watchedEngine,
} from "tests/unit/runtime/engine_place.ts";
import { call, ENGINEER, ORCHESTRATOR, TEAM } from "tests/unit/runtime/team.ts";

/** Writes until nothing more fits. */
function fill(path: string): void {
  using file = Deno.openSync(path, { create: true, write: true });
  const chunk = new Uint8Array(4096);
  try {
    for (;;) file.writeSync(chunk);
  } catch (thrown) {
    assert.match(String(thrown), /os error 28/);
  }
}

Deno.test({
  name: "claims pause with the reason while the disk is full, and go on when there is room",
  ignore: await cannotMount(),
  async fn() {
    await using repo = await harnessedRepo();
    await using disk = await tmpfs(8 * 1024);
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path, { database: `${disk.path}/svc.db` });
    await using endpoint = modelEndpoint({ roles: { orchestrator: ORCHESTRATOR } });
    await queued(ports, await registered(ports, repo.path), "orchestrator");
    fill(`${disk.path}/filler`);
    const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url });
    await seen((event) => event.kind === "claiming" && event.reason !== undefined);
    assert.deepEqual([engine.state().claims, engine.state().running.length], ["paused", 0]);
    assert.match(engine.state().reason!, /the disk is full/);
    assert.deepEqual(await jobLines(ports), ["orchestrator - pending -"]);
    await Deno.remove(`${disk.path}/filler`);
    await seen(({ kind }) => kind === "ended");
    await engine.idle();
    await engine.stop();
    assert.deepEqual(await jobLines(ports), ["orchestrator - completed no_work"]);
    const { rows } = await sql<Record<string, string>>`PRAGMA integrity_check`.execute(ports.db);
    assert.deepEqual(rows.flatMap((row) => Object.values(row)), ["ok"]);
  },
});

Deno.test({
  name: "a job whose disk fills up in the middle waits for room, and its ticket gets done",
  ignore: await cannotMount(),
  async fn() {
    await using repo = await harnessedRepo();
    await using disk = await tmpfs(16 * 1024);
    await using base = await tempFolder();
    await using ports = await enginePorts(disk.path, { database: `${base.path}/svc.db` });
    let lines = 4000; // more than fit into what is left of the last page of the trace
    const reply = () => {
      const content = "fixed\n".repeat(lines);
      if (lines > 1) fill(`${disk.path}/filler`);
      lines = 1;
      return call("file_write", { path: "fixed.txt", content });
    };
    const [write, ...rest] = ENGINEER;
    await using endpoint = modelEndpoint({
      roles: { ...TEAM.roles, engineer: [{ ...write, reply }, ...rest] },
    });
    const id = await registered(ports, repo.path);
    const job = await queued(ports, id, "engineer", await ticketed(ports, repo.path));
    const { engine, seen } = watchedEngine(ports, {
      modelEndpoint: endpoint.url,
      times: { repoWaitMs: 200, pollMs: 50 },
    });
    await seen(({ kind }) => kind === "ended");
    const now = () =>
      ports.db.selectFrom("jobs").selectAll().where("id", "=", job.id)
        .executeTakeFirstOrThrow();
    const first = await now();
    assert.deepEqual([first.status, first.attempt], ["pending", 1]);
    assert.match(first.reason!, /the disk is full/);
    assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "in-progress");
    // What is due while there is no room costs neither an attempt nor the model.
    const asked = endpoint.requests.length;
    await ports.db.updateTable("jobs").set({ run_after: 1 }).where("id", "=", job.id).execute();
    engine.wake();
    await seen(({ kind }) => kind === "given_back");
    assert.deepEqual([(await now()).attempt, endpoint.requests.length], [1, asked]);
    await Deno.remove(`${disk.path}/filler`);
    await seen((event) => event.kind === "ended" && event.job.role === "qa");
    await engine.idle();
    await engine.stop();
    assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "done");
  },
});

Deno.test({
  name: "a job whose work tree lies on a read-only disk waits, and blocks no ticket",
  ignore: await cannotMount(),
  async fn() {
    await using repo = await harnessedRepo();
    await using disk = await tmpfs(16 * 1024);
    await using base = await tempFolder();
    await using ports = await enginePorts(disk.path, { database: `${base.path}/svc.db` });
    await using endpoint = modelEndpoint(TEAM);
    const id = await registered(ports, repo.path);
    const job = await queued(ports, id, "engineer", await ticketed(ports, repo.path));
    await disk.makeReadOnly();
    const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url });
    const { kind, ...told } = await seen((event) =>
      event.kind === "given_back" || event.kind === "ended"
    );
    await engine.stop();
    assert.equal(kind, "given_back");
    assert.match((told as { reason: string }).reason, /the file system is read-only/);
    assert.deepEqual(await jobLines(ports), [`engineer ${job.ticket_id} pending -`]);
    assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "in-progress");
    assert.equal(endpoint.requests.length, 0);
  },
});

Deno.test("a job whose work tree somebody removes is done again in another one", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  let removed = 0;
  const [write, ...rest] = ENGINEER;
  const reply = () => {
    const trees = ports.home.worktrees;
    if (removed++ === 0) Deno.removeSync(trees, { recursive: true });
    return call("file_write", { path: "fixed.txt", content: "fixed\n" });
  };
  await using endpoint = modelEndpoint({
    roles: { ...TEAM.roles, engineer: [{ ...write, reply }, ...rest] },
  });
  const id = await registered(ports, repo.path);
  const job = await queued(ports, id, "engineer", await ticketed(ports, repo.path));
  const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url });
  await seen(({ kind }) => kind === "ended");
  assert.deepEqual(await jobLines(ports), ["engineer T-0001 pending -"]);
  await ports.db.updateTable("jobs").set({ run_after: 1 }).where("id", "=", job.id).execute();
  engine.wake();
  await seen((event) => event.kind === "ended" && event.job.role === "qa");
  await engine.idle();
  await engine.stop();
  assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "done");
});
