/** Queries on a real server: values, turns, races, and connections that break. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { claimNext, enqueue, finish, heartbeat } from "svc/features/jobs/job_store.ts";
import { claimMergeCheck, wantMergeCheck } from "svc/features/routing/merge_check_store.ts";
import { newSettlement, recordSettlement } from "svc/features/routing/settlement_store.ts";
import { EventReader } from "svc/features/telemetry/event_reader.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { connectServer, openServer } from "svc/store/postgres/open.ts";
import { sql } from "svc/store/query.ts";
import { hearOfJobs } from "svc/store/server_adapter.ts";
import type { Db } from "svc/store/schema.ts";
import { type Cluster, POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { verifies } from "tests/kit/verifies.ts";

const ports = { clock: systemClock };
const REPO = "aaaaaaaaaaaa";
const ORDER = { repo_id: REPO, role: "qa", trigger: "manual", source_trust: "observer" } as const;
const now = () => systemClock.now();

async function nodes(cluster: Cluster, count: number) {
  await using held = new AsyncDisposableStack();
  const login = await cluster.database();
  const dbs: Db[] = [];
  for (let at = 0; at < count; at++) dbs.push(held.use(await openServer(ports, login)).db);
  const parts = held.move();
  return { login, dbs, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Ends every connection to it but that of the one who asks, as a failing network or an administrator does. */
const cutAll = (cluster: Cluster, database: string) =>
  cluster.psql(`SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
    WHERE datname = '${database}' AND pid <> pg_backend_pid()`);

