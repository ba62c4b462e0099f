/** The only module that writes the `check_waivers` table. */
import type { Db } from "svc/store/schema.ts";
import type { CheckWaiver } from "./waiver_table.ts";

export function waiverOf(db: Db, repoId: string): Promise<CheckWaiver | undefined> {
  return db.selectFrom("check_waivers").selectAll().where("repo_id", "=", repoId)
    .executeTakeFirst();
}

/** False when the waiver existed already. */
export async function waiveChecks(db: Db, waiver: CheckWaiver): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db.insertInto("check_waivers").values(waiver)
    .onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** False when there was none. */
export async function endWaiver(db: Db, repoId: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom("check_waivers").where("repo_id", "=", repoId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
