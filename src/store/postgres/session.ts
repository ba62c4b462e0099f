/** What each connection is told before its first use, also by way of a pooler, which has to keep sessions. */
import { Failure } from "svc/core/failure.ts";

/** To get a connection, from the pool and the server, and each of its first answers. */
export const CONNECT_MS = 5_000;

/** A statement, a wait for a lock, and a transaction whose process stalls, by the clock of the server. */
const STATEMENT_MS = 60_000;
const LOCK_MS = 20_000;
const STALLED_MS = 10_000;

/** A server that lives ends each statement before; a network that drops packets tells nobody for a quarter of an hour. */
export const ANSWER_MS = STATEMENT_MS + 5_000;

/** The server notices within a minute that a node is gone, and frees what it held. */
export const SESSION = [
  `statement_timeout=${STATEMENT_MS}`,
  `lock_timeout=${LOCK_MS}`,
  `idle_in_transaction_session_timeout=${STALLED_MS}`,
  // Who has a turn sees what the one before it stored; a database may have another default.
  "default_transaction_isolation=read committed",
  "idle_session_timeout=0",
  "tcp_keepalives_idle=15",
  "tcp_keepalives_interval=5",
  "tcp_keepalives_count=3",
  "synchronous_commit=on",
  // It compiles for a second what needs a millisecond, where a claim could have to read a long queue.
  "jit=off",
  "client_min_messages=warning",
  "timezone=UTC",
  "datestyle=ISO",
];

/**
 * Claims read the queue in the order of its index. Where statistics are older than 100,000 jobs that were
 * just queued, the server would rather sort them all for each claim.
 */
export const IN_ORDER = [
  ...["enable_sort=off", "enable_bitmapscan=off", "enable_hashjoin=off", "enable_mergejoin=off"],
  "plan_cache_mode=force_generic_plan",
];

/** What is needed of a connection here. */
interface Asked {
  /** The server's process as the login named it. */
  readonly processID?: number | null;
  query(asked: { readonly text: string; readonly query_timeout: number }): Promise<
    { readonly rows?: unknown[] }
  >;
}

interface Begun {
  /** Such as `jit=off`. */
  readonly settings: readonly string[];
  /** They went with the login. */
  readonly said: boolean;
  readonly writable: boolean | undefined;
  readonly shown: string;
  /** Another connection to the same place; absent once it was seen that sessions are kept. */
  readonly another?: (() => Promise<Asked & { end(): Promise<void> }>) | undefined;
}

const ask = (connection: Asked, text: string) =>
  connection.query({ text, query_timeout: CONNECT_MS });

async function placeOf(
  connection: Asked,
): Promise<{ readonly pid: number; readonly copy: string }> {
  const { rows } = await ask(
    connection,
    "SELECT pg_backend_pid() AS pid, current_setting('transaction_read_only') AS copy",
  );
  return (rows as [{ pid: number; copy: string }])[0];
}

/** A transaction of the other one holds the server's process that this one had, where they share them. */
async function sharesWith(connection: Asked, pid: number, other: Asked): Promise<boolean> {
  try {
    await ask(other, "BEGIN");
  } catch (thrown) {
    if (thrown instanceof Error && /transaction blocks not allowed/.test(thrown.message)) {
      return true; // pgbouncer's `pool_mode = statement`
    }
    throw thrown;
  }
  const shares = (await placeOf(other)).pid === pid || (await placeOf(connection)).pid !== pid;
  await ask(other, "COMMIT");
  return shares;
}

async function mustKeepSessions(
  connection: Asked,
  pid: number,
  { another, shown }: Pick<Begun, "another" | "shown">,
): Promise<void> {
  const other = await another?.();
  if (other === undefined) return;
  try {
    if (!await sharesWith(connection, pid, other)) return;
  } finally {
    await other.end().catch(() => {}); // a pooler may have ended it
  }
  throw new Failure(
    "environment",
    `Cannot use the database "${shown}": a pooler before it mixes sessions`,
    {
      remedy: "Let it keep them (pgbouncer: pool_mode = session), or name the server itself",
    },
  );
}

/**
 * A pooler names a process that is not the server's, and drops settings or refuses a login with them: they
 * are said with SET then.
 * @returns whether a pooler was seen
 * @throws Failure `environment` for one that lends a session to several connections, where locks and settings
 *   would be somebody else's; what a server would say to a write (SQLSTATE 25006)
 */
export async function beginSession(connection: Asked, begun: Begun): Promise<boolean> {
  const { pid, copy } = await placeOf(connection);
  if (begun.writable && copy === "on") {
    throw Object.assign(new Error("a read-only server"), { code: "25006" });
  }
  if (begun.said && pid === connection.processID) return false;
  await mustKeepSessions(connection, pid, begun);
  const sets = begun.settings.map((each) => `SET ${each.replace("=", " = '")}'`);
  await ask(connection, sets.join("; "));
  return true;
}
