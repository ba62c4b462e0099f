/** What an engine does in a repo whose remote other nodes push to at the same moment. The remote is a bare repo of git's. */
import assert from "node:assert/strict";
import { orderFor, queueJob } from "svc/features/jobs/order_job.ts";
import { newSettlement, recordSettlement } from "svc/features/routing/settlement_store.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { MERGE_CHECK } from "svc/runtime/settle/unchecked.ts";
import { settlePending } from "svc/runtime/settle/settle.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import { remotePorts } from "tests/unit/platform/remote_ports.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  jobLines,
  registered,
  ticketed,
  watchedEngine,
} from "tests/unit/runtime/engine_place.ts";
import { TEAM } from "tests/unit/runtime/team.ts";

const BRANCH = "svc/T-0001-make-the-test-pass";
const signal = new AbortController().signal;

/** T-0001 was submitted: its branch is at the remote. */
async function submitted() {
  const parts = new AsyncDisposableStack();
  const base = parts.use(await tempFolder());
  const ada = parts.use(await harnessedRepo());
  const ports = parts.use(await enginePorts(base.path));
  const endpoint = parts.use(modelEndpoint(TEAM));
  const bare = `${base.path}/app.git`;
  await ticketed(ports, ada.path);
  await plainGit(base.path, ["clone", "--quiet", "--bare", ada.path, bare]);
  const id = await registered(ports, ada.path);
  const url = `file://${bare}`;
  const [stored] = await listRepos(ports.db);
  const row = { ...stored!, path: "/", branch: "main", url };
  const node = async (name: string) => {
    const own = { ...ports, remotes: remotePorts(`${base.path}/${name}`), signal };
    return { own, repo: parts.use(await new RepoOpener(own).open(row, { signal })) };
  };
  const bo = await node("bo");
  await bo.repo.tickets.move("T-0001", {
    to: "in-progress",
    actor: "agent:engineer",
    branch: BRANCH,
  });
  await ada.git("remote", "add", "origin", bare);
  await ada.git("fetch", "--quiet", "origin");
  await ada.git("switch", "--quiet", "-c", BRANCH, "origin/main");
  const work = async (text: string) => {
    await ada.write("fixed.txt", text);
    await ada.git("add", "--all");
    await ada.git("commit", "--quiet", "-m", "fix: make the test pass\n\nSvc-Role: person");
    await ada.git("push", "--quiet", "origin", BRANCH);
    return (await ada.git("rev-parse", "HEAD")).trim();
  };
  await work("one\n");
  return {
    ...{ ports, endpoint, bare, row, node, bo, work },
    owe: () =>
      recordSettlement(
        ports.db,
        newSettlement({
          ...{ repoId: id, ticket: "T-0001", move: { from: "in-progress", to: "review" } },
          ...{ reason: "it is submitted", actor: "agent:engineer" },
        }, ports.clock.now()),
      ),
    judge: () =>
      queueJob(
        ports.db,
        orderFor({ id, manifest: undefined }, {
          ...{ role: "qa", trigger: "route", trust: "contributor", ticket: { id: "T-0001" } },
        }),
        { now: ports.clock.now(), profile: "host" },
      ),
    states: async () =>
      (await plainGit(bare, ["log", "--format=%s", "main", "--", "docs/tickets"])).stdout.trim()
        .split("\n"),
    [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
  };
}

Deno.test("a role judges a ticket as the remote has it, when another node settled it in between [1:serve:worker-pool]", async () => {
  await using at = await submitted();
  const { ports, endpoint, row, node, bo, owe, judge, states } = at;
  const { own: { remotes } } = await node("ada");
  let others: (() => Promise<unknown>) | undefined;
  const late: typeof remotes = {
    ...remotes,
    // The move reaches the remote right after the fetch that the job begins with.
    async fetch(...args) {
      const tip = await remotes.fetch(...args);
      const first = others;
      others = undefined;
      await first?.();
      return tip;
    },
  };
  const { engine, seen } = watchedEngine({ ...ports, remotes: late } as typeof ports, {
    modelEndpoint: endpoint.url,
    repos: () => Promise.resolve([row]),
    times: { pollMs: 20, settleMs: 600_000, auditMs: 600_000 },
  });
  await engine.begun;
  await owe();
  others = () => settlePending(bo.own, bo.repo);
  // Nobody is told, so that a worker comes to it before the round that settles.
  await judge();
  await seen((event) => event.kind === "ended" && event.job.role === "qa");
  await engine.idle();
  await engine.stop();
  assert.match((await states())[0]!, /move T-0001 to done/);
  const lines = await jobLines(ports);
  assert.deepEqual(lines.filter((line) => line.startsWith("qa")), ["qa T-0001 completed approved"]);
});

Deno.test("a node takes no older state of its own clone for a branch that moved on since it was approved [1:serve:worker-pool]", async () => {
  await using at = await submitted();
  const { ports, node, bo, row, owe, work } = at;
  await owe();
  await settlePending(bo.own, bo.repo);
  const { own, repo } = await node("ada");
  await repo.shared!.refresh();
  await own.remotes.adopt(repo.git, BRANCH);
  // Elsewhere it was worked on since.
  const commit = await work("two\n");
  const merge = { from: BRANCH, into: "main", commit };
  const owed = newSettlement({
    ...{ repoId: row.id, ticket: "T-0001", move: { from: "review", to: "done" }, merge },
    ...{ reason: "it is approved", actor: "agent:qa" },
  }, ports.clock.now());
  await recordSettlement(ports.db, owed);
  const { waiting } = await settlePending(own, repo);
  assert.deepEqual(waiting, [{ id: owed.id, why: MERGE_CHECK }]);
  // What another node pushes now was not approved.
  await work("three\n");
  await settlePending(own, repo);
  const stored = await ports.db.selectFrom("settlements").selectAll().where("id", "=", owed.id)
    .executeTakeFirstOrThrow();
  assert.equal(stored.outcome, `${BRANCH} moved on since it was approved`);
});

Deno.test("a ticket of all nodes that nobody works on is looked after by the node that leads [1:serve:worker-pool]", async () => {
  await using at = await submitted();
  const { own } = await at.node("ada");
  const ports = { ...at.ports, remotes: own.remotes } as typeof at.ports;
  const repos = () => Promise.resolve([at.row]);
  for (const leading of [false, true]) {
    const leads = () => leading;
    const events = await carryOut(ports, at.endpoint.url, { repos, leads });
    assert.equal(events.some(({ kind }) => kind === "audited"), leading);
    assert.equal((await jobLines(ports)).some((line) => line.startsWith("engineer")), leading);
  }
});
