/** Questions about settlements; nothing here changes one. */
import type { Db } from "svc/store/schema.ts";
import type { Settlement } from "./settlement_table.ts";

/** Moves to blocked that were made, newest first. */
export function blocksOf(db: Db, repoId: string, limit: number): Promise<Settlement[]> {
  return db.selectFrom("settlements").selectAll()
    .where("repo_id", "=", repoId).where("to_state", "=", "blocked")
    .where("settled_at", "is not", null).where("state", "=", "done")
    .orderBy("settled_at", "desc").limit(limit).execute();
}
