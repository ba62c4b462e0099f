/** Tells a database of a server from a file, and knows its address. */
import { PostgresAdapter } from "kysely";

export class ServerAdapter extends PostgresAdapter {
  /** @param shown the address without any secret */
  constructor(readonly shown: string) {
    super();
  }
}

/** A database of any schema, or a transaction on it. */
export interface AnyDb {
  getExecutor(): { readonly adapter: object };
}

/** Undefined for a file, which one machine has to itself. */
export function serverOf(db: AnyDb): string | undefined {
  const { adapter } = db.getExecutor();
  return adapter instanceof ServerAdapter ? adapter.shown : undefined;
}
