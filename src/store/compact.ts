/** Gives the room of deleted rows back to the disk, where that pays and disturbs nobody. */
import { sql } from "./query.ts";
import type { Db } from "./schema.ts";
import { serverOf } from "./server_adapter.ts";

const MIB = 1024 * 1024;

/** Less free room than this, or than a quarter of the file, is used again soon anyway. */
export const COMPACT_FREE_BYTES = 8 * MIB;
const COMPACT_FREE_SHARE = 0.25;

/** Rewriting more would keep writers of other processes waiting too long (some 0.5 s for 100 MiB). */
const COMPACT_KEPT_BYTES = 256 * MIB;

async function pragma(db: Db, name: string): Promise<number> {
  const { rows } = await sql.raw<Record<string, number>>(`PRAGMA ${name}`).execute(db);
  return Number(Object.values(rows[0] ?? {})[0] ?? 0);
}

/**
 * Copies the write-ahead log into the file, and rewrites the file without its free pages. Not in a transaction.
 * @param room bytes that the disk has: the new content goes through the log, beside the old
 * @returns bytes by which the file shrank
 */
export async function compact(db: Db, room: number): Promise<number> {
  // A server does it by itself (postgresql.org/docs/15/routine-vacuuming.html).
  if (serverOf(db) !== undefined) return 0;
  const size = await pragma(db, "page_size");
  const pages = await pragma(db, "page_count");
  const free = await pragma(db, "freelist_count");
  const kept = (pages - free) * size;
  const pays = free * size >= COMPACT_FREE_BYTES && free >= pages * COMPACT_FREE_SHARE;
  const does = pays && kept <= COMPACT_KEPT_BYTES && room >= 2 * kept;
  if (does) await sql.raw("VACUUM").execute(db);
  // A reader in its way only makes it shorter.
  await pragma(db, "wal_checkpoint(TRUNCATE)");
  return does ? (pages - await pragma(db, "page_count")) * size : 0;
}
