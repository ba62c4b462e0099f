/** Reads what a database has registered of one folder without changing its file, for `doctor`. */
import { openToPeek, type WalState } from "svc/store/open.ts";
import type { RegisteredRepo } from "./repo_table.ts";

export type PeekedRepo = Pick<RegisteredRepo, "branch" | "host" | "remote">;

/** Also undefined when the file cannot be read or has another version. Never throws. */
export function peekRepo(path: string, at: WalState, root: string): PeekedRepo | undefined {
  try {
    using database = openToPeek(path, at);
    const asked = database.prepare("SELECT branch, host, remote FROM repos WHERE path = ?");
    return asked.get(root) as PeekedRepo | undefined;
  } catch {
    return undefined; // the look at the database itself says why
  }
}
