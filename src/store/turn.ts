/** Transactions that concern one repo. */
import type { Transaction } from "./query.ts";
import type { Db, Schema } from "./schema.ts";
import { turnsOf } from "./server_adapter.ts";

/**
 * A transaction that reads and writes rows of one repo alone. On a server those of other repos run at the
 * same time; it takes turns with those of this repo, and with all transactions that name none. On a file
 * it is a transaction like all others.
 * @param work does nothing but ask `tx`: it is called again where another that shared its commit has failed
 */
export function inTurnOf<T>(
  db: Db,
  repoId: string,
  work: (tx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  const inTurn = turnsOf(db);
  return inTurn === undefined ? db.transaction().execute(work) : inTurn(repoId, work);
}
