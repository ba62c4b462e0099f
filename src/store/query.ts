/** The parts of the query builder that stores use; only this folder imports the package. */
import { type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import { type AnyDb, serverOf } from "./server_adapter.ts";

export { sql };
export type {
  ColumnType,
  Generated,
  Insertable,
  Kysely,
  RawBuilder,
  Selectable,
  Transaction,
} from "kysely";

/** Locks the row that a statement takes for itself. A comment to SQLite, which locks the whole file. */
export const skipLocked = sql.raw("/* skip locked */");

/** Marks a statement of a transaction whose answer nobody needs: a server gets it together with the next one. */
export const ANSWER_LATER = "/* answer later */";
export const answerLater = sql.raw(ANSWER_LATER);

/** Epoch ms by the one clock that all processes share: the server's, which knows nothing of `now`. */
export const sharedNow = (db: AnyDb, now: number): RawBuilder<number> =>
  serverOf(db) !== undefined ? sql<number>`svc_now(${now})` : sql<number>`${now}`;

/** That time itself, where a value is compared in the program. */
export async function teamNow(db: QueryExecutorProvider, now: number): Promise<number> {
  if (serverOf(db) === undefined) return now;
  const { rows } = await sql<{ now: number }>`SELECT svc_now(${now}) AS now`.execute(db);
  return rows[0]!.now;
}
