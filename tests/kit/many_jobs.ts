/** A large database, made in a moment. */
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";

const MANY_JOBS = 10_000;

/** Adds 10,000 jobs with a decision and an event each. Half of them failed, in the last day; a hundred wait, for as many tickets. */
export async function manyJobs(db: Db, repoId: string): Promise<void> {
  const now = Date.now();
  const id = (kind: number) => sql.raw(`printf('01a1ff0d-000${kind}-7000-8000-%012d', n)`);
  const all =
    sql`WITH RECURSIVE some(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < ${MANY_JOBS})`;
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
    SELECT ${now} - ${MANY_JOBS} + n, iif(n % 2 = 0, 'job_turn', 'job_update'), ${repoId}, ${id(1)},
      '{"turn":1,"tokens_in":1,"tokens_out":1}' FROM some`.execute(db);
}
