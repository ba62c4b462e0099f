/** A program's database, read from outside while it may still run. */
import { DatabaseSync } from "node:sqlite";

type Row = Record<string, unknown>;

export function rows(database: string, sql: string): Row[] {
  using db = new DatabaseSync(database);
  return db.prepare(sql).all() as Row[];
}

/** The most jobs of a database that ran at the same moment; a job that still runs counts. @param since epoch ms */
export function mostAtOnce(database: string, since = 0): number {
  const most = rows(
    database,
    `SELECT max(beside) AS most FROM (
       SELECT count(*) AS beside FROM jobs AS one JOIN jobs AS other
         ON other.started_at <= one.started_at
        AND (other.finished_at IS NULL OR other.finished_at > one.started_at)
       WHERE one.started_at >= ${since} AND other.status <> 'pending'
       GROUP BY one.id)`,
  );
  return Number(most[0]?.["most"] ?? 0);
}
