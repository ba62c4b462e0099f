import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { type Event, recordEvent } from "svc/features/telemetry/event_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { FEED_BATCH, StoredFeed } from "svc/runtime/service/event_feed.ts";
import { openStore } from "svc/store/open.ts";
import type { Db } from "svc/store/schema.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

/** A feed over a database, and a second connection to it as another process has one. */
async function place(pollMs = 60_000) {
  const parts = new AsyncDisposableStack();
  const base = parts.use(await tempFolder());
  const open = async () =>
    parts.use(await openStore({ files: denoFiles(), clock: systemClock }, `${base.path}/svc.db`))
      .db;
  const [db, other] = [await open(), await open()];
  const logged: string[] = [];
  const said = Promise.withResolvers<void>();
  const state = { broken: false };
  const breaking = new Proxy(db, {
    get(target, name) {
      if (state.broken) throw new Failure("conflict", "Cannot use the database: it is locked");
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const log = {
    write(_: string, text: string) {
      logged.push(text);
      said.resolve();
    },
    open() {},
    path: () => "",
    close() {},
  };
  const feed = new StoredFeed(
    { db: breaking, clock: systemClock, profile: "observer", log },
    pollMs,
  );
  parts.defer(() => feed.close());
  return { parts, db, other, feed, logged, said: said.promise, state };
}

const add = (db: Db, turn: number) => recordEvent(db, { type: "telemetry", data: { turn } }, 1);
const turnOf = ({ data }: Event) => (JSON.parse(data) as { turn: number }).turn;

/** Resolves once so many were told. */
function collected(feed: StoredFeed, count: number) {
  const told: number[] = [];
  const { promise, resolve } = Promise.withResolvers<number[]>();
  const end = feed.subscribe((event) => {
    told.push(turnOf(event));
    if (told.length === count) resolve(told);
  });
  return { told, all: promise, end };
}

Deno.test("the feed tells what is stored from its beginning on, in order, to all who listen", async () => {
  const { parts, db, other, feed } = await place();
  await using _parts = parts;
  await add(db, 0);
  await feed.begin();
  assert.equal(feed.last, 1);
  const count = FEED_BATCH * 2 + 5;
  const first = collected(feed, count);
  const second = collected(feed, 3);
  await db.transaction().execute(async (tx) => {
    for (let turn = 1; turn < count; turn++) await add(tx, turn);
  });
  await add(other, count);
  feed.wake();
  assert.deepEqual(await first.all, Array.from({ length: count }, (_, at) => at + 1));
  assert.deepEqual((await second.all).slice(0, 3), [1, 2, 3]);
  first.end();
  await add(db, -1);
  await feed.close();
  assert.equal(first.told.length, count);
  assert.equal(second.told.at(-1), -1); // what came last is told at the end
  assert.equal(feed.last, count + 2);
});

Deno.test("the feed hears what another process stores without being rung", async () => {
  const { parts, other, feed } = await place(5);
  await using _parts = parts;
  await feed.begin();
  const { all } = collected(feed, 2);
  for (const turn of [1, 2]) await add(other, turn);
  assert.deepEqual(await all, [1, 2]);
});

Deno.test("the feed loses nothing while the database is locked, and says so once", async () => {
  const { parts, other, feed, logged, said, state } = await place(5);
  await using _parts = parts;
  await feed.begin();
  const { all } = collected(feed, 2);
  state.broken = true;
  for (const turn of [1, 2]) await add(other, turn);
  feed.wake();
  await said;
  state.broken = false;
  assert.deepEqual(await all, [1, 2]);
  assert.deepEqual(logged, ["events could not be read: Cannot use the database: it is locked"]);
});

Deno.test("a listener that throws keeps nothing from the others", async () => {
  const { parts, db, feed, logged } = await place();
  await using _parts = parts;
  await feed.begin();
  feed.subscribe(() => {
    throw new Error("oh");
  });
  const { all } = collected(feed, 1);
  await add(db, 1);
  feed.wake();
  assert.deepEqual(await all, [1]);
  assert.equal(logged.length, 1);
});

Deno.test("after gives the newest of what is stored, in order", async () => {
  const { parts, db, feed } = await place();
  await using _parts = parts;
  for (let turn = 1; turn <= 6; turn++) await add(db, turn);
  assert.deepEqual((await feed.after(2, 3)).map(turnOf), [4, 5, 6]);
  assert.deepEqual((await feed.after(4, 9)).map(turnOf), [5, 6]);
  assert.deepEqual(await feed.after(6, 9), []);
});
