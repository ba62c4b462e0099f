/** The only module that writes the `model_profiles` table. */
import type { Db } from "svc/store/schema.ts";
import type { StoredProfile } from "./profile_table.ts";

/** In place of what was known before. */
export async function keepProfile(db: Db, profile: StoredProfile): Promise<void> {
  await db.insertInto("model_profiles").values(profile)
    .onConflict((same) => same.columns(["endpoint", "model"]).doUpdateSet(profile)).execute();
}

export function findProfile(
  db: Db,
  endpoint: string,
  model: string,
): Promise<StoredProfile | undefined> {
  return db.selectFrom("model_profiles").selectAll()
    .where("endpoint", "=", endpoint).where("model", "=", model).executeTakeFirst();
}

/** So that the next run asks again: the server turned out to be other than its profile says. */
export async function forgetProfile(db: Db, endpoint: string, model: string): Promise<void> {
  await db.deleteFrom("model_profiles")
    .where("endpoint", "=", endpoint).where("model", "=", model).execute();
}
