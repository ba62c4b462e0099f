/** The only module that writes the `meta` table. */
import type { Db } from "./schema.ts";

const MIGRATION = "migration:";
/** Key of the real path of the only repo that a scoped database serves. */
export const REPO_PATH = "repo_path";

export async function recordMigration(db: Db, name: string, checksum: string): Promise<void> {
  await db.insertInto("meta").values({ key: MIGRATION + name, value: checksum }).execute();
}

export async function appliedMigrations(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom("meta").selectAll().where("key", "like", `${MIGRATION}%`)
    .execute();
  return new Map(rows.map(({ key, value }) => [key.slice(MIGRATION.length), value]));
}

/** @returns the owner, which is `repo` unless there was one */
export async function claimFor(db: Db, repo: string): Promise<string> {
  await db.insertInto("meta").values({ key: REPO_PATH, value: repo })
    .onConflict((conflict) => conflict.column("key").doNothing()).execute();
  const { value } = await db.selectFrom("meta").select("value").where("key", "=", REPO_PATH)
    .executeTakeFirstOrThrow();
  return value;
}
