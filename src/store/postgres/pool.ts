/** Connections to one server: bounded, with time limits, values as svc's rows have them. */
import pg from "pg";
import { Failure } from "svc/core/failure.ts";
import { isAway, isCopy, isNameless } from "./errors.ts";
import type { ServerLogin, ServerTls } from "svc/store/server_login.ts";

export interface ServerAnswer {
  readonly rows?: unknown[];
  readonly rowCount?: number | null;
  readonly command?: string;
}

/** How long a question may take. */
export interface AnswerTime {
  /** Ms until it fails without an answer; the connection is of no use then. */
  readonly query_timeout?: number;
}

interface Question extends AnswerTime {
  readonly text: string;
  readonly values?: unknown[];
  /** Prepared under it. */
  readonly name?: string;
}

/** What svc uses of the driver, which comes without types. */
interface Driver {
  query(asked: string | Question): Promise<ServerAnswer>;
  on(event: "error" | "end", hear: (thrown?: Error) => void): void;
  on(event: "notification", hear: (told: { channel: string }) => void): void;
}

/** From a pool. */
export interface Connection extends Driver {
  readonly connection: { readonly stream: { cork(): void; uncork(): void } };
  /** Destroyed rather than kept, with an error. */
  release(broken?: Error): void;
}

/** Beside the pool. */
export interface LoneConnection extends Driver {
  connect(): Promise<void>;
  end(): Promise<void>;
}

/** For one process, one of them for claims. Its transactions that write take turns for the most part, so more would only wait. */
export const SERVER_CONNECTIONS = 8;

/** To get a connection, from the pool and the server. */
const CONNECT_MS = 5_000;

/** A statement, a wait for a lock, and a transaction whose process stalls, by the clock of the server. */
const STATEMENT_MS = 60_000;
const LOCK_MS = 20_000;
const STALLED_MS = 10_000;

/** A server that lives ends each statement before; a network that drops packets tells nobody for a quarter of an hour. */
export const ANSWER_MS = STATEMENT_MS + 5_000;

/** Before an idle connection is asked by TCP whether it lives, so that no firewall forgets it. */
const KEEP_ALIVE_MS = 15_000;

/** The server notices within a minute that a node is gone, and frees what it held. */
const SESSION = [
  `statement_timeout=${STATEMENT_MS}`,
  `lock_timeout=${LOCK_MS}`,
  `idle_in_transaction_session_timeout=${STALLED_MS}`,
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

/** Object ids of types (pg_type.dat of PostgreSQL). */
const INT8 = 20;
const NUMERIC = 1700;
const BOOL = 16;
const JSON_TYPE = 114;

function safeInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new Failure("internal", `Cannot read the integer ${text}: it is too large to be exact`);
}

type Parser = (text: string) => unknown;

const PARSERS: Readonly<Record<number, Parser>> = {
  [INT8]: safeInteger,
  // Sums of integers.
  [NUMERIC]: (text) => text.includes(".") ? Number(text) : safeInteger(text),
  [BOOL]: (text) => text === "t" ? 1 : 0,
  [JSON_TYPE]: (text) => text,
};

const types = {
  getTypeParser: (id: number, format?: "text" | "binary") =>
    format !== "binary" && PARSERS[id] || pg.types.getTypeParser(id, format as "text"),
};

