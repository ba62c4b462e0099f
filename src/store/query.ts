/** What the stores of features take from the query builder; only this folder imports it. */
export { sql } from "kysely";
export type { ColumnType, Generated, Insertable, Kysely, Selectable, Transaction } from "kysely";
