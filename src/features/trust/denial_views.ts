/** Questions about refused tool calls; nothing here changes one. */
import type { Db } from "svc/store/schema.ts";
import type { Denial } from "./denial_table.ts";

/** In order, at most `limit`. */
export function denialsOf(db: Db, jobId: string, limit: number): Promise<Denial[]> {
  return db.selectFrom("denials").selectAll().where("job_id", "=", jobId)
    .orderBy("id").limit(limit).execute();
}
