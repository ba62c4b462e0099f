/** One declaration for each table, in its `*_table.ts`: row types and the SQL of columns derive from it. */
import type { Generated, Selectable } from "./query.ts";

/** SQL type of a column, such as "TEXT NOT NULL"; `Value` is what its rows hold. */
type Column<Value> = string & { readonly value?: Value };

export const text = <Value extends string = string>() => "TEXT NOT NULL" as Column<Value>;
export const textOrNull = <Value extends string = string>() => "TEXT" as Column<Value | null>;
export const integer = <Value extends number = number>() => "INTEGER NOT NULL" as Column<Value>;
export const integerOrNull = () => "INTEGER" as Column<number | null>;
export const real = () => "REAL NOT NULL" as Column<number>;
export const realOrNull = () => "REAL" as Column<number | null>;
/** Given by SQLite, and growing with each row. */
export const rowId = () => "INTEGER NOT NULL" as Column<Generated<number>>;

interface Table {
  readonly name: string;
  /** A test compares them with a fresh database. */
  readonly columns: Readonly<Record<string, string>>;
}

type ColumnValues<Columns> = {
  [Name in keyof Columns]: Columns[Name] extends Column<infer Value> ? Value : never;
};

export type StoredTable<T extends Table> = ColumnValues<T["columns"]>;

export type Row<T extends Table> = Selectable<StoredTable<T>>;
