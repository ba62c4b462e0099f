/** Pages of a database with 10,000 jobs, decisions and events: no statement of theirs reads a whole table. */
import { CARDS_A_ZONE } from "svc/runtime/views/pipeline_view.ts";
import { DECISIONS_LISTED } from "svc/runtime/views/decisions_view.ts";
import { JOBS_A_PAGE } from "svc/runtime/views/jobs_view.ts";
import assert from "node:assert/strict";
import { CompiledQuery } from "kysely";
import { COST_GROUPS } from "svc/features/jobs/cost_views.ts";
import { claimNext } from "svc/features/jobs/job_store.ts";
import type { Db } from "svc/store/schema.ts";
import { manyJobs } from "tests/kit/many_jobs.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { readsOf } from "./site.ts";

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
  /^SCAN (?:asked|counted|done|repos|job_limits|bound|nodes|other USING INDEX jobs_running|lanes|model_profiles|pragma_database_list|queue_state|CONSTANT ROW|deliveries USING INDEX|\(|json_each)/;

/** Reads much more than it gives: a table, an index made for one query, or all jobs of a repo. */
function isWhole(detail: string, statement: string): boolean {
  if (detail.startsWith("SCAN ")) return !MAY_BE_SCANNED.test(detail);
  if (detail.includes("AUTOMATIC")) return true;
  return /INDEX jobs_by_repo \(repo_id=\?\)/.test(detail) &&
    !/limit \?(?: offset \?)?$/i.test(statement);
}

Deno.test("reads of a large database go along indexes and stay small", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const repoId = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await manyJobs(ports.db, repoId);
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
  assert.equal((await reads.jobs({ search: "stuck qa nowhere" })).jobs.length, 0);
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
