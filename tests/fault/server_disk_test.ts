/** A database server whose disk is full: svc says so, goes on when there is room, and what was acknowledged is there. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { eventsAfter, recordEvent } from "svc/features/telemetry/event_store.ts";
import type { Db } from "svc/store/schema.ts";
import { cannotMount, tmpfs } from "tests/kit/odd_disks.ts";
import { addressOf, POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { verifies } from "tests/kit/verifies.ts";
import { watchedEngine } from "tests/unit/runtime/engine_place.ts";
import { assertDoneOnce, migrated, QUICK_ENGINE, serverPlace } from "./server_place.ts";

const ignore = POSTGRES === undefined || await cannotMount();

/** A small disk that the user of the server may write. */
async function serverDisk(kib: number) {
  const disk = await tmpfs(kib);
  await new Deno.Command("chown", { args: ["postgres", disk.path] }).output();
  return disk;
}

/** Writes until nothing more fits. */
function fill(folder: string): () => Promise<void> {
  const path = `${folder}/filler`;
  using file = Deno.openSync(path, { create: true, write: true });
  const chunk = new Uint8Array(4096);
  try {
    for (;;) file.writeSync(chunk);
  } catch (thrown) {
    assert.match(String(thrown), /os error 28/);
  }
  return () => Deno.remove(path);
}

/** Stores events until the server refuses one. @returns how many it acknowledged, and what it said */
async function brimful(db: Db): Promise<{ readonly stored: number; readonly why: string }> {
  const data = { text: "x".repeat(1000) };
  for (let stored = 0;; stored++) {
    try {
      await recordEvent(db, { type: "telemetry", data: { ...data, stored } }, systemClock.now());
    } catch (thrown) {
      return { stored, why: (thrown as Error).message };
    }
  }
}

async function numbered(db: Db): Promise<number[]> {
  const events = await eventsAfter(db, 0, 10_000);
  return events.filter(({ type }) => type === "telemetry")
    .map(({ data }) => JSON.parse(data).stored);
}

verifies(
  ["2.1:shared-database:holds-serve-state", "3.2:startup:resumes-active-jobs"],
  "a tablespace that is full: jobs wait with the reason, and get done when there is room",
  { ignore },
  async () => {
    await using cluster = await startCluster();
    await using disk = await serverDisk(24 * 1024);
    const model = await (await migrated(cluster))();
    await cluster.psql(`CREATE TABLESPACE small LOCATION '${disk.path}'`);
    await cluster.psql(`CREATE DATABASE full_one TEMPLATE ${model.database} TABLESPACE small`);
    const login = { ...model, database: "full_one" };
    await using at = await serverPlace({ ...login, shown: addressOf(login) });
    const free = fill(disk.path);
    const { stored, why } = await brimful(at.near.db);
    assert.match(why, /: the disk of the server is full$/);
    const { engine, seen } = watchedEngine(at.far, {
      modelEndpoint: at.model.url,
      times: QUICK_ENGINE,
    });
    await seen((event) => event.kind === "claiming" && event.reason !== undefined);
    assert.match(engine.state().reason!, /: the disk of the server is full$/);
    assert.equal(at.model.requests.length, 0);
    await free();
    await seen((event) => event.kind === "ended" && event.job.role === "qa");
    await engine.idle();
    await engine.stop();
    assert.deepEqual(await numbered(at.near.db), Array.from({ length: stored }, (_, n) => n));
    await assertDoneOnce(at);
    await at.near.db.destroy();
    await cluster.psql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'full_one'",
    );
    await cluster.psql("DROP DATABASE full_one");
    await cluster.psql("DROP TABLESPACE small");
  },
);

verifies(
  ["2.1:shared-database:holds-serve-state", "3.2:startup:resumes-active-jobs"],
  "a data folder that is full, its log too: the server falls, and nothing that it acknowledged is lost",
  { ignore },
  async () => {
    await using disk = await serverDisk(160 * 1024);
    await using cluster = await startCluster({
      durable: true,
      folder: disk.path,
      settings: ["min_wal_size = 2MB", "max_wal_size = 4MB", "shared_buffers = '8MB'"],
    });
    await using at = await serverPlace(await (await migrated(cluster))());
    const free = fill(disk.path);
    const { stored, why } = await brimful(at.far.db);
    assert.match(why, /: (?:the disk of the server is full|the server does not answer)$/);
    const { engine, seen } = watchedEngine(at.far, {
      modelEndpoint: at.model.url,
      times: QUICK_ENGINE,
    });
    await seen((event) => event.kind === "claiming" && event.reason !== undefined);
    assert.match(
      engine.state().reason!,
      /: (?:the disk of the server is full|the server does not answer)$/,
    );
    await free();
    // Where the server has ended, whoever looks after it starts it anew.
    await cluster.start().catch(() => {});
    await seen((event) => event.kind === "ended" && event.job.role === "qa");
    await engine.idle();
    await engine.stop();
    const there = await numbered(at.far.db);
    assert.deepEqual(there.slice(0, stored), Array.from({ length: stored }, (_, n) => n));
    await assertDoneOnce(at);
  },
);
