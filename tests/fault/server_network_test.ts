/** Nodes whose way to the database server fails: nothing is lost, done twice or merged twice, and the reason is told. */
import assert from "node:assert/strict";
import { NO_COST } from "svc/core/cost.ts";
import { type Clock, systemClock } from "svc/platform/clock.ts";
import { NOTHING_USED } from "svc/features/agent/agent.ts";
import { claimedBy, claimNext, enqueue, finish } from "svc/features/jobs/job_store.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { usesOf } from "svc/features/jobs/use_store.ts";
import { newSettlement, recordSettlement, settle } from "svc/features/routing/settlement_store.ts";
import { JobLedger } from "svc/runtime/job/job_ledger.ts";
import { connectServer } from "svc/store/postgres/open.ts";
import { connectAlone, type LoneConnection } from "svc/store/postgres/pool.ts";
import { hearOfJobs } from "svc/store/server_adapter.ts";
import { TURN_LOCK } from "svc/store/postgres/words.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { type Cluster, POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { tcpProxy } from "tests/kit/tcp_proxy.ts";
import { until } from "tests/kit/until.ts";
import { verifies } from "tests/kit/verifies.ts";
import { carryOut, watchedEngine } from "tests/unit/runtime/engine_place.ts";
import { assertDoneOnce, migrated, QUICK_ENGINE, serverPlace, SHORT } from "./server_place.ts";

const now = () => systemClock.now();
const REPO = "aaaaaaaaaaaa";
const ORDER = { repo_id: REPO, role: "qa", trigger: "manual", source_trust: "observer" } as const;

/** What a model of this machine costs. */
const FREE = {
  route: { model: "small" },
  cost: () => NO_COST,
  pricing: "free",
} as const;

/** A step that failed is asked for again, as the engine does. */
async function untilDone<T>(step: () => Promise<T>): Promise<T> {
  for (let left = 20;; left--) {
    try {
      return await step();
    } catch (thrown) {
      assert.match(String(thrown), /the server does not answer/);
      if (left === 0) throw thrown;
    }
  }
}

/** Claim, end with its settlement, settle: as an engine does it, statement by statement. */
async function claimFinishSettle(db: Db, owner: string): Promise<string> {
  let tried = false;
  const job = await untilDone(async () => {
    const lost = tried ? await claimedBy(db, owner) : undefined;
    tried = true;
    return lost ?? await claimNext(db, { owner, now: now() });
  });
  const owed = {
    ...newSettlement({ repoId: REPO, reason: "r", actor: "svc" }, now()),
    job_id: job!.id,
  };
  await untilDone(() =>
    db.transaction().execute(async (tx) => {
      if (!await finish(tx, job!, { disposition: "reported" }, now())) return;
      await recordSettlement(tx, owed);
    })
  );
  await untilDone(() => settle(db, owed.id, { state: "done", outcome: "merged", now: now() }));
  return owed.id;
}

/** All that the server gives. */
async function takeAll({ login }: Cluster): Promise<LoneConnection[]> {
  const taken: LoneConnection[] = [];
  for (;;) {
    try {
      taken.push(await connectAlone(login));
    } catch (thrown) {
      assert.match(String(thrown), /too many clients|remaining connection slots/);
      return taken;
    }
  }
}

