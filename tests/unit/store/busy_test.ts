import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { DB_BUSY_MS } from "svc/core/bounds.ts";
import type { Clock } from "svc/platform/clock.ts";
import { untilFree } from "svc/store/busy.ts";
import { DB_WAL_BYTES, openStore } from "svc/store/open.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { ports, tempStore } from "./temp_store.ts";

/** Another program at the same file. */
function neighbour(path: string) {
  const database = new DatabaseSync(path, { timeout: 0 });
  return {
    lock: () => database.exec("BEGIN IMMEDIATE"),
    unlock: () => database.exec("COMMIT"),
    write: (key: string) => database.exec(`INSERT INTO meta VALUES ('${key}', '')`),
    [Symbol.dispose]: () => database.close(),
  };
}

const put = (db: Db, key: string) => db.insertInto("meta").values({ key, value: "" }).execute();

async function keys(db: Db): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`SELECT key FROM meta WHERE length(key) = 1
    ORDER BY key`.execute(db);
  return rows.map(({ key }) => key);
}

/** Sleeps a hundred times as fast as it says, at once, and calls `slept` each time. */
function quickClock(slept: (times: number) => void = () => {}): Clock & { readonly times: number } {
  let [now, times] = [0, 0];
  return {
    now: Date.now,
    monotonic: () => now,
    processor: () => now,
    async sleep(ms) {
      now += 100 * ms;
      slept(++times);
      await Promise.resolve();
    },
    get times() {
      return times;
    },
  };
}

Deno.test("a statement waits for another program's lock while the event loop goes on", async () => {
  await using store = await tempStore();
  using other = neighbour(store.path);
  other.lock();
  const written = put(store.db, "a");
  // Never reached while SQLite itself waits.
  setTimeout(() => other.unlock(), 1);
  await written;
  assert.deepEqual(await keys(store.db), ["a"]);
});

Deno.test("callers that wait keep their order, and none comes into another's transaction", async () => {
  await using folder = await tempFolder();
  let unlock = () => {};
  const clock = quickClock((times) => times === 3 && unlock());
  await using store = await openStore({ ...ports, clock }, `${folder.path}/svc.db`);
  using other = neighbour(store.path);
  other.lock();
  unlock = other.unlock;
  const { db } = store;
  const seen: string[][] = [];
  const order: string[] = [];
  const noting = async (name: string, work: Promise<unknown>) => {
    await work;
    order.push(name);
  };
  const committed = db.transaction().execute(async (transaction) => {
    await put(transaction, "b");
    seen.push(await keys(transaction));
    await put(transaction, "c");
    await Promise.resolve();
    seen.push(await keys(transaction));
  });
  await Promise.all([
    noting("b c", committed),
    noting("d", put(db, "d")),
    noting(
      "e",
      assert.rejects(
        db.transaction().execute(async (transaction) => {
          await put(transaction, "e");
          throw new Error("no");
        }),
      ),
    ),
    noting("f", put(db, "f")),
  ]);
  assert.deepEqual(order, ["b c", "d", "e", "f"]);
  assert.deepEqual(seen, [["b"], ["b", "c"]]);
  assert.deepEqual(await keys(db), ["b", "c", "d", "f"]);
  assert.equal(clock.times, 3);
});

Deno.test("a lock that stays is a failure after the whole wait, for statements and transactions", async () => {
  await using folder = await tempFolder();
  const clock = quickClock();
  await using store = await openStore({ ...ports, clock }, `${folder.path}/svc.db`);
  using other = neighbour(store.path);
  other.lock();
  const held = {
    code: "conflict",
    message:
      `Cannot use the database "${store.path}": another process has held it locked for 5.0 s`,
  };
  const waited = async (work: () => Promise<unknown>) => {
    const start = clock.monotonic();
    await assert.rejects(work, held);
    const took = clock.monotonic() - start;
    assert.ok(took >= DB_BUSY_MS && took < DB_BUSY_MS + 1000, `${took} ms`);
  };
  await waited(() => put(store.db, "a"));
  await waited(() => store.db.transaction().execute((transaction) => put(transaction, "b")));
  other.unlock();
  await put(store.db, "c");
  assert.deepEqual(await keys(store.db), ["c"]);
});

Deno.test("what a transaction read before another wrote is not tried again", async () => {
  await using folder = await tempFolder();
  const clock = quickClock();
  await using store = await openStore({ ...ports, clock }, `${folder.path}/svc.db`);
  using other = neighbour(store.path);
  const upgrade = store.db.transaction().setAccessMode("read only").execute(async (db) => {
    await keys(db);
    other.write("x");
    await put(db, "a");
  });
  await assert.rejects(upgrade, { code: "conflict" });
  assert.equal(clock.times, 0);
  assert.deepEqual(await keys(store.db), ["x"]);
});

Deno.test("untilFree throws what is no lock at once", async () => {
  const clock = quickClock();
  const failing = untilFree(clock, () => {
    throw new Error("no such table: t");
  });
  await assert.rejects(failing, /no such table/);
  assert.equal(clock.times, 0);
});

Deno.test("a write-ahead log that grew large is cut back", async () => {
  await using store = await tempStore();
  const { db } = store;
  const size = async () => (await Deno.stat(`${store.path}-wal`)).size;
  await sql`CREATE TABLE big (a BLOB) STRICT`.execute(db);
  await db.transaction().execute((transaction) =>
    sql`INSERT INTO big VALUES (zeroblob(${DB_WAL_BYTES + 8 * 1024 * 1024}))`.execute(transaction)
  );
  assert.ok(await size() > DB_WAL_BYTES);
  await put(db, "a");
  assert.ok(await size() <= DB_WAL_BYTES, `${await size()} bytes`);
});
