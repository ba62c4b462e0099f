/** Transactions that concern one repo. */
import type { AccessMode } from "kysely";
import { sql, type Transaction } from "./query.ts";
import type { Db, Schema } from "./schema.ts";
import { serverOf } from "./server_adapter.ts";

/** Tells the driver of a server that no turn of all writers is wanted. */
export const TURN_TO_TAKE: AccessMode = "read write";

/**
 * A transaction that reads and writes rows of one repo alone. On a server those of other repos run at the
 * same time; it takes turns with those of this repo, and with all transactions that name none. On a file
 * it is a transaction like all others.
 */
export function inTurnOf<T>(
  db: Db,
  repoId: string,
  work: (tx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  if (serverOf(db) === undefined) return db.transaction().execute(work);
  return db.transaction().setAccessMode(TURN_TO_TAKE).execute(async (tx) => {
    // What is read after it is what the turn before has left.
    await sql`SELECT svc_take_turn_of(${repoId})`.execute(tx);
    return await work(tx);
  });
}
