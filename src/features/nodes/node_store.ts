/** The only module that writes the `nodes` table. */
import { sharedNow, sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { NodeRow } from "./node_table.ts";

export type NodeFacts = Pick<
  NodeRow,
  "abilities" | "concurrency" | "id" | "name" | "owner" | "version"
>;

/** A node that comes back works again, unless a person paused it. */
export async function nodeBegan(db: Db, facts: NodeFacts, now: number): Promise<void> {
  const at = sharedNow(db, now);
  const began = { ...facts, started_at: at, beat_at: at, ended_at: null };
  await db.insertInto("nodes").values({ ...began, wanted: "work", reason: null })
    .onConflict((on) =>
      on.column("id").doUpdateSet({
        ...began,
        wanted: sql`CASE WHEN nodes.wanted = 'pause' THEN 'pause' ELSE 'work' END`,
        reason: sql`CASE WHEN nodes.wanted = 'pause' THEN nodes.reason END`,
      })
    ).execute();
}

/** @returns what a person asks of it; undefined when another process is that node by now */
export async function nodeBeat(
  db: Db,
  { id, owner }: { readonly id: string; readonly owner: string },
  now: number,
): Promise<Pick<NodeRow, "reason" | "wanted"> | undefined> {
  return await db.updateTable("nodes").set({ beat_at: sharedNow(db, now) })
    .where("id", "=", id).where("owner", "=", owner).returning(["wanted", "reason"])
    .executeTakeFirst();
}

export async function nodeEnded(
  db: Db,
  { id, owner }: { readonly id: string; readonly owner: string },
  now: number,
): Promise<void> {
  await db.updateTable("nodes").set({ owner: null, ended_at: sharedNow(db, now) })
    .where("id", "=", id).where("owner", "=", owner).execute();
}

export async function listNodes(db: Db): Promise<NodeRow[]> {
  return await db.selectFrom("nodes").selectAll().orderBy("name").execute();
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
