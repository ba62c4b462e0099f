/** When the room of deleted rows goes back to the disk, and when it stays in the file. */
import assert from "node:assert/strict";
import { compact, COMPACT_FREE_BYTES } from "svc/store/compact.ts";
import { sql } from "svc/store/query.ts";
import { type TempStore, tempStore } from "./temp_store.ts";

const MIB = 1024 * 1024;

const sizeOf = (path: string) => Deno.stat(path).then(({ size }) => size);

/** Rows of a MiB each. */
async function fill({ db }: TempStore, rows: number): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS bulk (data BLOB)`.execute(db);
  for (let row = 0; row < rows; row++) {
    await sql`INSERT INTO bulk VALUES (zeroblob(${MIB}))`.execute(db);
  }
}

const pages = async ({ db }: TempStore) =>
  (await sql<{ page_count: number }>`PRAGMA page_count`.execute(db)).rows[0]!.page_count;

Deno.test("compact gives back what many deleted rows took, where the disk has room for it", async () => {
  await using store = await tempStore();
  const { db, path } = store;
  await fill(store, COMPACT_FREE_BYTES / MIB + 1);
  await sql`DELETE FROM bulk`.execute(db);
  const before = await pages(store);
  assert.equal(await compact(db, 0), 0);
  assert.equal(await pages(store), before);
  // What the log held is in the file by now.
  assert.equal(await sizeOf(`${path}-wal`), 0);
  const full = await sizeOf(path);
  const shrunk = await compact(db, 1024 * MIB);
  assert.ok(shrunk > COMPACT_FREE_BYTES, String(shrunk));
  assert.deepEqual([full - await sizeOf(path), await sizeOf(`${path}-wal`)], [shrunk, 0]);
  assert.equal(await compact(db, 1024 * MIB), 0);
});

Deno.test("compact leaves little room, and less than a quarter of the file, to the next rows", async () => {
  await using store = await tempStore();
  const { db } = store;
  await fill(store, 6);
  await sql`DELETE FROM bulk`.execute(db);
  const little = await pages(store);
  assert.deepEqual([await compact(db, 1024 * MIB), await pages(store)], [0, little]);
  await fill(store, 40);
  await sql`DELETE FROM bulk WHERE rowid <= 9`.execute(db);
  const share = await pages(store);
  assert.deepEqual([await compact(db, 1024 * MIB), await pages(store)], [0, share]);
});