verifies(
  ["2.1:shared-database:holds-serve-state", "3.2:startup:resumes-active-jobs"],
  "a node keeps its promises when the way to the database server fails",
  { ignore: POSTGRES === undefined },
  async (t) => {
    await using cluster = await startCluster({ settings: ["max_connections = 24"] });
    const database = await migrated(cluster);

    await t.step("cut at each statement of claim, end and settlement", async () => {
      const login = await database();
      await using direct = connectServer({ clock: systemClock }, login);
      await using proxy = tcpProxy(login.port);
      let cuts = 0;
      for (const when of ["before", "after"] as const) {
        for (let at = 1;; at++) {
          await using through = connectServer({ clock: systemClock }, proxy.login(login), SHORT);
          const { job: { id } } = await enqueue(direct.db, ORDER, now());
          proxy.cut({ at, when });
          const before = proxy.statements;
          const owed = await claimFinishSettle(through.db, `h/b/1/2/w${at}${when}`);
          const { status, generation, attempt } = (await jobById(direct.db, id))!;
          assert.deepEqual({ status, generation, attempt }, {
            status: "completed",
            generation: 1,
            attempt: 1,
          }, `${when} ${at}`);
          const rows = await direct.db.selectFrom("settlements").selectAll()
            .where("job_id", "=", id).execute();
          assert.deepEqual(rows.map((row) => [row.id, row.state]), [[owed, "done"]]);
          if (proxy.statements - before < at) break;
          cuts++;
        }
      }
      assert.ok(cuts >= 12, `only ${cuts} cuts`);
    });

    await t.step(
      "what a turn used is counted once, whether its answer or itself was lost",
      async () => {
        const login = await database();
        await using direct = connectServer({ clock: systemClock }, login);
        await using proxy = tcpProxy(login.port);
        for (const when of ["before", "after"] as const) {
          await using through = connectServer({ clock: systemClock }, proxy.login(login), SHORT);
          await enqueue(direct.db, ORDER, now());
          const job = (await claimNext(direct.db, { owner: "h/b/1/2/w", now: now() }))!;
          const ledger = new JobLedger({ db: through.db, clock: systemClock }, job, FREE);
          for (const turns of [1, 2, 3]) {
            if (turns > 1) proxy.cut({ at: 1, when });
            await ledger.count({ ...NOTHING_USED, turns, tokensIn: 10 * turns, tokensOut: turns });
          }
          const { turns, tokens_in, tokens_out } = (await usesOf(direct.db, job.id))!;
          assert.deepEqual([turns, tokens_in, tokens_out], [3, 30, 3], when);
          await finish(direct.db, job, { disposition: "no_work" }, now());
        }
      },
    );

    await t.step(
      "lost answers of a claim and of an end: the job goes on, and ends once",
      async () => {
        await using at = await serverPlace(await database());
        at.proxy.cut({ of: ["SET status = 'running'"], when: "after" });
        const { engine, seen, events } = watchedEngine(at.far, {
          modelEndpoint: at.model.url,
          times: { ...QUICK_ENGINE, leaseMs: 10_000 },
        });
        await seen(({ kind }) => kind === "claimed");
        at.proxy.cut({ of: ['into "decisions"', "COMMIT"], when: "after" });
        await seen((event) => event.kind === "ended" && event.job.role === "qa");
        await engine.idle();
        await engine.stop();
        const given = events.filter(({ kind }) => kind === "given_back" || kind === "rescued");
        assert.deepEqual(given, []);
        await assertDoneOnce(at);
        const jobs = await at.near.db.selectFrom("jobs").select("attempt").execute();
        assert.deepEqual(jobs.map(({ attempt }) => attempt), [1, 1, 1]);
      },
    );

    for (const way of ["both", "to-client"] as const) {
      await t.step(
        `a node that is cut off (${way}) loses its job to another, and says so`,
        async () => {
          await using at = await serverPlace(await database());
          const cutOff = watchedEngine(at.far, {
            modelEndpoint: at.model.url,
            times: QUICK_ENGINE,
          });
          await at.model.asked(2);
          at.proxy.drop(way);
          const other = watchedEngine(at.near, {
            modelEndpoint: at.model.url,
            times: QUICK_ENGINE,
          });
          await other.seen(({ kind }) => kind === "rescued");
          await other.seen((event) => event.kind === "ended" && event.job.role === "qa");
          await cutOff.seen((event) => event.kind === "claiming" && event.reason !== undefined);
          assert.match(cutOff.engine.state().reason!, /the server does not answer$/);
          at.proxy.heal();
          await cutOff.seen((event) => event.kind === "claiming" && event.reason === undefined);
          await Promise.all([cutOff.engine.idle(), other.engine.idle()]);
          await Promise.all([cutOff.engine.stop(), other.engine.stop()]);
          await assertDoneOnce(at);
        },
      );
    }

    await t.step("a node waits while others have all connections, and says so", async () => {
      await using at = await serverPlace(await database());
      // Its own idle ones would do.
      await using fresh = connectServer({ clock: systemClock }, at.login, SHORT);
      const taken = await takeAll(cluster);
      const { engine, seen } = watchedEngine({ ...at.far, db: fresh.db }, {
        modelEndpoint: at.model.url,
        times: QUICK_ENGINE,
      });
      await seen((event) => event.kind === "claiming" && event.reason !== undefined);
      assert.match(engine.state().reason!, /: the server takes no more connections$/);
      // What ended since then has given its connection back.
      taken.push(...await takeAll(cluster));
      const refused = Promise.withResolvers<void>();
      const clock: Clock = {
        ...systemClock,
        sleep(ms, signal) {
          refused.resolve();
          return systemClock.sleep(ms, signal);
        },
      };
      await using patient = connectServer({ clock }, at.login);
      const answer = sql`SELECT 1`.execute(patient.db);
      await Promise.race([refused.promise, answer]);
      await Promise.all(taken.map((each) => each.end()));
      await answer;
      await seen((event) => event.kind === "ended" && event.job.role === "qa");
      await engine.idle();
      await engine.stop();
      await assertDoneOnce(at);
    });

    await t.step(
      "what the server undid is done again, and the model is not asked again",
      async () => {
        await using at = await serverPlace(await database());
        // Sequences outlive a transaction that is undone.
        for (
          const text of [
            "CREATE SEQUENCE ends",
            `CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            CASE nextval('ends') WHEN 1 THEN RAISE EXCEPTION 'a deadlock' USING ERRCODE = '40P01';
              WHEN 2 THEN RAISE EXCEPTION 'a conflict' USING ERRCODE = '40001';
              WHEN 3 THEN RAISE EXCEPTION 'no room' USING ERRCODE = '53100';
              ELSE NULL; END CASE; RETURN NEW; END $$`,
            `CREATE TRIGGER undo BEFORE UPDATE ON jobs FOR EACH ROW
            WHEN (NEW.status = 'completed') EXECUTE FUNCTION undo()`,
          ]
        ) await sql.raw(text).execute(at.near.db);
        at.proxy.delay(2);
        const events = await carryOut(at.far, at.model.url, { times: QUICK_ENGINE });
        assert.deepEqual(events.filter(({ kind }) => kind === "given_back"), []);
        await assertDoneOnce(at);
        const rows = await at.near.db.selectFrom("jobs").select("attempt").execute();
        assert.deepEqual(rows.map(({ attempt }) => attempt), [1, 1, 1]);
      },
    );

    await t.step("locks of another session: the row is passed by, a deadlock is told", async () => {
      const login = await database();
      await using store = connectServer({ clock: systemClock }, login);
      const { db } = store;
      const other = await connectAlone(login);
      const job = (await enqueue(db, ORDER, now())).job;
      const later = (await enqueue(db, { ...ORDER, role: "engineer" }, now())).job;
      const lock = `SELECT id FROM jobs WHERE id = '${job.id}' FOR UPDATE`;
      await other.query(`BEGIN; ${lock}`);
      assert.equal((await claimNext(db, { owner: "w", now: now() }))?.id, later.id);
      assert.equal(await claimNext(db, { owner: "w", now: now() }), undefined);
      await other.query("COMMIT");
      const mine = (await claimNext(db, { owner: "w", now: now() }))!;
      assert.equal(mine.id, job.id);
      // Who looks first whether it is a deadlock is its victim.
      await other.query(`SET deadlock_timeout = '1min'; BEGIN; ${lock}`);
      const ended = assert.rejects(
        db.transaction().execute((tx) => finish(tx, mine, { disposition: "reported" }, now())),
        { code: "conflict", message: /wanted the same rows at once/ },
      );
      await until(async () => {
        const { rows } = await sql<{ waits: number }>`SELECT count(*) AS waits FROM pg_locks
          WHERE NOT granted`.execute(db);
        return rows[0]!.waits > 0;
      }, () => "nobody waits for the row");
      await other.query(`SELECT pg_advisory_xact_lock(${TURN_LOCK}); COMMIT`);
      await ended;
      assert.equal(await finish(db, mine, { disposition: "reported" }, now()), true);
      await other.end();
    });

    await t.step("a listener whose connection fell silent hears of jobs again", async () => {
      const login = await database();
      await using proxy = tcpProxy(login.port);
      const soon = {
        ...systemClock,
        sleep: (_: number, signal?: AbortSignal) => systemClock.sleep(50, signal),
      };
      await using through = connectServer({ clock: soon }, proxy.login(login), SHORT);
      await using direct = connectServer({ clock: systemClock }, login);
      const stop = new AbortController();
      let heard = () => {};
      const next = () => new Promise<void>((resolve) => heard = resolve);
      const first = next();
      const hearing = hearOfJobs(through.db, () => heard(), stop.signal);
      await first;
      proxy.drop("both");
      await proxy.failed();
      const again = next();
      proxy.heal();
      await again;
      const told = next();
      await enqueue(direct.db, ORDER, now());
      await told;
      stop.abort();
      await hearing;
    });
  },
);
