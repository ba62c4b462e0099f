/** The life of nodes on a server: names, what a person asks of them, and what they say of themselves. */
import assert from "node:assert/strict";
import { claimNext, enqueue, release } from "svc/features/jobs/job_store.ts";
import { teamFindings } from "svc/runtime/doctor/team_findings.ts";
import { pauseLane } from "svc/features/jobs/lane_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import { beginNode } from "svc/runtime/service/node_life.ts";
import { askNodes, forget } from "svc/runtime/service/node_asks.ts";
import { nodesNow } from "svc/runtime/views/node_item.ts";
import { recordMigration } from "svc/store/meta_store.ts";
import { MIGRATIONS } from "svc/store/migrations/all.ts";
import { openServer } from "svc/store/postgres/open.ts";
import { serverOf } from "svc/store/server_adapter.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import {
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  watchedEngine,
} from "tests/unit/runtime/engine_place.ts";
import { finish, turns } from "tests/unit/runtime/team.ts";
import { idOf, Team } from "tests/unit/runtime/node_place.ts";
import { onPostgres } from "tests/unit/store/on_postgres.ts";
import { ports, tempStore } from "tests/unit/store/temp_store.ts";

onPostgres();

async function team() {
  const store = await tempStore();
  const it = new Team(store.db);
  const ports = { db: store.db, clock: it.clock };
  const ask = (act: "drain" | "pause" | "resume" | "stop", nodes: readonly string[] | "all") =>
    askNodes(ports, { act, nodes, by: "Ada", reason: "a test" });
  const shown = async () =>
    (await nodesNow(ports)).map(({ name, condition, why }) =>
      [name, condition, ...why === null ? [] : [why]].join(" ")
    );
  return {
    ...{ it, ports, ask, shown },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

verifies(
  ["2.1:shared-database:holds-serve-state"],
  "nodes have names of their own, and keep them",
  async () => {
    await using place = await team();
    const { it, shown } = place;
    await using one = await it.begin(1, 11);
    {
      await using two = await it.begin(2, 12);
      await using three = await it.begin(3, 13);
      assert.deepEqual([one, two, three].map(({ name }) => name), ["build", "build-2", "build-3"]);
      await assert.rejects(it.begin(4, 14, { name: "build-2", named: true }), {
        code: "conflict",
        message: 'Cannot start svc as node "build-2": another node is called so',
      });
    }
    assert.deepEqual(await shown(), ["build working", "build-2 ended", "build-3 ended"]);
    await using three = await it.begin(3, 33);
    assert.equal(three.name, "build-3");
    // The typed name of a node that does not live is no hindrance.
    await using four = await it.begin(4, 14, { name: "build-2", named: true });
    assert.equal(four.name, "build-2-2");
    await using north = await it.begin(5, 15, { name: "north", named: true });
    assert.equal(north.name, "north");
  },
);

verifies(
  ["4.5:serve:db"],
  "a second service of a home is refused while the first lives, by its process or its beats",
  async () => {
    await using place = await team();
    const { it, shown } = place;
    await using first = await it.begin(1, 11);
    it.lives.set(11, "alive");
    await assert.rejects(it.begin(1, 12), {
      code: "conflict",
      message:
        'Cannot start svc: this home is node "build" of that database already, as process 11',
    });
    it.lives.set(11, "unknown");
    await assert.rejects(it.begin(1, 12), { message: /as process 11 on m11$/ });
    it.lives.set(11, "dead");
    await using second = await it.begin(1, 12);
    assert.equal(second.name, "build");
    // The process that was thought dead hears it with its next beat: it claims nothing, and stops.
    it.lives.set(12, "alive");
    await it.beat();
    assert.equal(first.hold(), "another process is node build by now");
    assert.deepEqual(it.told, ["another process is node build by now", "stops"]);
    assert.equal(second.hold(), undefined);
    assert.deepEqual(await shown(), ["build working"]);
  },
);

verifies(
  ["3.2:pause:no-new-claims", "2.1:shared-database:holds-serve-state"],
  "a node hears with its next beat that it is paused, drained, resumed and stopped",
  async () => {
    await using place = await team();
    const { it, ports, ask, shown } = place;
    await using north = await it.begin(1, 11, { name: "north" });
    await using south = await it.begin(2, 12, { name: "south" });
    let running = 1;
    north.watch(() => ({ running, fault: undefined }));
    await ask("pause", ["north"]);
    await it.beat();
    assert.equal(north.hold(), "node north is paused: paused by Ada: a test");
    assert.equal(south.hold(), undefined);
    assert.deepEqual(await shown(), ["north paused paused by Ada: a test", "south working"]);
    await ask("resume", ["north"]);
    await it.beat();
    assert.equal(north.hold(), undefined);

    const job = await jobOn(it, idOf(1));
    await ask("drain", "all");
    await it.beat();
    assert.equal(north.hold(), "node north drains: drained by Ada: a test");
    assert.match((await shown()).join(), /^north draining [^,]+,south drained /);
    running = 0;
    await release(ports.db, job, it.clock.now());
    assert.equal(north.hold(), "node north is drained: drained by Ada: a test");
    assert.match((await shown())[0]!, /^north drained /);

    await ask("stop", ["north"]);
    await it.beat();
    assert.deepEqual(it.told, ["node north stops: stopped by Ada: a test", "stops"]);
    await assert.rejects(ask("resume", ["north"]), {
      message: 'Cannot resume node "north": it stops',
    });
    await assert.rejects(ask("pause", ["sout"]), {
      code: "not_found",
      remedy: /"south"/,
    });
  },
);

/** A job that runs on the node. */
async function jobOn({ db, clock }: Team, node: string) {
  const now = clock.now();
  await db.insertInto("repos").values({
    ...{ id: "0123456789ab", path: "/shop", remote: null, host: null, branch: "main" },
    ...{ url: null, node_id: idOf(2), created_at: 1, updated_at: 1 },
  }).execute();
  await enqueue(db, {
    ...{ repo_id: "0123456789ab", role: "qa", trigger: "manual" },
    ...{ source_trust: "contributor", profile: "host" },
  }, now);
  return (await claimNext(db, { owner: "w1", now, profile: "host", node }))!;
}

Deno.test("a node that comes back works again, unless a person paused it", async () => {
  await using place = await team();
  const { it, ask, shown } = place;
  {
    await using _north = await it.begin(1, 11, { name: "north" });
    await using _south = await it.begin(2, 12, { name: "south" });
    await ask("pause", ["north"]);
    await ask("stop", ["south"]);
  }
  assert.deepEqual(await shown(), [
    "north ended paused by Ada: a test",
    "south ended stopped by Ada: a test",
  ]);
  await assert.rejects(ask("drain", ["north"]), { message: /it has ended$/ });
  await using north = await it.begin(1, 21, { name: "north" });
  await using south = await it.begin(2, 22, { name: "south" });
  // Before it claims anything.
  assert.equal(north.hold(), "node north is paused: paused by Ada: a test");
  assert.equal(south.hold(), undefined);
});

Deno.test("a node is gone when it was silent for a minute, and is forgotten once nothing is its own", async () => {
  await using place = await team();
  const { it, ports, shown } = place;
  await using north = await it.begin(1, 11, { name: "north" });
  const job = await jobOn(it, idOf(1));
  await assert.rejects(forget(ports, "north"), {
    message: 'Cannot forget node "north": it is there',
  });
  await ports.db.updateTable("nodes").set({ beat_at: it.clock.now() - 60_001 }).execute();
  assert.deepEqual(await shown(), ["north gone"]);
  await assert.rejects(forget(ports, "north"), { message: /jobs run on it \(1\)$/ });
  await release(ports.db, job, it.clock.now());
  await ports.db.updateTable("repos").set({ node_id: idOf(1) }).execute();
  await assert.rejects(forget(ports, "north"), { message: /only it works on "\/shop"$/ });
  await ports.db.updateTable("repos").set({ url: "https://example.org/shop.git" }).execute();
  await forget(ports, "north", { dryRun: true });
  assert.deepEqual(await shown(), ["north gone"]);
  await forget(ports, "north");
  assert.deepEqual(await shown(), []);
  // It was not gone for good: it is a node again.
  await it.beat();
  assert.deepEqual(await shown(), ["north working"]);
  assert.equal(north.hold(), undefined);
});

verifies(
  ["2.1:shared-database:holds-serve-state"],
  "a node claims nothing once a newer svc has migrated its database, and says so to all",
  async () => {
    await using place = await team();
    const { it, ports, shown } = place;
    await using north = await it.begin(1, 11, { name: "north" });
    const known = MIGRATIONS.length;
    await recordMigration(ports.db, "9999_later", "0".repeat(64));
    await it.beat();
    const why =
      `the database was migrated by svc of a newer schema (${known + 1}, this one knows ` +
      `${known}); update this node`;
    assert.equal(north.hold(), why);
    await it.beat();
    assert.deepEqual(await shown(), [`north waiting ${why}`]);
    await using _south = await it.begin(2, 12, { name: "south" });
    await ports.db.updateTable("nodes").set({ version: "0.1.0", beat_at: it.clock.now() - 61_000 })
      .where("name", "=", "south").execute();
    await pauseLane(ports.db, { kind: "model", key: "m", reason: "no key" }, it.clock.now());
    assert.deepEqual((await teamFindings(ports)).map(({ level, text }) => `${level}: ${text}`), [
      "ok: 1 node of 2 there",
      `warning: node north waits: ${why}`,
      "warning: node south is gone: it was heard 61 s ago",
      "warning: model m is held back: no key",
    ]);
    await ports.db.updateTable("nodes").set({ beat_at: it.clock.now() }).execute();
    const { text } = (await teamFindings(ports)).find(({ text }) => /several/.test(text))!;
    assert.match(text, /^its nodes run svc of several versions: \S+ \(north\), 0\.1\.0 \(south\)$/);
  },
);

/** What a release after this one may bring: more tables and columns. */
const LATER = {
  name: "9998_later",
  statements: [
    "CREATE TABLE later (id TEXT NOT NULL PRIMARY KEY) STRICT",
    "ALTER TABLE jobs ADD COLUMN later INTEGER CHECK (later > 0)",
    "ALTER TABLE nodes ADD COLUMN later TEXT NOT NULL DEFAULT ''",
  ],
};

verifies(
  ["2.1:shared-database:holds-serve-state", "4.5:serve:db"],
  "a team is updated while it works: a node of the older svc ends its job on the newer schema, and leaves the next one",
  async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using older = await enginePorts(base.path);
    const asked = Promise.withResolvers<void>();
    const mayAnswer = Promise.withResolvers<void>();
    await using endpoint = modelEndpoint({
      roles: { gardener: turns(finish("no_work")), ceo: turns(finish("no_work")) },
    });
    const slow: typeof fetch = async (...words) => {
      asked.resolve();
      await mayAnswer.promise;
      return await fetch(...words);
    };
    const id = await registered(older, repo.path);
    const own = { id: idOf(1), name: "old" };
    await using old = await beginNode(older, { node: own, concurrency: 1, beatMs: 5 });
    const oldPorts = { ...older, fetch: slow, node: own };
    const watched = watchedEngine(oldPorts, { modelEndpoint: endpoint.url, node: old });
    old.serve({ changed: () => watched.engine.wake(), say() {}, stop() {} });
    await queued(older, id, "gardener");
    await asked.promise;

    // The newer svc comes, migrates, and begins.
    const { db } = older;
    const login = await ports.servers!.login(serverOf(db)!);
    const newer = [...MIGRATIONS, LATER];
    await using upgraded = await openServer({ clock: systemClock }, login, newer);
    const next = { id: idOf(2), name: "new" };
    const newPorts = { ...older, db: upgraded.db, node: next };
    await using fresh = await beginNode(newPorts, {
      ...{ node: next, concurrency: 1, schema: newer.length },
    });
    await watched.seen((event) => event.kind === "claiming" && /newer schema/.test(event.reason!));
    await queued(older, id, "ceo");
    mayAnswer.resolve();
    await watched.seen(({ kind }) => kind === "ended");
    const jobs = () =>
      db.selectFrom("jobs").select(["role", "status", "node_id"]).orderBy("id").execute();
    assert.deepEqual(await jobs(), [
      { role: "gardener", status: "completed", node_id: idOf(1) },
      { role: "ceo", status: "pending", node_id: null },
    ]);
    assert.equal(watched.engine.state().claims, "paused");

    const other = watchedEngine(newPorts, { modelEndpoint: endpoint.url, node: fresh });
    await other.seen(({ kind }) => kind === "ended");
    assert.deepEqual((await jobs())[1], { role: "ceo", status: "completed", node_id: idOf(2) });
    // An older svc that begins now is told to wait for its update.
    await assert.rejects(openServer({ clock: systemClock }, login), { code: "conflict" });
    await Promise.all([watched, other].map(({ engine }) => engine.stop({ graceMs: 0 })));
  },
);
