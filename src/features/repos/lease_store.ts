/** The only module that writes the `repo_leases` table; its times are the server's. */
import { sharedNow, sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { RepoLease } from "./lease_table.ts";

/** A fetch, a merge and a push take seconds; a dead node's lease holds the others up for so long. */
export const REPO_LEASE_MS = 30_000;

export type LeaseTaken = Pick<RepoLease, "generation" | "repo_id"> & { readonly owner: string };

/** Undefined while somebody else has it. */
export async function takeRepoLease(
  db: Db,
  asked: { readonly repo_id: string; readonly owner: string; readonly node_id: string | null },
  now: number,
): Promise<LeaseTaken | undefined> {
  const until = sql<number>`${sharedNow(db, now)} + ${REPO_LEASE_MS}`;
  const row = await db.insertInto("repo_leases").values({ ...asked, generation: 1, until })
    .onConflict((on) =>
      on.column("repo_id").doUpdateSet({
        owner: asked.owner,
        node_id: asked.node_id,
        generation: sql`repo_leases.generation + 1`,
        until,
      }).where("repo_leases.until", "<=", sharedNow(db, now))
    ).returning("generation").executeTakeFirst();
  return row && { repo_id: asked.repo_id, owner: asked.owner, generation: row.generation };
}

/** Also one that ran out, while nobody took it. @returns false where it is lost for good */
export async function renewRepoLease(db: Db, lease: LeaseTaken, now: number): Promise<boolean> {
  const until = sql<number>`${sharedNow(db, now)} + ${REPO_LEASE_MS}`;
  const row = await db.updateTable("repo_leases").set({ until })
    .where("repo_id", "=", lease.repo_id).where("owner", "=", lease.owner)
    .where("generation", "=", lease.generation).returning("generation").executeTakeFirst();
  return row !== undefined;
}

export async function giveBackRepoLease(db: Db, lease: LeaseTaken): Promise<void> {
  await db.updateTable("repo_leases").set({ owner: null, until: 0 })
    .where("repo_id", "=", lease.repo_id).where("owner", "=", lease.owner)
    .where("generation", "=", lease.generation).execute();
}

/** Who has it now, for messages: a node's name, where it has one. */
export async function holderOfRepo(db: Db, repoId: string): Promise<string> {
  const row = await db.selectFrom("repo_leases").leftJoin("nodes", "nodes.id", "node_id")
    .select(["nodes.name"]).where("repo_id", "=", repoId).executeTakeFirst();
  return row?.name ?? "another svc";
}
