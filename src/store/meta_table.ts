/** Facts about a database file itself. */
import type { Table } from "./columns.ts";

export interface MetaTable {
  /** `repo_path`, or `migration:<name>` for the checksum of a migration that was applied. */
  key: string;
  value: string;
}

export const table: Table<MetaTable> = {
  name: "meta",
  columns: { key: "TEXT NOT NULL", value: "TEXT NOT NULL" },
};
