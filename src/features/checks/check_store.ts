/** The only module that writes the `checks` table. */
import type { Db } from "svc/store/schema.ts";
import type { Check } from "./check_table.ts";

export async function recordCheck(db: Db, check: Check): Promise<void> {
  await db.insertInto("checks").values(check).execute();
}

/** A job is found by its role and time. */
export function checksWithin(
  db: Db,
  { repoId, role, from, to, limit }: {
    readonly repoId: string;
    readonly role: string;
    /** Epoch ms, both included. */
    readonly from: number;
    readonly to: number;
    readonly limit: number;
  },
): Promise<Check[]> {
  return db.selectFrom("checks").selectAll().where("repo_id", "=", repoId)
    .where("started_at", ">=", from).where("started_at", "<=", to).where("role", "=", role)
    .orderBy("started_at").orderBy("id").limit(limit).execute();
}
