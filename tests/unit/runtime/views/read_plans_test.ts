/** Pages of a database with 10,000 jobs, decisions and events: no statement of theirs reads a whole table. */
import { CARDS_A_ZONE } from "svc/runtime/views/pipeline_view.ts";
import { DECISIONS_LISTED } from "svc/runtime/views/decisions_view.ts";
import { JOBS_A_PAGE } from "svc/runtime/views/jobs_view.ts";
import assert from "node:assert/strict";
import { CompiledQuery } from "kysely";
import { COST_GROUPS } from "svc/features/jobs/cost_views.ts";
import { claimNext } from "svc/features/jobs/job_store.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { readsOf } from "./site.ts";

const MANY = 10_000;

/** Half of the jobs failed, in the last day; a hundred wait, for as many tickets. */
async function fill(db: Db, repoId: string): Promise<void> {
  const now = Date.now();
  const id = (kind: number) => sql.raw(`printf('01a1ff0d-000${kind}-7000-8000-%012d', n)`);
  const all =
    sql`WITH RECURSIVE some(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < ${MANY})`;
  const role = sql.raw("iif(n % 3 = 0, 'qa', 'engineer')");
  await sql`${all} INSERT INTO jobs (id, repo_id, role, ticket_id, trigger, source_trust, payload,
      status, disposition, attempt, max_attempts, crashes, generation, run_after, priority, parallel,
      cancel_requested, created_at, started_at, finished_at, turns, tokens_in, tokens_out, tool_calls)
    SELECT ${id(1)}, ${repoId}, ${role}, iif(n % 5 = 0, NULL, printf('T-%04d', n % 1000 + 1)),
      'route', 'contributor', '{}',
      CASE WHEN n % 100 = 0 THEN 'pending' WHEN n % 2 = 0 THEN 'failed' ELSE 'completed' END,
      CASE WHEN n % 100 = 0 THEN NULL WHEN n % 2 = 0 THEN 'stuck' ELSE 'submitted' END,
      1, 3, 0, 1, 0, 1, 0, 0, ${now} - n * 1000, ${now} - n * 1000,
      iif(n % 100 = 0, NULL, ${now} - n * 900), 1, 1, 1, 1 FROM some`.execute(db);
  await sql`${all} INSERT INTO decisions (id, repo_id, job_id, at, role, disposition, rule, inputs,
      refused, applied)
    SELECT ${id(2)}, ${repoId}, ${id(1)}, ${now} - n * 1000, ${role}, 'submitted',
      'roles.engineer.routes.submitted', '{}', '[]', 1 FROM some`.execute(db);
  await sql`${all} INSERT INTO events (at, type, repo_id, job_id, data)
    SELECT ${now} - ${MANY} + n, iif(n % 2 = 0, 'job_turn', 'job_update'), ${repoId}, ${id(1)},
      '{"turn":1,"tokens_in":1,"tokens_out":1}' FROM some`.execute(db);
}

/** The same database, and every statement it is asked. */
function watched(
  db: Db,
): { readonly db: Db; readonly asked: ReadonlyMap<string, readonly unknown[]> } {
  const asked = new Map<string, readonly unknown[]>();
  const plugged = db.withPlugin({
    transformQuery({ node, queryId }) {
      const compiled = db.getExecutor().compileQuery(node, queryId);
      asked.set(compiled.sql, compiled.parameters);
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  return { db: plugged, asked };
}

/** Small by nature, or read along an index from its end with a limit. */
const MAY_BE_SCANNED =
  /^SCAN (?:asked|done|repos|lanes|model_profiles|queue_state|CONSTANT ROW|deliveries USING INDEX|\(|json_each)/;

/** Reads much more than it gives: a table, an index made for one query, or all jobs of a repo. */
function isWhole(detail: string, statement: string): boolean {
  if (detail.startsWith("SCAN ")) return !MAY_BE_SCANNED.test(detail);
  if (detail.includes("AUTOMATIC")) return true;
  return /INDEX jobs_by_repo \(repo_id=\?\)/.test(detail) && !/limit \?$/i.test(statement);
}

Deno.test("reads of a large database go along indexes and stay small", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const repoId = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await fill(ports.db, repoId);
  await claimNext(ports.db, { owner: "h b 1 s w1", now: Date.now() });
  const { db, asked } = watched(ports.db);
  const reads = readsOf({ ...ports, db });
  const { cards, totals, jobs: counts } = await reads.pipeline();
  assert.deepEqual(counts, { pending: 99, running: 1, completed: 5_000, failed: 4_900 });
  assert.deepEqual([totals.waiting, totals.working], [99 + 1, 1]);
  assert.equal(cards.filter(({ zone }) => zone === "waiting").length, CARDS_A_ZONE);
  const { decisions } = await reads.orchestration();
  assert.equal(decisions.length, DECISIONS_LISTED);
  const seen = new Set<string>();
  for (let before: string | null = null, pages = 0; pages < 5; pages++) {
    const page = await reads.jobs({ status: "failed", role: "qa", ...(before && { before }) });
    for (const { id } of page.jobs) seen.add(id);
    before = page.before;
  }
  assert.equal(seen.size, 5 * JOBS_A_PAGE, "no job comes twice");
  await reads.jobs({ repo_id: repoId, status: "pending" });
  await reads.jobs({ role: "engineer" });
  assert.equal(
    (await reads.job({ id: "01a1ff0d-0001-7000-8000-000000000001" }))?.decisions.length,
    1,
  );
  await reads.debug();
  await reads.telemetry();
  await reads.roles();
  await reads.throughput();
  for (const by of COST_GROUPS) await reads.costs({ by, days: "90" });
  await reads.evolution();
  assert.ok(asked.size > 30, `${asked.size} statements`);
  for (const [statement, parameters] of asked) {
    const explain = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${statement}`, [...parameters]);
    const { rows } = await ports.db.executeQuery<{ detail: string }>(explain);
    for (const { detail } of rows) {
      assert.equal(isWhole(detail, statement), false, `${detail}\n${statement}`);
    }
  }
});
