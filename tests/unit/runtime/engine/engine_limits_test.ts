/** The engine with real git, processes, SQLite and HTTP: where nothing follows by itself. */
import assert from "node:assert/strict";
import {
  newSettlement,
  pendingSettlements,
  recordSettlement,
} from "svc/features/routing/settlement_store.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { systemClock } from "svc/platform/clock.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { treeHash } from "tests/kit/script.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
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
import { finish, TEAM, turns } from "tests/unit/runtime/team.ts";

Deno.test("in observer profile the chain is rehearsed and the repo stays byte for byte", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  {
    await using ports = await enginePorts(base.path);
    await ticketed(ports, repo.path);
  }
  const before = await treeHash(repo.path);
  await using ports = await enginePorts(base.path, { profile: "observer" });
  await using endpoint = modelEndpoint(TEAM);
  await queued(ports, await registered(ports, repo.path), "orchestrator");
  await carryOut(ports, endpoint.url);
  const decisions = await ports.db.selectFrom("decisions").selectAll().orderBy("id").execute();
  const rehearsed = decisions.map(({ role, applied }) => [role, applied]);
  assert.deepEqual(rehearsed.slice(0, 2), [["orchestrator", 0], ["engineer", 0]]);
  assert.equal((await pendingSettlements(ports.db, decisions[0]!.repo_id)).length, 0);
  assert.equal(await treeHash(repo.path), before);
});

Deno.test("in observer profile nobody's ticket is given back, and what is owed stays owed", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  const profile = "observer";
  const clock = { ...systemClock, now: () => Date.now() + 48 * 3_600_000 };
  const { id, owed } = await (async () => {
    await using ports = await enginePorts(base.path);
    const id = await registered(ports, repo.path);
    const ticket = await ticketed(ports, repo.path);
    using checkout = await openCheckout(
      { ...ports, signal: new AbortController().signal },
      repo.path,
    );
    await moveTicket(checkout, ticket, { to: "in-progress", actor: "ada" });
    const move = { from: "in-progress", to: "review" } as const;
    const said = { repoId: id, ticket, move, reason: "it is done", actor: "agent:engineer" };
    const owed = newSettlement(said, ports.clock.now());
    return { id, owed };
  })();
  const before = await treeHash(repo.path);
  await using ports = await enginePorts(base.path, { profile, clock });
  await using endpoint = modelEndpoint(TEAM);
  await carryOut(ports, endpoint.url);
  assert.deepEqual(await pendingSettlements(ports.db, id), []);
  await recordSettlement(ports.db, owed);
  await carryOut(ports, endpoint.url);
  assert.deepEqual((await pendingSettlements(ports.db, id)).map((one) => one.id), [owed.id]);
  assert.equal(await treeHash(repo.path), before);
});

Deno.test("where a person dispatches, nothing follows by itself, not even by the audit", async () => {
  const manifest = (text: string) => text.replace("mode: routed", "mode: manual");
  await using repo = await harnessedRepo({ manifest });
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint(TEAM);
  const id = await registered(ports, repo.path);
  const ticket = await ticketed(ports, repo.path);
  await queued(ports, id, "engineer", ticket);
  await carryOut(ports, endpoint.url);
  await carryOut(ports, endpoint.url);
  assert.deepEqual(await jobLines(ports), ["engineer T-0001 completed submitted"]);
  assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "review");
});

Deno.test("the audit queues the role of a ticket that nobody works on", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint(TEAM);
  await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  {
    using checkout = await openCheckout(
      { ...ports, signal: new AbortController().signal },
      repo.path,
    );
    await moveTicket(checkout, "T-0001", { to: "in-progress", actor: "ada" });
  }
  const events = await carryOut(ports, endpoint.url);
  assert.ok(events.some(({ kind }) => kind === "audited"));
  assert.equal((await jobLines(ports))[0], "engineer T-0001 completed submitted");
  assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "done");
});

