/** The only module that writes the `removals` table. */
import { rfc3339 } from "svc/core/time.ts";
import type { Db } from "svc/store/schema.ts";
import type { Removal, RemovedWhat } from "./removal_table.ts";

export async function recordRemovals(db: Db, removals: readonly Removal[]): Promise<void> {
  if (removals.length === 0) return;
  await db.insertInto("removals").values([...removals])
    .onConflict((conflict) => conflict.doNothing()).execute();
}

export function removalOf(
  db: Db,
  id: string,
  what: RemovedWhat,
): Promise<Removal | undefined> {
  return db.selectFrom("removals").selectAll().where("id", "=", id).where("what", "=", what)
    .executeTakeFirst();
}

/** Records whose id ends so. Two mean that `end` is ambiguous. @param end only `[0-9a-f-]` */
export function removalsNamed(db: Db, end: string): Promise<Removal[]> {
  return db.selectFrom("removals").selectAll().where("id", "like", `%${end}`)
    .where("what", "<>", "files").orderBy("id", "desc").limit(2).execute();
}

/** Such as "removed by retention on 2026-11-22". */
export const removedOn = ({ removed_at }: Pick<Removal, "removed_at">): string =>
  `removed by retention on ${rfc3339(removed_at).slice(0, 10)}`;

/** The record goes with the job's own. */
export async function forgetFileRemovals(db: Db, jobs: readonly string[]): Promise<void> {
  await db.deleteFrom("removals").where("id", "in", [...jobs]).where("what", "=", "files")
    .execute();
}

/** Those to which nothing refers any more. @param before epoch ms */
export async function forgetRemovals(db: Db, before: number): Promise<void> {
  await db.deleteFrom("removals").where("removed_at", "<", before).where("what", "<>", "files")
    .where(
      "id",
      "not in",
      (is) =>
        is.selectFrom("jobs").select("caused_by").where("caused_by", "is not", null)
          .$castTo<{ caused_by: string }>(),
    )
    .where(
      "id",
      "not in",
      (is) =>
        is.selectFrom("decisions").select("next_job").where("next_job", "is not", null)
          .$castTo<{ next_job: string }>(),
    )
    .where(
      "id",
      "not in",
      (is) =>
        is.selectFrom("settlements").select("job_id").where("job_id", "is not", null)
          .$castTo<{ job_id: string }>(),
    )
    .where(
      "id",
      "not in",
      (is) =>
        is.selectFrom("settlements").select("decision_id").where("decision_id", "is not", null)
          .$castTo<{ decision_id: string }>(),
    )
    .execute();
}
