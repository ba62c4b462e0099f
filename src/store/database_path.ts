/** Where an open database lies. */
import { sql } from "./query.ts";
import type { Db } from "./schema.ts";
import { serverOf } from "./server_adapter.ts";

/** Absolute, or the address of a server; undefined for a database in memory. */
export async function databasePath(db: Db): Promise<string | undefined> {
  const server = serverOf(db);
  if (server !== undefined) return server;
  const { rows } = await sql<{ file: string }>`SELECT file FROM pragma_database_list
    WHERE name = 'main'`.execute(db);
  return rows[0]?.file || undefined;
}
