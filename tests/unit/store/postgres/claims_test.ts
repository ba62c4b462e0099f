/** Claims of one process on a PostgreSQL server (Debian's 15): at once as one after the other, by role as in order. */
import assert from "node:assert/strict";
import { claimNext, enqueue } from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { setJobLimit } from "svc/features/jobs/job_limit_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import { openServer } from "svc/store/postgres/open.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import { POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { verifies } from "tests/kit/verifies.ts";
import { asked } from "tests/unit/features/jobs/sample_job.ts";

const REPOS = ["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"] as const;
const WORKERS = 8;
const PAST = 1_000_000;

/** The same jobs each time: tickets and roles that several of them share, in an order of their own. */
async function fill(db: Db, count: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (let n = 0; n < count; n++) {
      const spread = (n * 7919) % 101;
      await enqueue(
        tx,
        asked({
          repo_id: REPOS[spread % 3]!,
          role: `role${spread % 5}`,
          ticket_id: spread % 4 === 0 ? null : `T-${spread % 9}`,
          parallel: spread % 2 === 0,
          priority: spread % 3,
          run_after: spread % 13 === 0 ? Date.now() + 3_600_000 : PAST + n,
        }),
        PAST + n,
      );
    }
  });
}

const claim = (limited: boolean) => ({
  now: Date.now(),
  repoIds: REPOS.slice(0, 2),
  profile: "host" as const,
  limited,
});

/** Whom `run_after` names, as ids differ from one database to the next. */
const named = (jobs: readonly (Job | undefined)[]) => jobs.flatMap((job) => job?.run_after ?? []);

async function oneByOne(db: Db, limited: boolean): Promise<number[]> {
  const jobs: (Job | undefined)[] = [];
  for (let n = 0; n < WORKERS; n++) {
    jobs.push(await claimNext(db, { ...claim(limited), owner: `w${n}` }));
  }
  return named(jobs);
}

async function atOnce(db: Db, limited: boolean): Promise<number[]> {
  const claims = Array.from(
    { length: WORKERS },
    (_, n) => claimNext(db, { ...claim(limited), owner: `w${n}` }),
  );
  return named(await Promise.all(claims));
}

/** Each claim takes so long by it that the queue is soon asked by role. */
function slowClock() {
  let at = 0;
  return { ...systemClock, monotonic: () => at += 25 };
}

/** What is claimed, round after round; what was claimed ends between two. */
async function rounds(
  login: ServerLogin,
  clock: typeof systemClock,
  round: (db: Db) => Promise<number[]>,
): Promise<number[][]> {
  await using store = await openServer({ clock }, login);
  const seen: number[][] = [];
  for (let n = 0; n < 8; n++) {
    seen.push(await round(store.db));
    // Half of them go on.
    await store.db.deleteFrom("jobs").where("status", "=", "running")
      .where("run_after", "in", [0, ...seen.at(-1)!.slice(0, 4)]).execute();
  }
  return seen;
}

verifies(
  "2.1:shared-database:holds-serve-state",
  "claims of several workers on a PostgreSQL server",
  { ignore: POSTGRES === undefined },
  async (t) => {
    await using cluster = await startCluster();
    async function filled(most?: number): Promise<ServerLogin> {
      const login = await cluster.database();
      await using store = await openServer({ clock: systemClock }, login);
      await fill(store.db, 120);
      if (most !== undefined) await setJobLimit(store.db, { scope: "team", key: "", most });
      return login;
    }
    const still = { ...systemClock, monotonic: () => 0 };

    for (const most of [undefined, 6]) {
      const limited = most !== undefined;
      const about = limited ? ", where a limit holds" : "";
      await t.step(`get at once what they would get one after the other${about}`, async () => {
        const expected = await rounds(await filled(most), still, (db) => oneByOne(db, limited));
        assert.ok(expected.flat().length > 30);
        const together = await rounds(await filled(most), still, (db) => atOnce(db, limited));
        assert.deepEqual(together, expected);
        const byRole = await rounds(await filled(most), slowClock(), (db) => atOnce(db, limited));
        assert.deepEqual(byRole, expected);
      });
    }

    await t.step("are one statement, and each has its own job", async () => {
      await using store = await openServer({ clock: still }, await cluster.database());
      for (const repo_id of REPOS.slice(0, 2)) {
        await enqueue(store.db, asked({ repo_id, parallel: true }), PAST);
      }
      const jobs = await Promise.all(
        Array.from(
          { length: 2 },
          (_, n) => claimNext(store.db, { ...claim(false), owner: `w${n}`, now: PAST }),
        ),
      );
      assert.deepEqual(jobs.map((job) => job?.lease_owner), ["w0", "w1"]);
      // What this process takes for the time counts for nothing.
      for (const job of jobs) assert.ok(job!.started_at! > PAST && job!.lease_until! > Date.now());
      const { rows } = await sql`SELECT DISTINCT xmin FROM jobs WHERE status = 'running'`.execute(
        store.db,
      );
      assert.equal(rows.length, 1);
    });
  },
);
