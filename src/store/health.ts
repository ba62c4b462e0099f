/** Looks at a database file without changing it; what it says is for `doctor`. */
import { openToPeek, type Peek } from "./open.ts";

/** Problems as SQLite words them; empty when the file is sound. Never throws. */
export function checkDatabase(path: string, at: Peek): readonly string[] {
  try {
    using database = openToPeek(path, at);
    const rows = database.prepare("PRAGMA quick_check(5)").all();
    const texts = rows.map((row) => String(Object.values(row)[0]));
    return texts.length === 1 && texts[0] === "ok" ? [] : texts;
  } catch (thrown) {
    return [thrown instanceof Error ? thrown.message : String(thrown)];
  }
}
