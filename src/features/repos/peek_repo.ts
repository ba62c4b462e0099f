/** Reads what a database has registered without changing its file, for `doctor` and `eject`. */
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

/** Paths, or URLs, of the repos beside the one at `root`. Empty when the file cannot be read. Never throws. */
export function peekOtherRepos(path: string, at: WalState, root: string): readonly string[] {
  try {
    using database = openToPeek(path, at);
    const asked = database.prepare(
      "SELECT coalesce(path, url) AS place FROM repos WHERE path IS NOT ? ORDER BY place",
    );
    return asked.all(root).map(({ place }) => String(place));
  } catch {
    return []; // of another version: its schema may have no such table
  }
}
