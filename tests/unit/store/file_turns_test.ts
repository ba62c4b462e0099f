import assert from "node:assert/strict";
import { afterTheRest } from "svc/platform/timers.ts";
import { openStore } from "svc/store/open.ts";
import { sql } from "svc/store/query.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { ports } from "./temp_store.ts";

/** Each look at the clock is a ms later: statements take time, however fast the machine is. */
function tickingClock() {
  let now = 0;
  return { ...ports.clock, monotonic: () => now++ };
}

const STATEMENTS = 100;

/** Most statements in a row between which nothing else had a turn of the thread. */
async function longestRow(begin: (ask: () => Promise<void>) => Promise<unknown>): Promise<number> {
  await using folder = await tempFolder();
  const clock = tickingClock();
  await using store = await openStore({ ...ports, clock }, `${folder.path}/svc.db`);
  let [answered, since, longest] = [0, 0, 0];
  const others = async () => {
    while (answered < STATEMENTS) {
      await afterTheRest();
      longest = Math.max(longest, answered - since);
      since = answered;
    }
  };
  const ask = async () => {
    await sql`SELECT 1`.execute(store.db);
    answered++;
  };
  await Promise.all([others(), begin(ask)]);
  return longest;
}

Deno.test("many statements leave the thread to others in between", async () => {
  const atOnce = await longestRow((ask) => Promise.all(Array.from({ length: STATEMENTS }, ask)));
  assert.ok(atOnce < 20, `${atOnce} at once`);
  const inTurn = await longestRow(async (ask) => {
    for (let at = 0; at < STATEMENTS; at++) await ask();
  });
  assert.ok(inTurn < 20, `${inTurn} one after the other`);
});

Deno.test("statements of one process come in the order in which they were asked, transactions whole", async () => {
  await using folder = await tempFolder();
  const clock = tickingClock();
  await using store = await openStore({ ...ports, clock }, `${folder.path}/svc.db`);
  const said: string[] = [];
  const tell = async (db: typeof store.db, what: string) => {
    await sql`SELECT 1`.execute(db);
    said.push(what);
  };
  await Promise.all([
    tell(store.db, "before"),
    store.db.transaction().execute(async (tx) => {
      for (let at = 0; at < 30; at++) await tell(tx, "within");
    }),
    ...Array.from({ length: 30 }, (_, at) => tell(store.db, `after ${at}`)),
  ]);
  assert.deepEqual(said, [
    "before",
    ...Array(30).fill("within"),
    ...Array.from({ length: 30 }, (_, at) => `after ${at}`),
  ]);
});

Deno.test("a statement that fails ends its turn", async () => {
  await using folder = await tempFolder();
  await using store = await openStore(ports, `${folder.path}/svc.db`);
  const [bad, good] = await Promise.allSettled([
    sql`SELECT nothing`.execute(store.db),
    sql`SELECT 1`.execute(store.db),
  ]);
  assert.deepEqual([bad.status, good.status], ["rejected", "fulfilled"]);
});
