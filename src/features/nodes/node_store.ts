/** The only module that writes the `nodes` table. */
import { schemaVersion } from "svc/store/meta_store.ts";
import { sharedNow, sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { NodeRow, NodeWish } from "./node_table.ts";

export type NodeFacts =
  & Pick<NodeRow, "abilities" | "concurrency" | "id" | "name" | "schema" | "version">
  & { readonly owner: string };

/** A node, and the process that it is. */
export type NodeProcess = Pick<NodeFacts, "id" | "owner">;

/** What a node learns with a beat. */
export interface Beaten extends Pick<NodeRow, "reason" | "wanted"> {
  /** Migrations of the database. */
  readonly schema: number;
}

/** A node that comes back works again, unless a person paused it. */
const AGAIN = {
  wanted: sql<NodeWish>`CASE WHEN wanted = 'pause' THEN 'pause' ELSE 'work' END`,
  reason: sql<string | null>`CASE WHEN wanted = 'pause' THEN reason END`,
};

/**
 * In a transaction, so that no two begin at once.
 * @param before whose place it takes: the owner of its row as it was judged, null for none
 * @returns false when its row or its name is another's by now
 */
export async function nodeBegan(
  tx: Db,
  { id, ...facts }: NodeFacts,
  before: string | null,
  now: number,
): Promise<boolean> {
  const at = sharedNow(tx, now);
  const began = { ...facts, started_at: at, beat_at: at, ended_at: null, waits: null };
  const others = await tx.selectFrom("nodes").select(["id", "owner"])
    .where((is) => is.or([is("id", "=", id), is("name", "=", facts.name)])).execute();
  const own = others.find((one) => one.id === id);
  if (others.some((one) => one !== own) || (own?.owner ?? null) !== before) return false;
  if (own === undefined) {
    const fresh = { id, ...began, wanted: "work", reason: null, retained_at: null } as const;
    await tx.insertInto("nodes").values(fresh).execute();
  } else await tx.updateTable("nodes").set({ ...began, ...AGAIN }).where("id", "=", id).execute();
  return true;
}

/** @returns what a person asks of it; undefined when another process is that node by now, or nobody */
export async function nodeBeat(
  db: Db,
  { id, owner }: NodeProcess,
  said: Pick<NodeRow, "waits">,
  now: number,
): Promise<Beaten | undefined> {
  return await db.updateTable("nodes").set({ ...said, beat_at: sharedNow(db, now) })
    .where("id", "=", id).where("owner", "=", owner)
    .returning(["wanted", "reason", schemaVersion.as("schema")]).executeTakeFirst();
}

export async function nodeEnded(db: Db, { id, owner }: NodeProcess, now: number): Promise<void> {
  await db.updateTable("nodes").set({ owner: null, waits: null, ended_at: sharedNow(db, now) })
    .where("id", "=", id).where("owner", "=", owner).execute();
}

export async function wishOf(
  db: Db,
  ids: readonly string[],
  wish: Pick<NodeRow, "reason" | "wanted">,
): Promise<void> {
  if (ids.length === 0) return;
  await db.updateTable("nodes").set(wish).where("id", "in", ids).execute();
}

export async function forgetNode(db: Db, id: string): Promise<void> {
  await db.deleteFrom("nodes").where("id", "=", id).execute();
}

export interface KnownNode extends NodeRow {
  /** Ms since its last beat, by the server's clock. */
  readonly silent: number;
}

/** By name; none where the database is a file. */
export async function listNodes(db: Db, now: number): Promise<KnownNode[]> {
  const rows = await db.selectFrom("nodes").selectAll()
    .select(sql<number>`${sharedNow(db, now)} - beat_at`.as("silent")).orderBy("name").execute();
  // Columns that a database of an older svc lacks.
  return rows.map((row) => ({ ...row, schema: row.schema ?? null, waits: row.waits ?? null }));
}

/** Names by id; none where the database is a file. */
export async function nodeNames(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom("nodes").select(["id", "name"]).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Undefined for a node that never began, or has not looked through its files yet. */
export async function nodeRetainedAt(db: Db, id: string): Promise<number | undefined> {
  const row = await db.selectFrom("nodes").select("retained_at").where("id", "=", id)
    .executeTakeFirst();
  return row?.retained_at ?? undefined;
}

export async function nodeRetained(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable("nodes").set({ retained_at: now }).where("id", "=", id).execute();
}

export async function nodeNamed(db: Db, name: string): Promise<NodeRow | undefined> {
  return await db.selectFrom("nodes").selectAll().where("name", "=", name).executeTakeFirst();
}