verifies(
  "2.1:shared-database:holds-serve-state",
  "queries on a PostgreSQL server",
  { ignore: POSTGRES === undefined },
  async (t) => {
    await using cluster = await startCluster();

    await t.step(
      "read integers, sums and truths as numbers, and refuse what is not exact",
      async () => {
        await using at = await nodes(cluster, 1);
        const db = at.dbs[0]!;
        const ask = async (text: string) => (await sql.raw(text).execute(db)).rows[0];
        assert.deepEqual(
          await ask(
            "SELECT 1::bigint AS a, count(*) AS b, sum(x) AS c, 1 = 1 AS d, 1.5 AS e FROM (VALUES (2::bigint)) AS v(x)",
          ),
          { a: 1, b: 1, c: 2, d: 1, e: 1.5 },
        );
        await assert.rejects(ask("SELECT 9007199254740993 AS a"), {
          message: /too large to be exact/,
        });
        for (const value of [new Date(0), true, NaN, undefined]) {
          await assert.rejects(sql`SELECT ${value} AS a`.execute(db), { message: /^Cannot bind/ });
        }
      },
    );

    await t.step("keep a text with NUL and half a character as readable as it can be", async () => {
      await using at = await nodes(cluster, 1);
      const db = at.dbs[0]!;
      const { job } = await enqueue(
        db,
        { ...ORDER, payload: { say: "a\0b\ud800" }, lane: "l\0" },
        now(),
      );
      assert.deepEqual(JSON.parse(job.payload), { say: "a\ufffdb\ufffd" });
      assert.equal(job.lane, "l\ufffd");
    });

    await t.step("compare texts in LIKE without upper and lower case, as SQLite does", async () => {
      await using at = await nodes(cluster, 1);
      const db = at.dbs[0]!;
      const { job } = await enqueue(db, { ...ORDER, role: "Architect" }, now());
      const found = await db.selectFrom("jobs").select("id").where("role", "like", "arch%")
        .execute();
      assert.deepEqual(found, [{ id: job.id }]);
    });

    await t.step(
      "give each job to one node, and one job at a time to a role, whoever asks at once",
      async () => {
        await using at = await nodes(cluster, 4);
        const { dbs } = at;
        for (let nth = 0; nth < 24; nth++) {
          await enqueue(
            dbs[0]!,
            { ...ORDER, role: `role${nth % 3}`, parallel: nth % 3 === 0 },
            now(),
          );
        }
        const claimed: string[] = [];
        const finished: string[] = [];
        const work = async (db: Db, owner: string) => {
          for (;;) {
            const job = await claimNext(db, { owner, now: now() });
            const left = await db.selectFrom("jobs").select("id").where("status", "=", "pending")
              .limit(1).execute();
            if (job === undefined) {
              if (left.length === 0) return;
              continue;
            }
            claimed.push(job.id);
            const { rows: [running] } = await sql<
              { most: number }
            >`SELECT coalesce(max(n), 0) AS most FROM (
            SELECT count(*) AS n FROM jobs WHERE status = 'running' AND parallel = 0 GROUP BY role) AS by_role`
              .execute(db);
            assert.ok(running!.most <= 1);
            if (await finish(db, job, { disposition: "reported" }, now())) finished.push(job.id);
          }
        };
        await Promise.all(dbs.flatMap((db, n) => [work(db, `a${n}`), work(db, `b${n}`)]));
        assert.equal(claimed.length, 24);
        assert.equal(finished.length, 24);
        assert.equal(new Set(finished).size, 24);
      },
    );

    await t.step("let one node alone check the merges of a repo", async () => {
      await using at = await nodes(cluster, 4);
      const { dbs } = at;
      const wanted: Parameters<typeof wantMergeCheck>[1][] = [];
      for (let nth = 0; nth < 4; nth++) {
        const owed = newSettlement({ repoId: REPO, reason: "r", actor: "svc" }, now());
        await recordSettlement(dbs[0]!, owed);
        const files = String(nth).repeat(64);
        const check = {
          settlement_id: owed.id,
          repo_id: REPO,
          into_commit: "1".repeat(40),
          files,
          at: now(),
        };
        await wantMergeCheck(dbs[0]!, check);
        wanted.push(check);
      }
      const got = await Promise.all(
        dbs.map((db, n) => claimMergeCheck(db, wanted[n]!, `node${n}`)),
      );
      assert.equal(got.filter((one) => one).length, 1);
    });

    await t.step("take turns in transactions, so that what was read there stays true", async () => {
      await using at = await nodes(cluster, 3);
      const { dbs } = at;
      await dbs[0]!.insertInto("meta").values({ key: "count", value: "0" }).execute();
      const add = (db: Db) =>
        db.transaction().execute(async (tx) => {
          const { value } = await tx.selectFrom("meta").select("value").where("key", "=", "count")
            .executeTakeFirstOrThrow();
          await tx.updateTable("meta").set({ value: String(Number(value) + 1) }).where(
            "key",
            "=",
            "count",
          ).execute();
        });
      await Promise.all(Array.from({ length: 30 }, (_, n) => add(dbs[n % 3]!)));
      const { value } = await dbs[0]!.selectFrom("meta").select("value").where("key", "=", "count")
        .executeTakeFirstOrThrow();
      assert.equal(value, "30");
    });

    await t.step("tell events in order, each once, although several write at once", async () => {
      await using at = await nodes(cluster, 3);
      const { dbs } = at;
      const seen: number[] = [];
      let writing = true;
      const reader = await EventReader.open(dbs[2]!, systemClock);
      const read = async () => {
        while (writing || reader.waits) {
          for (const { id } of (await reader.next(100)).events) seen.push(id);
        }
      };
      const reading = read();
      const write = async (db: Db, long: boolean) => {
        for (let n = 0; n < 20; n++) {
          const event = { type: "telemetry", data: { n } } as const;
          if (!long) await recordEvent(db, event, now());
          else {
            await db.transaction().execute(async (tx) => {
              await recordEvent(tx, event, now());
              await tx.selectFrom("meta").selectAll().execute();
            });
          }
        }
      };
      await Promise.all([write(dbs[0]!, true), write(dbs[1]!, false), write(dbs[0]!, false)]);
      writing = false;
      await reading;
      for (const { id } of (await reader.next(100)).events) seen.push(id);
      assert.equal(seen.length, 60);
      assert.deepEqual(seen, seen.toSorted((a, b) => a - b));
      assert.equal(new Set(seen).size, 60);
    });

    await t.step(
      "tell other nodes at once that a job was queued, also after the connection broke",
      async () => {
        await using at = await nodes(cluster, 2);
        const { login, dbs: [db, other] } = at;
        const stop = new AbortController();
        let wake = () => {};
        const told = () => new Promise<void>((resolve) => wake = resolve);
        const listens = told();
        const hearing = hearOfJobs(other!, () => wake(), stop.signal);
        await listens;
        let queued = told();
        await enqueue(db!, ORDER, now());
        await queued;
        const again = told();
        await cutAll(cluster, login.database);
        await again; // it listens anew, and looks whether it missed something
        queued = told();
        await enqueue(db!, ORDER, now());
        await queued;
        stop.abort();
        await hearing;
      },
    );

    await t.step(
      "wait for a new connection where nothing was sent, and never send a write twice",
      async () => {
        await using at = await nodes(cluster, 1);
        const { login, dbs: [db] } = at;
        await enqueue(db!, ORDER, now());
        await cutAll(cluster, login.database);
        assert.equal((await db!.selectFrom("jobs").select("id").execute()).length, 1);
        await cutAll(cluster, login.database);
        // What a broken connection had begun is undone by the server; the next transaction begins anew.
        await assert.rejects(
          db!.transaction().execute(async (tx) => {
            await enqueue(tx, { ...ORDER, role: "lost" }, now());
            await cutAll(cluster, login.database);
            await enqueue(tx, { ...ORDER, role: "lost too" }, now());
          }),
          { code: "environment", message: /the server does not answer$/ },
        );
        await db!.transaction().execute((tx) => enqueue(tx, { ...ORDER, role: "kept" }, now()));
        assert.deepEqual(
          (await db!.selectFrom("jobs").select("role").orderBy("id").execute()).map(({ role }) =>
            role
          ),
          ["qa", "kept"],
        );
      },
    );

    await t.step("tell by the generation whether a commit without an answer counted", async () => {
      await using at = await nodes(cluster, 2);
      const { dbs: [db, other] } = at;
      const { job: { id } } = await enqueue(db!, ORDER, now());
      const job = (await claimNext(db!, { owner: "w", now: now() }))!;
      // The server commits, and its answer never comes.
      await sql.raw(`CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'`).execute(other!);
      await sql.raw(
        `CREATE CONSTRAINT TRIGGER cut AFTER UPDATE ON jobs DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.status = 'completed') EXECUTE FUNCTION cut()`,
      ).execute(other!);
      const end = () =>
        db!.transaction().execute((tx) => finish(tx, job, { disposition: "reported" }, now()));
      await assert.rejects(end(), { message: /the server does not answer$/ });
      await sql.raw("DROP TRIGGER cut ON jobs").execute(other!);
      const before = await other!.selectFrom("jobs").select("status").where("id", "=", id)
        .executeTakeFirstOrThrow();
      const again = await end();
      assert.equal(again, before.status === "running");
      assert.equal(await end(), false);
      assert.equal(await heartbeat(db!, job, now()), "lost");
    });

    await t.step(
      "say what is wrong with a login, a right or a server, and never a password",
      async () => {
        const login = await cluster.database();
        const failing = async (change: object, ask = "SELECT 1") => {
          await using store = connectServer(ports, { ...login, password: "hunter2", ...change });
          try {
            await sql.raw(ask).execute(store.db);
          } catch (thrown) {
            assert.doesNotMatch(Deno.inspect(thrown, { depth: 9 }), /hunter2/);
            return (thrown as Error).message.replace(/^.*": /, "");
          }
        };
        assert.equal(await failing({ user: "nobody" }), "the server refuses the login");
        assert.equal(await failing({ database: "none" }), "the server has no such database");
        assert.equal(
          await failing({ tls: { mode: "require" } }),
          "its TLS is not what sslmode asks for",
        );
        await cluster.psql("CREATE ROLE guest LOGIN");
        assert.equal(
          await failing({ user: "guest" }, "CREATE TABLE x (a int)"),
          "the user may not do this in the database",
        );
        assert.equal(
          await failing({}, "BEGIN READ ONLY; CREATE TABLE x (a int)"),
          "the server is a read-only copy",
        );
        assert.equal(
          await failing({}, "SET statement_timeout = 1; SELECT pg_sleep(1)"),
          "another connection has held it locked for too long",
        );
        assert.equal(await failing({ tls: { mode: "prefer" } }), undefined);
      },
    );
  },
);
