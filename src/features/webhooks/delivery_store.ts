/** The only module that writes the `deliveries` table. */
import { DELIVERY_KEEP_MS } from "svc/core/bounds.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { DeliveryRow, WebhookSource } from "./delivery_table.ts";

/** False when it came before; an ignored one counts when sent again, perhaps to a newly registered repo. */
export async function insertDelivery(db: Db, row: DeliveryRow): Promise<boolean> {
  const { outcome, reason, repo_id, received_at } = row;
  const { numInsertedOrUpdatedRows } = await db.insertInto("deliveries").values(row)
    .onConflict((on) =>
      on.columns(["source", "id"]).doUpdateSet({ outcome, reason, repo_id, received_at })
        .where(sql<boolean>`deliveries.outcome = 'ignored' AND excluded.outcome <> 'ignored'`)
    ).executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Those of the ids that are stored, whatever became of them. */
export async function takenDeliveries(
  db: Db,
  source: WebhookSource,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = ids.length === 0 ? [] : await db.selectFrom("deliveries").select("id")
    .where("source", "=", source).where("id", "in", [...new Set(ids)]).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Newest first. */
export function recentDeliveries(db: Db, limit: number): Promise<DeliveryRow[]> {
  return db.selectFrom("deliveries").selectAll().orderBy("received_at", "desc").limit(limit)
    .execute();
}

export async function forgetDeliveries(db: Db, now: number): Promise<void> {
  await db.deleteFrom("deliveries").where("received_at", "<", now - DELIVERY_KEEP_MS).execute();
}
