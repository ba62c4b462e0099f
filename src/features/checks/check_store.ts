/** The only module that writes the `checks` table. */
import type { Db } from "svc/store/schema.ts";
import type { Check } from "./check_table.ts";

export async function recordCheck(db: Db, check: Check): Promise<void> {
  await db.insertInto("checks").values(check).execute();
}

/** Newest first. */
export function listChecks(db: Db, repoId: string, limit: number): Promise<Check[]> {
  return db.selectFrom("checks").selectAll().where("repo_id", "=", repoId)
    .orderBy("started_at", "desc").orderBy("id", "desc").limit(limit).execute();
}
