/** All tables, each typed by the feature that owns it. */
import type { CheckTable } from "svc/features/checks/check_table.ts";
import type { RepoTable } from "svc/features/repos/repo_table.ts";
import type { MetaTable } from "./meta_table.ts";
import type { Kysely } from "./query.ts";

export interface Schema {
  meta: MetaTable;
  repos: RepoTable;
  checks: CheckTable;
}

/** A database, or a transaction on one. */
export type Db = Kysely<Schema>;
