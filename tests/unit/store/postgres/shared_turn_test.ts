/** Transactions of several repos in one commit, on a PostgreSQL server (Debian's 15). */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { openServer } from "svc/store/postgres/open.ts";
import { openPool } from "svc/store/postgres/pool.ts";
import { sharedTurns } from "svc/store/postgres/shared_turn.ts";
import { Statements } from "svc/store/postgres/statements.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { TeamPorts } from "svc/store/server_adapter.ts";
import { inTurnOf } from "svc/store/turn.ts";
import { POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { verifies } from "tests/kit/verifies.ts";

const REPOS = ["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"] as const;

/** @returns the transaction that stored it */
async function store(tx: Db, key: string): Promise<string> {
  await tx.insertInto("meta").values({ key, value: key }).execute();
  const { rows } = await sql<{ id: string }>`SELECT pg_current_xact_id()::text AS id`.execute(tx);
  return rows[0]!.id;
}

const keysIn = async (db: Db) =>
  (await db.selectFrom("meta").select("key").where("key", "like", "k%").orderBy("key").execute())
    .map(({ key }) => key);

verifies(
  "2.1:shared-database:holds-serve-state",
  "works of several repos on a PostgreSQL server",
  { ignore: POSTGRES === undefined },
  async (t) => {
    await using cluster = await startCluster();
    const login = await cluster.database();
    await using here = await openServer({ clock: systemClock }, login);
    await using there = await openServer({ clock: systemClock }, login);
    const { db } = here;

    await t.step("share a transaction; two of one repo do not", async () => {
      const ids = await Promise.all(
        [...REPOS, REPOS[0]].map((repo, n) => inTurnOf(db, repo, (tx) => store(tx, `k${n}`))),
      );
      assert.equal(new Set(ids.slice(0, 3)).size, 1);
      assert.notEqual(ids[3], ids[0]);
      assert.deepEqual(await keysIn(db), ["k0", "k1", "k2", "k3"]);
    });

    for (
      const [why, fails] of [
        ["refuses", () => Promise.reject(new Error("refused"))],
        ["asks what the server refuses", (tx: Db) => sql`SELECT 1 / 0`.execute(tx)],
      ] as const
    ) {
      await t.step(`are stored where one of them ${why}, and that one is not`, async () => {
        await db.deleteFrom("meta").where("key", "like", "k%").execute();
        const ends = await Promise.allSettled(
          REPOS.map((repo, n) =>
            inTurnOf(db, repo, async (tx) => {
              await store(tx, `k${n}`);
              if (n === 1) await fails(tx);
            })
          ),
        );
        assert.deepEqual(ends.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
        assert.deepEqual(await keysIn(db), ["k0", "k2"]);
      });
    }

    await t.step(
      "are done one by one by the connection on which they failed together",
      async () => {
        await db.deleteFrom("meta").where("key", "like", "k%").execute();
        const pool = openPool(login, 1);
        const inTurn = sharedTurns({
          ...{
            pool,
            shown: here.path,
            clock: systemClock,
            statements: new Statements(systemClock),
          },
          ...{ team: {} as TeamPorts, times: { awayMs: 0, answerMs: 10_000 } },
        });
        const ends = await Promise.allSettled(
          REPOS.map((repo, n) =>
            inTurn(repo, async (tx: Db) => {
              await store(tx, `k${n}`);
              if (n === 1) throw new Error("refused");
            })
          ),
        );
        await pool.end();
        assert.deepEqual(ends.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
        assert.deepEqual(await keysIn(db), ["k0", "k2"]);
      },
    );

    await t.step("begin while an earlier one waits for somebody else's lock", async () => {
      const locked = Promise.withResolvers<void>();
      const free = Promise.withResolvers<void>();
      const holder = there.db.transaction().setAccessMode("read only").execute(async (tx) => {
        await sql`SELECT pg_advisory_xact_lock(7)`.execute(tx);
        locked.resolve();
        await free.promise;
      });
      await locked.promise;
      let waited = false;
      const waits = inTurnOf(db, REPOS[0], async (tx) => {
        await sql`SELECT pg_advisory_xact_lock(7)`.execute(tx);
        waited = true;
      });
      // What comes with it shares its fate; this comes after it.
      await sql`SELECT 1`.execute(db);
      await inTurnOf(db, REPOS[1], (tx) => store(tx, "k9")).finally(() => free.resolve());
      assert.equal(waited, false);
      await Promise.all([waits, holder]);
      assert.equal(waited, true);
    });
  },
);
