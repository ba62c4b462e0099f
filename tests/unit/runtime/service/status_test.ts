import { type ManifestReading, RepoOpener } from "svc/features/repos/repo.ts";
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { claimNext, enqueue, snooze } from "svc/features/jobs/job_store.ts";
import { setJobLimit } from "svc/features/jobs/job_limit_store.ts";
import { pauseLane, roleLane } from "svc/features/jobs/lane_store.ts";
import { type ServiceCondition, StatusBoard } from "svc/runtime/service/status.ts";
import { tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  registered,
  reposIn,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";

const CONDITION: ServiceCondition = {
  ...{ profile: "host", condition: "running", startedAt: 1 },
  engine: {
    ...{ condition: "running", claims: "claiming", reason: undefined, concurrency: 2 },
    ...{ running: [], checking: [], watchedAt: undefined, waits: [], holds: [], problems: [] },
  },
};

const ASKED = `unblock: {owner: maintainer, action: answer}
question: {asked: Which?, choices: [a, b], why: so, role: engineer, job: one}
`;

/** Puts a ticket of the backlog among the blocked by hand. */
async function moved(repo: TempRepo, id: string, edit: (text: string) => string) {
  const folder = `${repo.path}/docs/tickets`;
  for await (const { name } of Deno.readDir(`${folder}/backlog`)) {
    if (!name.startsWith(id)) continue;
    const text = edit(await Deno.readTextFile(`${folder}/backlog/${name}`));
    await Deno.remove(`${folder}/backlog/${name}`);
    await repo.write(`docs/tickets/blocked/${name}`, text);
    return { text };
  }
  throw new Error(`There is no ${id}`);
}

async function place() {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const ports = parts.use(await enginePorts(base.path));
  const id = await registered(ports, repo.path);
  const opener = new RepoOpener(ports);
  const manifestAt = (root: string) => opener.manifestAt(root);
  return { parts, repo, ports, id, manifestAt };
}

Deno.test("the status is read again when an event says so, and not before it is old", async () => {
  const { parts, repo, ports, id, manifestAt } = await place();
  await using _parts = parts;
  let looks = 0;
  const board = new StatusBoard({
    ...{ ports, shape: "serve", repos: reposIn(ports) },
    async manifestAt(root) {
      looks++;
      return await manifestAt(root);
    },
  });
  const status = () => board.status(() => CONDITION);
  const [first, second] = await Promise.all([status(), status()]);
  assert.deepEqual(second.repos, first.repos);
  assert.deepEqual([first.repos[0]!.tickets.backlog, first.healthy], [0, true]);
  await ticketed(ports, repo.path);
  await repo.write("docs/tickets/backlog/README.md", "Not a ticket\n");
  assert.equal((await status()).repos[0]!.tickets.backlog, 0);
  board.onEvent({ type: "job_turn", repo_id: id });
  assert.equal((await status()).repos[0]!.tickets.backlog, 0);
  assert.equal(looks, 1);
  board.onEvent({ type: "ticket_update", repo_id: id });
  assert.equal((await status()).repos[0]!.tickets.backlog, 1);
  assert.equal(looks, 2);
});

Deno.test("a glance looks at no repo, is at once while the database was read, and says when it is gone", async () => {
  const { parts, ports, id } = await place();
  await using _parts = parts;
  const manifestAt = () => Promise.reject(new Error("nobody looks"));
  const board = new StatusBoard({ ports, shape: "serve", repos: reposIn(ports), manifestAt });
  const glance = () => board.glance(() => ({ ...CONDITION, claims: "claiming" }));
  const first = glance();
  assert.ok(first instanceof Promise);
  assert.deepEqual(await first, { healthy: true, claims: "claiming", startedAt: 1 });
  assert.deepEqual(glance(), { healthy: true, claims: "claiming", startedAt: 1 });
  board.onEvent({ type: "status_change", repo_id: id });
  await ports.db.destroy();
  assert.equal((await glance()).healthy, false);
});

Deno.test("the status has what roles ask, also beside a ticket that cannot be read", async () => {
  const { parts, repo, ports, id, manifestAt } = await place();
  await using _parts = parts;
  await ticketed(ports, repo.path);
  const { text } = await moved(
    repo,
    "T-0001",
    (text) => text.replace("acceptance:", () => ASKED + "acceptance:"),
  );
  await repo.write("docs/tickets/blocked/T-0002-broken.md", text.replace("id: T-0001", "id: ["));
  const board = new StatusBoard({ ports, shape: "serve", repos: reposIn(ports), manifestAt });
  const [shop] = (await board.status(() => CONDITION)).repos;
  assert.equal(shop?.id, id);
  assert.deepEqual(shop.questions, [
    { ticket: "T-0001", role: "engineer", asked: "Which?", choices: ["a", "b"], why: "so" },
  ]);
  assert.equal(shop.tickets.blocked, 2);
});

Deno.test("the status names models that are held back, and roles of its own repos", async () => {
  const { parts, ports, id, manifestAt } = await place();
  await using _parts = parts;
  const [reason, now] = ["no quota", ports.clock.now()];
  await pauseLane(ports.db, { kind: "model", key: "acme/large", reason }, now);
  await pauseLane(ports.db, { kind: "role", key: roleLane(id, "qa"), reason }, now);
  await pauseLane(ports.db, { kind: "role", key: roleLane("ffffffffffff", "qa"), reason }, now);
  const board = new StatusBoard({ ports, shape: "serve", repos: reposIn(ports), manifestAt });
  assert.deepEqual((await board.status(() => CONDITION)).heldBack, [
    { kind: "model", key: "acme/large", reason },
    { kind: "role", key: `${id}/qa`, reason },
  ]);
});

Deno.test("the status has the limits on running jobs that leave no room", async () => {
  const { parts, ports, manifestAt } = await place();
  await using _parts = parts;
  await setJobLimit(ports.db, { scope: "role", key: "engineer", most: 0 });
  await setJobLimit(ports.db, { scope: "team", key: "", most: 9 });
  // Neither keeps a job of this service from running.
  await setJobLimit(ports.db, { scope: "repo", key: "0123456789ab", most: 0 });
  await setJobLimit(ports.db, { scope: "node", key: "another", most: 0 });
  const board = new StatusBoard({ ports, shape: "serve", repos: reposIn(ports), manifestAt });
  assert.deepEqual((await board.status(() => CONDITION)).full, ["role:engineer 0"]);
});

Deno.test("the status has why jobs wait that were begun, until their time comes", async () => {
  const { parts, ports, id, manifestAt } = await place();
  await using _parts = parts;
  const now = ports.clock.now();
  const queuedFor = async (role: string, wait?: Parameters<typeof snooze>[2]) => {
    const order = { repo_id: id, role, trigger: "manual", source_trust: "contributor" } as const;
    const { job } = await enqueue(ports.db, order, now);
    if (wait === undefined) return;
    const lease = await claimNext(ports.db, { owner: "h b 1 s w1", now, jobId: job.id });
    await snooze(ports.db, lease!, wait, now);
  };
  await queuedFor("ceo");
  await queuedFor("gardener", { until: now - 1, reason: "its time has come" });
  await queuedFor("qa", { until: now + 90_000, reason: "no budget", category: "budget" });
  await queuedFor("engineer", { until: now + 60_000, reason: "its model is away" });
  const board = new StatusBoard({ ports, shape: "serve", repos: reposIn(ports), manifestAt });
  const { putOff } = await board.status(() => CONDITION);
  assert.deepEqual(putOff!.map(({ role, reason }) => [role, reason]), [
    ["engineer", "its model is away"],
  ]);
});

Deno.test("a repo that does not answer keeps no status waiting, and is named", async () => {
  const { parts, ports, manifestAt } = await place();
  await using _parts = parts;
  await using other = await harnessedRepo();
  const slow = await registered(ports, other.path);
  const answer = Promise.withResolvers<ManifestReading>();
  // A second is over in the next turn of the event loop.
  const clock = { ...ports.clock, sleep: () => new Promise<void>((wake) => setTimeout(wake)) };
  const board = new StatusBoard({
    ...{ ports: { ...ports, clock }, shape: "serve", repos: reposIn(ports) },
    manifestAt: (root) => root === other.path ? answer.promise : manifestAt(root),
  });
  /** Once the other repo was read. */
  const told = async () => {
    for (;;) {
      const status = await board.status(() => CONDITION);
      const fine = status.repos.find(({ id }) => id !== slow);
      if (status.healthy && fine?.problem === undefined && (fine?.next.length ?? 0) > 0) {
        return status;
      }
    }
  };
  const problems = async () => {
    const { repos, healthy } = await told();
    return [healthy, ...repos.map(({ id, problem }) => id === slow ? problem : "fine")].sort();
  };
  assert.deepEqual(await problems(), ["fine", "it is still being read", true]);
  answer.reject(new Failure("environment", "Cannot open it"));
  await answer.promise.catch(() => {});
  assert.deepEqual(await problems(), ["Cannot open it", "fine", true]);
});

Deno.test("a database that does not answer is not healthy, and what was known is told", async () => {
  const { parts, ports, manifestAt } = await place();
  await using _parts = parts;
  let broken = false;
  const repos = async () => {
    if (broken) throw new Failure("environment", "Cannot use the database");
    return await reposIn(ports)();
  };
  const board = new StatusBoard({ ports, shape: "serve", repos, manifestAt });
  assert.equal((await board.status(() => CONDITION)).healthy, true);
  broken = true;
  board.forget();
  const status = await board.status(() => CONDITION);
  assert.deepEqual([status.healthy, status.repos.length], [false, 1]);
});
