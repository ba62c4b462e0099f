/** How often each rule was followed: what the graph of routes and the list of dispositions are made of. */
import type { Disposition } from "svc/core/disposition.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";

export interface RouteCount {
  readonly role: string;
  readonly disposition: Disposition;
  readonly rule: string;
  readonly count: number;
  /** Epoch ms of the newest, and the job it followed. */
  readonly last_at: number;
  readonly last_job: string;
}

/** Rehearsals count. @param since epoch ms */
export async function routeCounts(db: Db, repoId: string, since: number): Promise<RouteCount[]> {
  // With a single max() SQLite takes the other columns from the row that has it.
  const { rows } = await sql<RouteCount>`SELECT role, disposition, rule, count(*) AS count,
    max(at) AS last_at, job_id AS last_job FROM decisions INDEXED BY decisions_by_repo
    WHERE repo_id = ${repoId} AND at >= ${since}
    GROUP BY role, disposition, rule ORDER BY role, disposition, rule`.execute(db);
  return rows;
}
