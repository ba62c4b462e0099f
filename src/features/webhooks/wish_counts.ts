/** How many wishes of a repo are pending, and how many of them met with something in their way. */
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";

export interface WishCounts {
  readonly waiting: number;
  /** Tried, and to be tried again: `waits_for` says what kept it from being done. */
  readonly failing: number;
}

export async function wishCounts(db: Db, repoId: string): Promise<WishCounts> {
  const row = await db.selectFrom("wishes").select([
    sql<number>`count(*) - count(waits_for)`.as("waiting"),
    sql<number>`count(waits_for)`.as("failing"),
  ]).where("repo_id", "=", repoId).where("state", "=", "pending").executeTakeFirstOrThrow();
  return row;
}
