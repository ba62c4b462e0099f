/** Reads who says to be at work in a database, without changing its file, for whoever would remove it. */
import { openToPeek, type WalState } from "svc/store/open.ts";

export interface PeekedWorker {
  /** As in `owner.ts`; its process may be dead. */
  readonly owner: string;
  /** Such as `svc start`. */
  readonly what: string;
}

const WORKERS = `SELECT owner, 'svc ' || shape AS what FROM services
  UNION ALL SELECT lease_owner, 'a job of ' || role FROM jobs
    WHERE status = 'running' AND lease_owner IS NOT NULL`;

/** Services come first. Also empty when the file cannot be read or has another version. Never throws. */
export function peekWorkers(path: string, at: WalState): readonly PeekedWorker[] {
  try {
    using database = openToPeek(path, at);
    return database.prepare(WORKERS).all() as unknown as PeekedWorker[];
  } catch {
    return []; // nobody works with what cannot be read
  }
}
