/** The only module that writes the `schedules` table. */
import type { Db } from "svc/store/schema.ts";
import type { ScheduleRow } from "./schedule_table.ts";

type ScheduleKey = Pick<ScheduleRow, "repo_id" | "role" | "schedule">;

export function schedulesSeen(db: Db, repoId: string): Promise<ScheduleRow[]> {
  return db.selectFrom("schedules").selectAll().where("repo_id", "=", repoId).execute();
}

export async function beginSchedule(db: Db, key: ScheduleKey, now: number): Promise<void> {
  const { repo_id, role, schedule } = key;
  await db.insertInto("schedules").values({ repo_id, role, schedule, counted_to: now })
    .onConflict((on) => on.doNothing()).execute();
}

/** False when another process was faster; the one that changes the row handles the tick. */
export async function countTo(
  db: Db,
  { repo_id, role, schedule }: ScheduleKey,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("schedules").set({ counted_to: to })
    .where("repo_id", "=", repo_id).where("role", "=", role).where("schedule", "=", schedule)
    .where("counted_to", "=", from).executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Forgets a schedule that the manifest no longer has; if it comes back, it counts as new. */
export async function dropSchedule(
  db: Db,
  { repo_id, role, schedule }: ScheduleKey,
): Promise<void> {
  await db.deleteFrom("schedules").where("repo_id", "=", repo_id).where("role", "=", role)
    .where("schedule", "=", schedule).execute();
}
