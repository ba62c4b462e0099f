/** The only module that writes the `settlements` table. */
import type { Db } from "svc/store/schema.ts";
import type { Settlement, SettlementState } from "./settlement_table.ts";

export async function promise(db: Db, settlement: Settlement): Promise<void> {
  await db.insertInto("settlements").values(settlement).execute();
}

/** Oldest first: later ones may build on earlier ones. */
export function pendingSettlements(db: Db, repoId: string): Promise<Settlement[]> {
  return db.selectFrom("settlements").selectAll().where("repo_id", "=", repoId)
    .where("state", "=", "pending").orderBy("id").execute();
}

/** Ids of repos that something is owed to. */
export async function reposThatWait(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("settlements").select("repo_id").distinct()
    .where("state", "=", "pending").execute();
  return rows.map(({ repo_id }) => repo_id);
}

/** Only what is still pending changes: two processes may settle at once. False when it was settled. */
export async function settle(
  db: Db,
  id: string,
  { state, outcome, now }: {
    readonly state: Exclude<SettlementState, "pending">;
    readonly outcome: string;
    readonly now: number;
  },
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("settlements")
    .set({ state, outcome, settled_at: now, waits_for: null })
    .where("id", "=", id).where("state", "=", "pending").executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Turns a move that cannot happen into a block, such as after a merge conflict. */
export async function blockInstead(
  db: Db,
  id: string,
  { unblock, reason }: {
    readonly unblock: { readonly owner: string; readonly action: string };
    readonly reason: string;
  },
): Promise<void> {
  await db.updateTable("settlements").set({
    to_state: "blocked",
    unblock: JSON.stringify(unblock),
    reason,
    merge_from: null,
    merge_into: null,
    merge_commit: null,
    waits_for: null,
  }).where("id", "=", id).where("state", "=", "pending").execute();
}

export async function waitFor(db: Db, id: string, waits_for: string): Promise<void> {
  await db.updateTable("settlements").set({ waits_for })
    .where("id", "=", id).where("state", "=", "pending").execute();
}
