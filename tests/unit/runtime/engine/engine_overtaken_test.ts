/** Jobs that nobody needs any more by the time it is their turn: they end unasked, and the ticket stays as it is. */
import assert from "node:assert/strict";
import { claimNext, snooze } from "svc/features/jobs/job_store.ts";
import { orderFor, queueBehindRunning, queueJob } from "svc/features/jobs/order_job.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
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
import { TEAM } from "tests/unit/runtime/team.ts";

async function place() {
  await using held = new AsyncDisposableStack();
  const repo = held.use(await harnessedRepo());
  const base = held.use(await tempFolder());
  const ports = held.use(await enginePorts(base.path));
  const endpoint = held.use(modelEndpoint(TEAM));
  const id = await registered(ports, repo.path);
  const ticket = await ticketed(ports, repo.path);
  const order = orderFor({ id, manifest: undefined }, {
    ...{ role: "engineer", trigger: "route", trust: "contributor", ticket: { id: ticket } },
  });
  const by = { now: ports.clock.now(), profile: "host" } as const;
  const moved = held.move();
  return {
    ...{ repo, ports, endpoint, id, ticket, order, by },
    [Symbol.asyncDispose]: () => moved[Symbol.asyncDispose](),
  };
}

Deno.test("a job whose ticket got done while it was put off asks no model and changes nothing [1:serve:worker-pool]", async () => {
  await using at = await place();
  const { ports, repo, endpoint, order, by } = at;
  await carryOutFirst(at);
  const asked = endpoint.requests.length;
  const head = await repo.git("rev-parse", "HEAD");
  await queueJob(ports.db, { ...order, unique_key: null }, by);
  await carryOut(ports, endpoint.url);
  assert.equal((await jobLines(ports)).filter((line) => line.endsWith("cancelled")).length, 1);
  const { reason } = await ports.db.selectFrom("jobs").select("reason")
    .where("disposition", "=", "cancelled").executeTakeFirstOrThrow();
  assert.equal(reason, "T-0001 is done");
  assert.equal(endpoint.requests.length, asked);
  assert.equal(await repo.git("rev-parse", "HEAD"), head);
});

async function carryOutFirst(
  { ports, repo, endpoint, order, by }: Awaited<ReturnType<typeof place>>,
) {
  await queueJob(ports.db, order, by);
  await carryOut(ports, endpoint.url);
  assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "done");
}

Deno.test("a job that waits while a person blocks its ticket asks no model, and the ticket stays blocked [1:serve:worker-pool]", async () => {
  await using at = await place();
  const { ports, repo, endpoint, order, by, ticket } = at;
  await queueJob(ports.db, order, by);
  using checkout = await openCheckout({ ...ports, signal: AbortSignal.timeout(60_000) }, repo.path);
  await moveTicket(checkout, ticket, { to: "in-progress", actor: "ada" });
  const unblock = { owner: "ada", action: "Say whether it is wanted" };
  await moveTicket(checkout, ticket, { to: "blocked", actor: "ada", unblock });
  const head = await repo.git("rev-parse", "HEAD");
  await carryOut(ports, endpoint.url);
  assert.deepEqual(await jobLines(ports), ["engineer T-0001 failed cancelled"]);
  const { reason } = await ports.db.selectFrom("jobs").select("reason").executeTakeFirstOrThrow();
  assert.equal(reason, "T-0001 is blocked");
  assert.equal(endpoint.requests.length, 0);
  assert.equal(await repo.git("rev-parse", "HEAD"), head);
});

Deno.test("a job that was queued behind one that has been put off since leaves the ticket to that one [1:serve:worker-pool]", async () => {
  await using at = await place();
  const { ports, repo, endpoint, order, by, id } = at;
  await queueJob(ports.db, order, by);
  const job = await claimNext(ports.db, {
    ...{ owner: "an engine", leaseMs: 60_000, repoIds: [id], heldRoles: [], limited: false },
    ...by,
  });
  assert.ok(job !== undefined);
  const behind = await queueBehindRunning(ports.db, order, by);
  const until = by.now + 3_600_000;
  await snooze(ports.db, job, { until, reason: "its repo is away" }, by.now);
  await carryOut(ports, endpoint.url);
  const rows = await ports.db.selectFrom("jobs").selectAll().execute();
  const ended = rows.find(({ id }) => id === behind.id)!;
  assert.equal(ended.disposition, "cancelled");
  assert.equal(ended.reason, `job ${job.id}, which it was to follow, has yet to run`);
  assert.equal(rows.find(({ id }) => id === job.id)!.status, "pending");
  assert.equal(endpoint.requests.length, 0);
  assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "backlog");
});

Deno.test("a ticket that a job has been claimed for is not handed out a second time [1:serve:worker-pool]", async () => {
  await using at = await place();
  const { ports, endpoint, order, by, id } = at;
  await queueJob(ports.db, order, by);
  const claim = { leaseMs: 600_000, repoIds: [id], heldRoles: [], limited: false, ...by };
  const job = await claimNext(ports.db, { owner: "an engine", ...claim });
  await queued(ports, id, "orchestrator");
  const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url });
  await seen((event) => event.kind === "ended");
  await engine.stop();
  assert.deepEqual(await jobLines(ports), [
    "engineer T-0001 running -",
    "orchestrator - completed routed",
  ]);
  const { next_job } = await ports.db.selectFrom("decisions").select("next_job")
    .executeTakeFirstOrThrow();
  assert.equal(next_job, job!.id);
});
