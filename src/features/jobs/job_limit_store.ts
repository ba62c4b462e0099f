/** The only module that writes the `job_limits` table. */
import type { Clock } from "svc/platform/clock.ts";
import { type RawBuilder, sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { JobLimit } from "./job_limit_table.ts";

export function jobLimits(db: Db): Promise<JobLimit[]> {
  return db.selectFrom("job_limits").selectAll().orderBy("scope").orderBy("key").execute();
}

export async function setJobLimit(db: Db, limit: JobLimit): Promise<void> {
  await db.insertInto("job_limits").values(limit)
    .onConflict((on) => on.columns(["scope", "key"]).doUpdateSet({ most: limit.most })).execute();
}

/** False when there was none. */
export async function dropJobLimit(db: Db, limit: Omit<JobLimit, "most">): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom("job_limits")
    .where("scope", "=", limit.scope).where("key", "=", limit.key).executeTakeFirst();
  return numDeletedRows === 1n;
}

/** The limit of the repo `from` becomes that of `to`, in place of one that is there. */
export async function moveJobLimit(db: Db, from: string, to: string): Promise<void> {
  await dropJobLimit(db, { scope: "repo", key: to });
  await db.updateTable("job_limits").set({ key: to })
    .where("scope", "=", "repo").where("key", "=", from).execute();
}

/** A condition on the job `due`: no limit that concerns it is reached. */
export const withinLimits = (node: string | undefined): RawBuilder<boolean> =>
  sql<boolean>`(SELECT 1 FROM job_limits AS bound
    WHERE (bound.scope = 'team' OR (bound.scope = 'repo' AND bound.key = due.repo_id)
      OR (bound.scope = 'role' AND bound.key = due.role)
      OR (bound.scope = 'node' AND bound.key = ${node ?? ""}))
    AND bound.most <= (SELECT count(*) FROM jobs AS other WHERE other.status = 'running'
      AND (bound.scope = 'team' OR (bound.scope = 'repo' AND other.repo_id = bound.key)
        OR (bound.scope = 'role' AND other.role = bound.key)
        OR (bound.scope = 'node' AND other.node_id = bound.key))) LIMIT 1) IS NULL`;

/** Limits that have no room left now; a limit of a role counts its jobs in all repos. */
export async function reachedLimits(db: Db): Promise<JobLimit[]> {
  const { rows } = await sql<
    JobLimit
  >`SELECT bound.scope, bound.key, bound.most FROM job_limits AS bound
    WHERE bound.most <= (SELECT count(*) FROM jobs AS other WHERE other.status = 'running'
      AND (bound.scope = 'team' OR (bound.scope = 'repo' AND other.repo_id = bound.key)
        OR (bound.scope = 'role' AND other.role = bound.key)
        OR (bound.scope = 'node' AND other.node_id = bound.key)))
    ORDER BY bound.scope, bound.key`.execute(db);
  return rows;
}

/** Whether there is any limit, read again after `freshMs`. */
export function anyLimitLook(
  { db, clock }: { readonly db: Db; readonly clock: Pick<Clock, "monotonic"> },
  freshMs: number,
): () => Promise<boolean> {
  let seen: { readonly any: boolean; readonly at: number } | undefined;
  return async () => {
    const at = clock.monotonic();
    if (seen === undefined || at - seen.at >= freshMs) {
      const row = await db.selectFrom("job_limits").select("scope").limit(1).executeTakeFirst();
      seen = { any: row !== undefined, at };
    }
    return seen.any;
  };
}
