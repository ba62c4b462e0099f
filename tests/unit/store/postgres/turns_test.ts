/** Many writers on a real server: turns of one repo, events told in order, plans of claims, prepared statements. */
import assert from "node:assert/strict";
import { claimNext, enqueue } from "svc/features/jobs/job_store.ts";
import { setJobLimit } from "svc/features/jobs/job_limit_store.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { EventReader } from "svc/features/telemetry/event_reader.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import { NewestChange } from "svc/runtime/views/newest_change.ts";
import { openServer } from "svc/store/postgres/open.ts";
import { connectAlone } from "svc/store/postgres/pool.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { inTurnOf } from "svc/store/turn.ts";
import { type Cluster, POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { until } from "tests/kit/until.ts";
import { verifies } from "tests/kit/verifies.ts";
import { asked } from "tests/unit/features/jobs/sample_job.ts";

const [REPO, OTHER] = ["aaaaaaaaaaaa", "bbbbbbbbbbbb"];
const now = () => systemClock.now();

async function nodes(cluster: Cluster, count: number) {
  await using held = new AsyncDisposableStack();
  const login = await cluster.database();
  const dbs: Db[] = [];
  for (let at = 0; at < count; at++) {
    dbs.push(held.use(await openServer({ clock: systemClock }, login)).db);
  }
  const parts = held.move();
  return { login, dbs, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Adds one to a number by reading and then writing it. */
async function addOne(tx: Db, key: string): Promise<void> {
  const { value } = await tx.selectFrom("meta").select("value").where("key", "=", key)
    .executeTakeFirstOrThrow();
  await tx.updateTable("meta").set({ value: String(Number(value) + 1) }).where("key", "=", key)
    .execute();
}

/** A transaction that stays open until the caller ends it. */
async function held(db: Db, work: (tx: Db) => Promise<unknown>, repoId = REPO) {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const done = inTurnOf(db, repoId, async (tx) => {
    await work(tx);
    begun.resolve();
    await end.promise;
  });
  done.catch(begun.reject);
  await begun.promise;
  return {
    async commit() {
      end.resolve();
      await done;
    },
    async undo() {
      end.reject(new Error("undone"));
      await done.catch(() => {});
    },
  };
}

const add = (db: Db) => recordEvent(db, { type: "telemetry", data: {} }, now());

async function idsOf(reader: EventReader): Promise<number[]> {
  return (await reader.next(100)).events.map(({ id }) => id);
}

verifies(
  "2.1:shared-database:holds-serve-state",
  "writers on a PostgreSQL server",
  { ignore: POSTGRES === undefined },
  async (t) => {
    await using cluster = await startCluster({
      settings: [
        "autovacuum = off",
        "jit_above_cost = 0",
        "session_preload_libraries = 'auto_explain'",
        "auto_explain.log_min_duration = 0",
        "log_min_messages = log",
      ],
    });

    await using at = await nodes(cluster, 3);
    const { login, dbs } = at;
    const [db, other] = dbs as [Db, Db];

    await t.step(
      "of one repo take turns with each other, and with all that name none",
      async () => {
        await dbs[0]!.insertInto("meta").values({ key: "count", value: "0" }).execute();
        const work = (db: Db, n: number) =>
          n % 3 === 0
            ? db.transaction().execute((tx) => addOne(tx, "count"))
            : inTurnOf(db, REPO, (tx) => addOne(tx, "count"));
        await Promise.all(Array.from({ length: 30 }, (_, n) => work(dbs[n % 3]!, n >> 1)));
        const { value } = await dbs[0]!.selectFrom("meta").select("value").where(
          "key",
          "=",
          "count",
        )
          .executeTakeFirstOrThrow();
        assert.equal(value, "30");
      },
    );

    await t.step("of different repos do not wait for each other", async () => {
      const first = await held(db, (tx) => add(tx));
      await inTurnOf(other, OTHER, (tx) => add(tx));
      await first.commit();
    });

    await t.step(
      "are told in the order of ids, when who has the earlier one has ended",
      async () => {
        const reader = await EventReader.open(other, systemClock);
        const first = await held(db, (tx) => add(tx));
        await add(other);
        assert.deepEqual(await idsOf(reader), []);
        assert.equal(reader.waits, true);
        await add(other);
        assert.deepEqual(await idsOf(reader), []);
        await first.commit();
        const last = reader.last + 3;
        assert.deepEqual(await idsOf(reader), [last - 2, last - 1, last]);
        assert.equal(reader.waits, false);
      },
    );

    await t.step("leave a gap for good where they are undone", async () => {
      const reader = await EventReader.open(other, systemClock);
      const first = await held(db, (tx) => add(tx));
      const second = await add(other);
      assert.deepEqual(await idsOf(reader), []);
      // Who came later is not waited for.
      const later = await held(other, (tx) => add(tx), OTHER);
      await first.undo();
      assert.deepEqual(await idsOf(reader), [second]);
      await later.commit();
      // Nobody writes any more, so that nobody is waited for.
      const lost = await add(other);
      await db.deleteFrom("events").where("id", "=", lost).execute();
      const last = await add(other);
      assert.deepEqual(await idsOf(reader), [lost - 1, last]);
      assert.equal(reader.waits, false);
    });

    await t.step("read from behind what somebody was storing when they began", async () => {
      const first = await held(db, (tx) => add(tx));
      const second = await add(other);
      let opened = false;
      const opening = EventReader.open(other, systemClock).finally(() => opened = true);
      for (let n = 0; n < 10; n++) await sql`SELECT 1`.execute(other);
      assert.equal(opened, false);
      await first.commit();
      const reader = await opening;
      assert.equal(reader.last, second);
      const third = await add(db);
      assert.deepEqual(await idsOf(reader), [third]);
    });

    await t.step("are noticed by what is cached, also when stored after a later id", async () => {
      const change = (db: Db, repoId: string) =>
        recordEvent(db, { type: "job_update", repoId, data: {} }, now());
      const early = await held(db, (tx) => change(tx, REPO));
      const changes = new NewestChange(other);
      /** Whether a repo has changed since it was asked before. */
      const marks = new Map<string, number>();
      async function changed(repoId: string) {
        const [before, mark] = [marks.get(repoId), await changes.of(repoId)];
        marks.set(repoId, mark);
        return mark !== before;
      }
      // Who stored something at the first look may be storing it before all that was there.
      for (const repoId of [REPO, OTHER]) await changed(repoId);
      await early.commit();
      assert.equal(await changed(REPO), true);
      await changed(OTHER);
      assert.deepEqual([await changed(REPO), await changed(OTHER)], [false, false]);
      const late = await held(db, (tx) => change(tx, REPO));
      const undone = await held(other, (tx) => change(tx, OTHER), OTHER);
      await change(dbs[2]!, REPO);
      assert.deepEqual([await changed(REPO), await changed(OTHER)], [true, false]);
      assert.deepEqual([await changed(REPO), await changed(OTHER)], [false, false]);
      await late.commit();
      assert.deepEqual([await changed(REPO), await changed(OTHER)], [true, false]);
      await undone.undo();
      assert.deepEqual([await changed(REPO), await changed(OTHER)], [false, false]);
      await change(db, OTHER);
      assert.deepEqual([await changed(REPO), await changed(OTHER)], [false, true]);
      assert.deepEqual([await changed(REPO), await changed(OTHER)], [false, false]);
    });

    await t.step("claim in the order of the index, before there are statistics", async () => {
      await enqueue(db, asked({ parallel: true, repo_id: REPO }), now());
      const columns = "repo_id, role, trigger, source_trust, payload, profile, status, attempt, " +
        "max_attempts, crashes, generation, run_after, priority, parallel, cancel_requested, " +
        "created_at, turns, tokens_in, tokens_out, tool_calls, tokens_cached";
      await cluster.psql(
        `INSERT INTO jobs (id, ${columns}) SELECT gen_random_uuid()::text, ${columns}
        FROM jobs, generate_series(1, 5000)`,
        login.database,
      );
      // To whom no claim is slow.
      const still = { ...systemClock, monotonic: () => 0 };
      await using quick = await openServer({ clock: still }, login);
      for (let n = 0; n < 8; n++) {
        const claim = { owner: "w", now: now(), repoIds: [REPO], profile: "host" } as const;
        assert.ok(await claimNext(quick.db, claim));
      }
      const log = await Deno.readTextFile(`${cluster.folder}/log`);
      const plans = log.split("duration: ").filter((part) =>
        part.includes("UPDATE jobs SET status = 'running'")
      );
      assert.ok(plans.length >= 8);
      for (const plan of plans) {
        assert.doesNotMatch(plan, /Sort Key|Seq Scan on jobs|Bitmap Heap Scan on jobs|JIT:/);
      }
    });

    await t.step(
      "go on with what they had prepared after another node added a column",
      async () => {
        const { job } = await enqueue(db, asked({ repo_id: REPO }), now());
        for (let n = 0; n < 5; n++) assert.equal((await jobById(db, job.id))?.id, job.id);
        const { rows } = await sql`SELECT name FROM pg_prepared_statements
        WHERE statement LIKE 'select * from "jobs"%'`.execute(db);
        assert.equal(rows.length, 1);
        await cluster.psql("ALTER TABLE jobs ADD COLUMN later text", login.database);
        assert.equal((await jobById(db, job.id))?.id, job.id);
        await inTurnOf(other, REPO, async (tx) => {
          for (let n = 0; n < 5; n++) await jobById(tx, job.id);
          await sql.raw("ALTER TABLE jobs ADD COLUMN latest text").execute(tx);
          assert.equal((await jobById(tx, job.id))?.id, job.id);
        });
      },
    );

    await t.step("claim one after the other where there is a limit", async () => {
      const held = await cluster.database();
      const [first, second] = [0, 1].map(() => openServer({ clock: systemClock }, held));
      await using one = await first!;
      await using two = await second!;
      const many = { repo_id: OTHER, parallel: true };
      for (let n = 0; n < 2; n++) await enqueue(one.db, asked(many), now());
      await setJobLimit(one.db, { scope: "team", key: "", most: 1 });
      // Each claim has read by then what runs, and has not said yet that it takes a job.
      const gate = 4711;
      await cluster.psql(
        `CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          PERFORM pg_advisory_xact_lock_shared(${gate}); RETURN NEW; END $$;
        CREATE TRIGGER waits BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION waits()`,
        held.database,
      );
      const keeper = await connectAlone(held);
      await keeper.query(`SELECT pg_advisory_lock(${gate})`);
      const waiting = async () => {
        const { rows } = await keeper.query(
          `SELECT count(*)::int AS n FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return (rows as [{ n: number }])[0].n;
      };
      const claims = [one, two].map(({ db }, at) =>
        claimNext(db, { owner: `w${at}`, now: now(), limited: true })
      );
      await until(async () => await waiting() === 2, () => "a claim that waits for nobody");
      await keeper.query(`SELECT pg_advisory_unlock(${gate})`);
      const claimed = (await Promise.all(claims)).filter((job) => job !== undefined);
      assert.equal(claimed.length, 1);
      await keeper.end();
    });

    await t.step("store no job that cannot be", async () => {
      const { job } = await enqueue(db, asked({ repo_id: OTHER }), now());
      const changed = (other: object) =>
        db.updateTable("jobs").set(other).where("id", "=", job.id).execute();
      for (
        const [other, rule] of [
          [{ status: "running" }, "(lease_owner IS NOT NULL) = (status = 'running')"],
          [{ attempt: 4 }, "attempt <= max_attempts"],
          [{ payload: "[]" }, "json_typeof(payload::json) = 'object'"],
        ] as const
      ) {
        await assert.rejects(
          changed(other),
          ({ message }) =>
            message.includes("violates check constraint") && message.includes(rule) ||
            assert.fail(message),
        );
      }
      await changed({ priority: 1 });
    });
  },
);
