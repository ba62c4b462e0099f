/** Questions about decisions; nothing here changes one. */
import type { Db } from "svc/store/schema.ts";
import type { Decision } from "./decision_table.ts";

/** Newest first. @param jobs their ids; some hundred at most */
export function decisionsOfJobs(db: Db, jobs: readonly string[]): Promise<Decision[]> {
  return db.selectFrom("decisions").selectAll().where("job_id", "in", [...jobs])
    .orderBy("at", "desc").orderBy("id", "desc").execute();
}
