/** Connections to one server: bounded, with time limits, values as svc's rows have them. */
import pg from "pg";
import { Failure } from "svc/core/failure.ts";
import { isAway, isCopy, isNameless, refusesSettings } from "./errors.ts";
import { beginSession, CONNECT_MS, SESSION } from "./session.ts";
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
  readonly processID: number | null;
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

/** Before an idle connection is asked by TCP whether it lives, so that no firewall forgets it. */
const KEEP_ALIVE_MS = 15_000;

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

/** How a server is reached; a way that it refuses is given up for another one. */
interface Way {
  readonly tls: ServerTls;
  /** Settings go with the login. */
  readonly said: boolean;
}

const firstWay = ({ tls }: ServerLogin): Way => ({ tls, said: true });

/** Undefined where there is none. @param prefers whether "prefer" may still become a connection without TLS */
function otherWay(way: Way, thrown: unknown, prefers = true): Way | undefined {
  if (prefers && way.tls.mode === "prefer" && lacksTls(thrown)) {
    return { ...way, tls: { mode: "disable" } };
  }
  return way.said && refusesSettings(thrown) ? { ...way, said: false } : undefined;
}

function settingsOf(login: ServerLogin, { tls, said }: Way, settings: readonly string[]) {
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
    ...(said && { options: settings.map((each) => `-c ${each.replaceAll(" ", "\\ ")}`).join(" ") }),
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

/** A connection of its own, such as to listen. */
export async function connectAlone(login: ServerLogin): Promise<LoneConnection> {
  let fault: unknown;
  for (const one of loginsOf(login)) {
    try {
      const { connection, said } = await connectTo(one);
      try {
        const { writable, shown } = login;
        await beginSession(connection, { settings: SESSION, said, writable, shown });
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

async function connectTo(login: ServerLogin) {
  for (let way = firstWay(login);;) {
    const client: LoneConnection = new pg.Client(settingsOf(login, way, SESSION));
    // Said again by the query that fails of it.
    client.on("error", () => {});
    try {
      await client.connect();
      return { connection: client, said: way.said };
    } catch (thrown) {
      const other = otherWay(way, thrown);
      if (other === undefined) throw thrown;
      way = other;
    }
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
  const settings = [...SESSION, ...session];
  const { writable, shown } = login;
  let another: (() => Promise<LoneConnection>) | undefined = async () =>
    (await connectTo(login)).connection;
  const make = (way: Way) => {
    const begin = async (connection: Connection) => {
      const begun = { settings, said: way.said, writable, shown, another };
      if (await beginSession(connection, begun)) another = undefined;
    };
    const pool = new pg.Pool({
      ...settingsOf(login, way, settings),
      max: most,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
      verify(connection: Connection, done: (thrown?: unknown) => void) {
        begin(connection).then(() => done(), done);
      },
    });
    // Said of an idle connection; the pool has dropped it by then.
    pool.on("error", () => {});
    // Said of one in use, the next query tells; unheard it would end the process (node-postgres.com/apis/pool).
    pool.on("connect", (connection: Connection) => connection.on("error", () => {}));
    return pool;
  };
  let way = firstWay(login);
  let pool = make(way);
  let prefers = true;
  return {
    async take() {
      for (;;) {
        const [asked, by] = [pool, way];
        try {
          const connection: Connection = await asked.connect();
          prefers = false;
          return connection;
        } catch (thrown) {
          const other = otherWay(by, thrown, prefers);
          if (other === undefined) throw thrown;
          if (pool !== asked) continue;
          way = other;
          pool = make(way);
          await asked.end();
        }
      }
    },
    end: () => pool.end(),
  };
}
