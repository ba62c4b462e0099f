/** What a replayed ticket cost, read from the database of its svc. */
import { DatabaseSync } from "node:sqlite";

export interface Figures {
  readonly jobs: number;
  readonly turns: number;
  readonly tokens: number;
  /** From the start of svc until its ticket ended. */
  readonly seconds: number;
  /** What the jobs took beside the checks; the scripted model answers at once. */
  readonly own: number;
}

export function figuresOf(database: string | undefined, seconds: number): Figures {
  if (database === undefined) return { jobs: 0, turns: 0, tokens: 0, seconds, own: 0 };
  const db = new DatabaseSync(database, { readOnly: true });
  try {
    const row = db.prepare(`
      SELECT count(*) AS jobs, coalesce(sum(turns), 0) AS turns,
        coalesce(sum(tokens_in + tokens_out), 0) AS tokens,
        coalesce(sum(finished_at - started_at), 0) / 1000.0 AS worked,
        (SELECT coalesce(sum(duration_ms), 0) / 1000.0 FROM checks) AS checked
      FROM jobs WHERE finished_at IS NOT NULL AND ticket_id IS NOT NULL`).get()!;
    const of = (name: string) => Number(row[name]);
    const own = Math.max(0, of("worked") - of("checked"));
    return { jobs: of("jobs"), turns: of("turns"), tokens: of("tokens"), seconds, own };
  } finally {
    db.close();
  }
}