Deno.test("the audit asks a person about a ticket that nothing comes of, though its time lies ahead", async () => {
  await using repo = await harnessedRepo({
    manifest: (text) => text.replaceAll(/no_work: \{ ticket: .*\}/g, "no_work: { stop: nothing }"),
  });
  await using base = await tempFolder();
  const ahead = { ...systemClock, now: () => Date.now() + 3_600_000 };
  const id = await (async () => {
    await using ports = await enginePorts(base.path, { clock: ahead });
    await registered(ports, repo.path);
    const ticket = await ticketed(ports, repo.path);
    using checkout = await openCheckout(
      { ...ports, signal: new AbortController().signal },
      repo.path,
    );
    await moveTicket(checkout, ticket, { to: "in-progress", actor: "ada" });
    return ticket;
  })();
  await using ports = await enginePorts(base.path);
  const idle = turns(finish("no_work"));
  await using endpoint = modelEndpoint({ roles: { engineer: idle, orchestrator: idle } });
  for (let round = 0; round < 2; round++) await carryOut(ports, endpoint.url);
  const [ticket] = await ticketsOf(ports, repo.path);
  assert.equal(ticket!.state, "blocked");
  assert.match(ticket!.unblock!.action, /queued once more and nothing came of it/);
  const engineers = (await jobLines(ports)).filter((line) => line.startsWith("engineer"));
  assert.deepEqual(engineers, [`engineer ${id} completed no_work`]);
});

Deno.test("a ticket that a person writes meanwhile is handed out by the next audit", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint(TEAM);
  await registered(ports, repo.path);
  const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url });
  await engine.idle();
  await ticketed(ports, repo.path);
  engine.audit();
  await seen((event) => event.kind === "ended" && event.job.role === "qa");
  await engine.stop();
  const [first] = await jobLines(ports);
  assert.equal(first, "orchestrator - completed routed");
});

Deno.test("after a job that led nowhere the next audit hands out what waits", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({
    roles: { ...TEAM.roles, gardener: turns(finish("no_work")) },
  });
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url });
  await engine.idle();
  await queued(ports, id, "gardener");
  engine.wake();
  await seen((event) => event.kind === "ended" && event.job.role === "gardener");
  await engine.idle();
  engine.audit();
  await seen((event) => event.kind === "ended" && event.job.role === "qa");
  await engine.stop();
});

Deno.test("a repo whose submodule lacks a commit is not worked on, and the job waits with the reason", async () => {
  await using repo = await harnessedRepo();
  await repo.git("init", "--quiet", "sub");
  await repo.git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
  await repo.git("commit", "--quiet", "--message", "sub");
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint(TEAM);
  const id = await registered(ports, repo.path);
  await queued(ports, id, "engineer", await ticketed(ports, repo.path));
  await carryOut(ports, endpoint.url);
  const [job] = await ports.db.selectFrom("jobs").selectAll().execute();
  assert.deepEqual([job!.status, job!.attempt], ["pending", 0]);
  assert.match(job!.reason!, /its submodule "sub" lacks the commit 111111111111/);
  assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "backlog");
  assert.equal(endpoint.requests.length, 0);
});

Deno.test("a rehearsal leaves waiting real work to a service in host profile, and ends when that begins", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const id = await registered(ports, repo.path);
  const real = await queued(ports, id, "engineer");
  await using endpoint = modelEndpoint({
    roles: {
      qa: [{ always: true, reply: finish("no_work") }],
      engineer: [{ always: true, reply: finish("no_work") }],
    },
  });
  const observer = { ...ports, profile: "observer" as const };
  const rehearsal = await queued(observer, id, "qa");
  await carryOut(observer, endpoint.url);
  const row = async (job: { readonly id: string }) =>
    await ports.db.selectFrom("jobs").selectAll().where("id", "=", job.id)
      .executeTakeFirstOrThrow();
  assert.equal((await row(real)).status, "pending");
  assert.equal((await row(rehearsal)).disposition, "no_work");

  const late = await queued(observer, id, "qa");
  await carryOut(ports, endpoint.url);
  assert.equal((await row(real)).disposition, "no_work");
  assert.deepEqual([(await row(late)).disposition, (await row(late)).reason], [
    "cancelled",
    "it was a rehearsal, and real work began",
  ]);
});
