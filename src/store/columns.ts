/** The columns of a table as data beside its row type; a test compares them with a fresh database. */
import type { ColumnType } from "./query.ts";

type Stored<C> = C extends ColumnType<infer S, infer _I, infer _U> ? S : C;
type Kind<S> = S extends number ? "INTEGER" | "REAL" : S extends string ? "TEXT" : "BLOB";

/** SQL type of each column, `NOT NULL` exactly where the row type has no null. */
export type Columns<T> = {
  readonly [K in keyof T]-?: null extends Stored<T[K]> ? Kind<NonNullable<Stored<T[K]>>>
    : `${Kind<Stored<T[K]>>} NOT NULL`;
};

/** What each `*_table.ts` exports as `table`. */
export interface Table<T> {
  readonly name: string;
  readonly columns: Columns<T>;
}
