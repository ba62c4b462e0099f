/** The engine with real git, processes, SQLite and HTTP: what waits for a person. */
import assert from "node:assert/strict";
import { pendingSettlements } from "svc/features/routing/settlement_store.ts";
import { unregister } from "svc/runtime/eject/unregister.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { within } from "tests/kit/within.ts";
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
import { call, ENGINEER, finish, ORCHESTRATOR, TEAM, turns } from "tests/unit/runtime/team.ts";

const BRANCH = "svc/T-0001-make-the-test-pass";

/** Rewrites `app.txt`, which everybody has. */
const REWRITES = turns(
  call("file_read", { path: "app.txt" }),
  call("file_write", { path: "app.txt", content: "two\n" }),
  call("file_write", { path: "fixed.txt", content: "fixed\n" }),
  call("git_commit", { message: "fix: two" }),
  finish("submitted"),
);

Deno.test("a merge that conflicts blocks the ticket with the paths, and merges nothing", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const meanwhile = () => {
    Deno.writeTextFileSync(`${repo.path}/app.txt`, "three\n");
    const { success } = new Deno.Command("git", {
      args: ["-c", "user.name=Ada", "-c", "user.email=a@b.c", "commit", "-qam", "three"],
      cwd: repo.path,
    }).outputSync();
    assert.ok(success);
    return finish("approved");
  };
  await using endpoint = modelEndpoint({
    roles: { orchestrator: ORCHESTRATOR, engineer: REWRITES, qa: turns(meanwhile) },
  });
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await queued(ports, id, "orchestrator");
  await carryOut(ports, endpoint.url);
  const [ticket] = await ticketsOf(ports, repo.path);
  assert.equal(ticket!.state, "blocked");
  assert.match(ticket!.unblock!.action, /app\.txt/);
  assert.equal(await repo.git("log", "--merges", "--format=%s"), "");
  assert.equal(await repo.read("app.txt"), "three\n");
  assert.equal(await repo.git("show", "svc/T-0001-make-the-test-pass:app.txt"), "two\n");
});

Deno.test("a merge waits for a checkout that a person has changed, and names the paths", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({ roles: { ...TEAM.roles, engineer: REWRITES } });
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await repo.write("app.txt", "mine\n");
  await queued(ports, id, "orchestrator");
  const { engine, seen, events } = watchedEngine(ports, {
    modelEndpoint: endpoint.url,
    times: { settleMs: 3_600_000 },
  });
  await seen((event) => event.kind === "ended" && event.job.role === "qa");
  await engine.idle();
  const [waiting] = await pendingSettlements(ports.db, id);
  assert.equal(waiting!.waits_for, "a clean checkout: app.txt");
  // Who watches is told at once, not in the next round.
  const told = await within(
    seen(({ kind }) => kind === "settled"),
    () => events.map(({ kind }) => kind).join(", "),
  );
  assert.ok(told.kind === "settled");
  assert.deepEqual(told.settled.waiting.map(({ why }) => why), ["a clean checkout: app.txt"]);
  assert.deepEqual(engine.state().waits.map(({ why }) => why), ["a clean checkout: app.txt"]);
  assert.equal(await repo.read("app.txt"), "mine\n");
  await repo.git("checkout", "--quiet", "app.txt");
  engine.wake();
  await seen((event) => event.kind === "settled" && event.settled.done > 0);
  assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "done");
  assert.equal(await repo.read("app.txt"), "two\n");
  await engine.stop();
});

Deno.test("what a repo waited for is told no more once it was ejected", async () => {
  await using repo = await harnessedRepo();
  await using later = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({ roles: { ...TEAM.roles, engineer: REWRITES } });
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await repo.write("app.txt", "mine\n");
  await queued(ports, id, "orchestrator");
  const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url });
  await seen(({ kind }) => kind === "settled");
  await engine.idle();
  assert.equal(engine.state().waits.length, 1);
  await unregister(ports, repo.path);
  await registered(ports, later.path);
  await later.write(".harness/manifest.yaml", "roles: [\n");
  engine.wake();
  // The round that ends the wait tells this after it.
  await seen((event) => event.kind === "repo" && event.repo === later.path);
  assert.deepEqual(engine.state().waits, []);
  await engine.stop();
});

Deno.test("a move waits while a person is in the middle of a merge, and the work counts", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const head = (await repo.git("rev-parse", "HEAD")).trim();
  const begun = `${repo.path}/.git/MERGE_HEAD`;
  const [write, ...rest] = ENGINEER;
  const reply = () => {
    Deno.writeTextFileSync(begun, `${head}\n`);
    return write!.reply as ReturnType<typeof call>;
  };
  await using endpoint = modelEndpoint({
    roles: { ...TEAM.roles, engineer: [{ ...write, reply }, ...rest] },
  });
  const id = await registered(ports, repo.path);
  await queued(ports, id, "engineer", await ticketed(ports, repo.path));
  const { engine, seen } = watchedEngine(ports, {
    modelEndpoint: endpoint.url,
    times: { repoWaitMs: 200, pollMs: 50 },
  });
  await seen((event) => event.kind === "ended" && event.job.role === "engineer");
  // The judge does not begin before the ticket is in review.
  await seen((event) => event.kind === "given_back" && event.job.role === "qa");
  const [waiting] = await pendingSettlements(ports.db, id);
  assert.match(waiting!.waits_for!, /merge/);
  assert.deepEqual(await jobLines(ports), [
    "engineer T-0001 completed submitted",
    "qa T-0001 pending -",
  ]);
  await Deno.remove(begun);
  engine.wake();
  await seen((event) => event.kind === "ended" && event.job.role === "qa");
  await engine.idle();
  await engine.stop();
  assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "done");
});

for (const how of ["squashed", "squashed, and its branch deleted"]) {
  Deno.test(`a merge that is a person's is settled when the work was ${how}`, async () => {
    await using repo = await harnessedRepo({
      manifest: (text) => text.replace("merge: local", "merge: manual"),
    });
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    await using endpoint = modelEndpoint(TEAM);
    const id = await registered(ports, repo.path);
    await queued(ports, id, "engineer", await ticketed(ports, repo.path));
    await carryOut(ports, endpoint.url);
    const waiting = async () =>
      (await pendingSettlements(ports.db, id)).map((one) => one.waits_for);
    assert.deepEqual(await waiting(), [`a person to merge ${BRANCH} into main (manual)`]);
    await repo.git("merge", "--quiet", "--squash", BRANCH);
    await repo.git("commit", "--quiet", "-m", "squashed");
    if (how !== "squashed") {
      for (const { path } of await ports.worktrees.list(await ports.git.open(repo.path))) {
        await repo.git("worktree", "remove", "--force", path);
      }
      await repo.git("branch", "--quiet", "-D", BRANCH);
    }
    await carryOut(ports, endpoint.url);
    assert.deepEqual(await waiting(), []);
    assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "done");
  });
}
