/** Where an open database lies. */
import { sql } from "./query.ts";
import type { Db } from "./schema.ts";

/** Absolute; undefined for a database in memory. */
export async function databasePath(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ file: string }>`SELECT file FROM pragma_database_list
    WHERE name = 'main'`.execute(db);
  return rows[0]?.file || undefined;
}
