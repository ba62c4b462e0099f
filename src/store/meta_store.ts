/** The only module that writes the `meta` table. */
import { sql } from "./query.ts";
import type { Db } from "./schema.ts";

const MIGRATION = "migration:";
/** Key of the real path of the only repo that a scoped database serves. */
export const REPO_PATH = "repo_path";

/** Key of what tells the git folder of a repo from a copy (`gitDirMark`). */
export const gitDirKey = (repo: string) => `git_dir:${repo}`;

/** What was noted of the git folder of the repo that is registered at the path. */
export async function notedGitDir(db: Db, repo: string): Promise<string | undefined> {
  const row = await db.selectFrom("meta").select("value").where("key", "=", gitDirKey(repo))
    .executeTakeFirst();
  return row?.value;
}

export async function noteGitDir(db: Db, repo: string, mark: string): Promise<void> {
  if (await notedGitDir(db, repo) === mark) return;
  await db.insertInto("meta").values({ key: gitDirKey(repo), value: mark })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: mark })).execute();
}

/** The repo was moved. The database serves it alone where it served it alone before. */
export async function moveClaim(
  db: Db,
  from: string,
  { to, mark }: { readonly to: string; readonly mark: string },
): Promise<void> {
  await db.updateTable("meta").set({ value: to }).where("key", "=", REPO_PATH)
    .where("value", "=", from).execute();
  await db.deleteFrom("meta").where("key", "=", gitDirKey(from)).execute();
  await noteGitDir(db, to, mark);
}

export async function recordMigration(db: Db, name: string, checksum: string): Promise<void> {
  await db.insertInto("meta").values({ key: MIGRATION + name, value: checksum })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: checksum })).execute();
}

export async function appliedMigrations(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom("meta").selectAll().where("key", "like", `${MIGRATION}%`)
    .execute();
  return new Map(rows.map(({ key, value }) => [key.slice(MIGRATION.length), value]));
}

/** Under which a server keeps the sum of its functions, beside those of the migrations. */
export const WORDS_NAME = "postgres_words";

/** How many migrations were applied, as part of another query. */
export const schemaVersion = sql<
  number
>`(SELECT count(*) FROM meta WHERE key LIKE ${`${MIGRATION}%`} AND key <> ${
  MIGRATION + WORDS_NAME
})`;

/** @returns the owner, which is `repo` unless there was one */
export async function claimFor(db: Db, repo: string): Promise<string> {
  await db.insertInto("meta").values({ key: REPO_PATH, value: repo })
    .onConflict((conflict) => conflict.column("key").doNothing()).execute();
  const { value } = await db.selectFrom("meta").select("value").where("key", "=", REPO_PATH)
    .executeTakeFirstOrThrow();
  return value;
}
