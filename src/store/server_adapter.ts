/** Tells a database of a server from a file, and knows its address. */
import { PostgresAdapter } from "kysely";

/** Hears of what other processes queued, until the signal; ends without an error. */
export type HearOfJobs = (heard: () => void, signal: AbortSignal) => Promise<void>;

export class ServerAdapter extends PostgresAdapter {
  /** @param shown the address without any secret */
  constructor(readonly shown: string, readonly hearOfJobs: HearOfJobs) {
    super();
  }
}

/** A database of any schema, or a transaction on it. */
export interface AnyDb {
  getExecutor(): { readonly adapter: object };
}

const adapterOf = (db: AnyDb): ServerAdapter | undefined => {
  const { adapter } = db.getExecutor();
  return adapter instanceof ServerAdapter ? adapter : undefined;
};

/** Undefined for a file, which one machine has to itself. */
export const serverOf = (db: AnyDb): string | undefined => adapterOf(db)?.shown;

/** Calls `heard` when another process queued a job; nothing tells of it on a file, which is polled. */
export async function hearOfJobs(
  db: AnyDb,
  heard: () => void,
  signal: AbortSignal,
): Promise<void> {
  await adapterOf(db)?.hearOfJobs(heard, signal);
}
