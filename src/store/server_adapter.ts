/** Tells a database of a server from a file, and knows its address. */
import { PostgresAdapter } from "kysely";
import type { Clock } from "svc/platform/clock.ts";

/** Hears of what other processes queued, until the signal; ends without an error. */
export type HearOfJobs = (heard: () => void, signal: AbortSignal) => Promise<void>;

/** Runs `led` whenever this process leads its team, with a signal of its own that aborts when it leads no more. */
export type Lead = (
  db: AnyDb,
  led: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
) => Promise<void>;

/** A connection on which the queue is read in the order of its index, with the clock of this process. */
export interface ClaimPorts {
  /** With the schema of the one it is asked of. */
  readonly db: AnyDb;
  readonly clock: Pick<Clock, "monotonic">;
}

/** A transaction in the turn of one repo, of the schema of the database it is asked of. */
export type InTurn = <T>(repoId: string, work: (tx: never) => Promise<T>) => Promise<T>;

/** What a server does for a team, beside its queries. */
export interface TeamPorts {
  readonly claims: ClaimPorts;
  readonly inTurn: InTurn;
  readonly hearOfJobs: HearOfJobs;
  readonly lead: Lead;
  /** Folder of this machine's clones. */
  readonly clones?: string | undefined;
}

export class ServerAdapter extends PostgresAdapter {
  /** @param shown the address without any secret */
  constructor(readonly shown: string, readonly team: TeamPorts) {
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

/** Where the clones of its repos lie on this machine; undefined for a file. */
export const clonesOf = (db: AnyDb): string | undefined => adapterOf(db)?.team.clones;

/** Undefined for a file. */
export const claimsOf = (db: AnyDb): ClaimPorts | undefined => adapterOf(db)?.team.claims;

/** Undefined for a file. */
export const turnsOf = (db: AnyDb): InTurn | undefined => adapterOf(db)?.team.inTurn;

/** Calls `heard` when another process queued a job; nothing tells of it on a file, which is polled. */
export async function hearOfJobs(
  db: AnyDb,
  heard: () => void,
  signal: AbortSignal,
): Promise<void> {
  await adapterOf(db)?.team.hearOfJobs(heard, signal);
}

/**
 * Runs `led` while this process is the one of its team that does what one is enough for; never on a file. It
 * saves work, and no rule may need it: a leader may not know yet that it leads no more.
 * @param led must not throw; it is called anew each time, and ends soon after its signal
 */
export async function whileLeading(
  db: AnyDb,
  led: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  await adapterOf(db)?.team.lead(db, led, signal);
}