/** What the driver takes for each `sslmode`; "prefer" is asked for first, and given up by the caller. */
function sslOf({ mode, ca, cert, key }: ServerTls) {
  if (mode === "disable") return false;
  const own = { ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
  if (mode === "prefer" || mode === "require") return { ...own, rejectUnauthorized: false };
  return {
    ...own,
    ...(ca !== undefined && { ca }),
    // The name on the certificate counts for verify-full alone.
    ...(mode === "verify-ca" && { checkServerIdentity: () => undefined }),
  };
}

function settingsOf(login: ServerLogin, tls: ServerTls, session: readonly string[] = []) {
  const { host, port, user, database, password } = login;
  return {
    ...{ host, port, user, database, types, ssl: sslOf(tls) },
    // A function: an empty password would make the driver look for one by itself.
    password: () => password ?? "",
    application_name: "svc",
    client_encoding: "UTF8",
    connectionTimeoutMillis: CONNECT_MS,
    // A transaction sends several statements at once; each is answered as before.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    options: [...SESSION, ...session].map((each) => `-c ${each}`).join(" "),
  };
}

/** One login a host, in the order in which they are tried. */
function loginsOf({ others = [], ...first }: ServerLogin): readonly ServerLogin[] {
  const { password: _, ...rest } = first;
  return [first, ...others.map((place) => ({ ...rest, ...place }))];
}

/** libpq tries the next host where one cannot be reached, starts, or takes no writes; no other refusal
 * (postgresql.org/docs/15/libpq-connect.html, 34.1.1.3). A pool whose connections are all in use is not away. */
const triesNext = (thrown: unknown) =>
  isCopy(thrown) || isNameless(thrown) ||
  isAway(thrown) && !/timeout exceeded when trying to connect/.test(String(thrown));

/** @throws what a server would say to a write (SQLSTATE 25006) */
async function mustTakeWrites(connection: Pick<Driver, "query">): Promise<void> {
  const { rows } = await connection.query("SHOW transaction_read_only");
  const [{ transaction_read_only: copy }] = rows as [{ transaction_read_only: string }];
  if (copy === "on") throw Object.assign(new Error("a read-only server"), { code: "25006" });
}

/** A connection of its own, such as to listen. */
export async function connectAlone(login: ServerLogin): Promise<LoneConnection> {
  let fault: unknown;
  for (const one of loginsOf(login)) {
    try {
      const connection = await connectTo(one);
      if (!login.writable) return connection;
      try {
        await mustTakeWrites(connection);
        return connection;
      } catch (thrown) {
        await connection.end();
        throw thrown;
      }
    } catch (thrown) {
      if (!triesNext(thrown)) throw thrown;
      fault = thrown;
    }
  }
  throw fault;
}

async function connectTo(login: ServerLogin): Promise<LoneConnection> {
  const attempt = async (tls: ServerTls) => {
    const client: LoneConnection = new pg.Client(settingsOf(login, tls));
    // Said again by the query that fails of it.
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  try {
    return await attempt(login.tls);
  } catch (thrown) {
    if (login.tls.mode !== "prefer" || !lacksTls(thrown)) throw thrown;
    return await attempt({ mode: "disable" });
  }
}

const lacksTls = (thrown: unknown) =>
  thrown instanceof Error && /server does not support SSL/.test(thrown.message);

export interface ServerPool {
  take(): Promise<Connection>;
  end(): Promise<void>;
}

/** New connections go to the host that took the last one, and where it cannot be used, to the first that can. */
export function openPool(
  login: ServerLogin,
  most: number,
  /** Settings beside the usual ones. */
  session: readonly string[] = [],
): ServerPool {
  const [first, ...others] = loginsOf(login).map((one) => poolOf(one, most, session));
  if (others.length === 0) return first!;
  const pools = [first!, ...others];
  let current = first!;
  return {
    async take() {
      const asked = current;
      let fault: unknown;
      for (const pool of [asked, ...pools.filter((one) => one !== asked)]) {
        try {
          const connection = await pool.take();
          current = pool;
          return connection;
        } catch (thrown) {
          if (!triesNext(thrown)) throw thrown;
          fault = thrown;
        }
      }
      throw fault;
    },
    async end() {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

function poolOf(login: ServerLogin, most: number, session: readonly string[]): ServerPool {
  const make = (tls: ServerTls) => {
    const pool = new pg.Pool({
      ...settingsOf(login, tls, session),
      max: most,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
      ...(login.writable && {
        verify(connection: Connection, done: (thrown?: unknown) => void) {
          mustTakeWrites(connection).then(() => done(), done);
        },
      }),
    });
    // Said of an idle connection; the pool has dropped it by then.
    pool.on("error", () => {});
    // Said of one in use, the next query tells; unheard it would end the process (node-postgres.com/apis/pool).
    pool.on("connect", (connection: Connection) => connection.on("error", () => {}));
    return pool;
  };
  let pool = make(login.tls);
  let prefers = login.tls.mode === "prefer";
  return {
    async take() {
      const asked = pool;
      try {
        const connection: Connection = await asked.connect();
        prefers = false;
        return connection;
      } catch (thrown) {
        if (!prefers || !lacksTls(thrown)) throw thrown;
        if (pool === asked) {
          pool = make({ mode: "disable" });
          await asked.end();
        }
        return await pool.connect();
      }
    },
    end: () => pool.end(),
  };
}
