/** Registered repos (spec section 2.2). The database a repo is registered in is the file itself. */
import type { Table } from "svc/store/columns.ts";

export interface RepoTable {
  /** First 12 hex digits of SHA-256 of the path. */
  id: string;
  /** Real and absolute. */
  path: string;
  /** `owner/repo`; null for a repo that has none. */
  remote: string | null;
  branch: string;
  /** Epoch ms. */
  created_at: number;
  /** Epoch ms. */
  updated_at: number;
}
export type Repo = RepoTable;

export const table: Table<RepoTable> = {
  name: "repos",
  columns: {
    id: "TEXT NOT NULL",
    path: "TEXT NOT NULL",
    remote: "TEXT",
    branch: "TEXT NOT NULL",
    created_at: "INTEGER NOT NULL",
    updated_at: "INTEGER NOT NULL",
  },
};
