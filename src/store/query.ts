/** The parts of the query builder that stores use; only this folder imports the package. */
export { sql } from "kysely";
export type {
  ColumnType,
  Generated,
  Insertable,
  Kysely,
  RawBuilder,
  Selectable,
  Transaction,
} from "kysely";
