/** Kysely on PostgreSQL: transactions that write take turns, and only what was surely undone is sent again. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type OperatorNode,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawNode,
  type TransactionSettings,
} from "kysely";
import { Failure } from "svc/core/failure.ts";
import type { Clock } from "svc/platform/clock.ts";
import { ServerAdapter, type TeamPorts } from "svc/store/server_adapter.ts";
import { TURN_TO_TAKE } from "svc/store/turn.ts";
import { bindable } from "svc/store/sqlite_dialect.ts";
import { storable } from "svc/store/storable.ts";
import { isAway, isCopy, isCrowded, isStale, isTaken, isUndone, serverFailure } from "./errors.ts";
import { ANSWER_MS, type Connection, type ServerPool } from "./pool.ts";
import { Statements } from "./statements.ts";
import { queryText } from "./translate.ts";
import { TURN_LOCK } from "./words.ts";

/** Says that what follows in the transaction may take as long as it needs, such as building an index. */
export const UNHURRIED = "SET LOCAL statement_timeout = 0";

/** A statement that lost a race; each time somebody else has won it. */
const RACES = 12;

/** A server that restarts is back within it. */
const SERVER_AWAY_MS = 10_000;

export const SERVER_TIMES: ServerTimes = { awayMs: SERVER_AWAY_MS, answerMs: ANSWER_MS };
const RECONNECT_MS = 200;

/** Mean pause after a lost race. */
const RACE_MS = 5;

export interface ServerPorts {
  readonly pool: ServerPool;
  readonly shown: string;
  readonly team: TeamPorts;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly times: ServerTimes;
}

/** Milliseconds; only tests replace the defaults. */
export interface ServerTimes {
  /** To wait for a connection. */
  readonly awayMs: number;
  /** To wait for an answer. */
  readonly answerMs: number;
}

/** SQLite tells types by the value, PostgreSQL by the place, which a parameter alone does not show. */
class Compiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    super.visitRaw({ ...node, sqlFragments: node.sqlFragments.map(queryText) });
  }

  protected override visitOperator(node: OperatorNode): void {
    // SQLite's LIKE does not tell upper from lower case.
    this.append(node.operator.replace(/\blike$/, "ilike"));
  }

  protected override appendValue(value: unknown): void {
    super.appendValue(value);
    if (typeof value !== "number") return;
    this.append(Number.isInteger(value) ? "::bigint" : "::double precision");
  }
}

function bound(value: unknown, sql: string): unknown {
  const given = bindable(value, sql);
  return typeof given === "string" ? storable(given) : given;
}

class ServerConnection implements DatabaseConnection {
  inTransaction = false;
  #client: Connection | undefined;
  /** The driver's own error, after which the client must not go back to the pool. */
  #broken: Error | undefined;
  #unhurried = false;

  constructor(readonly ports: ServerPorts, readonly statements: Statements) {}

  /** Waits for a server that is away; nothing has been sent to it yet. */
  async client(): Promise<Connection> {
    if (this.#broken !== undefined) this.release();
    const { pool, clock, times } = this.ports;
    const deadline = clock.monotonic() + times.awayMs;
    while (this.#client === undefined) {
      try {
        this.#client = await pool.take();
      } catch (thrown) {
        const mayCome = isAway(thrown) || isCrowded(thrown);
        if (!mayCome || clock.monotonic() >= deadline) throw this.#told(thrown);
        await clock.sleep(RECONNECT_MS);
      }
    }
    return this.#client;
  }

  release(): void {
    this.#client?.release(this.#broken);
    this.#client = undefined;
    this.#broken = undefined;
  }

  #told(thrown: unknown): unknown {
    return serverFailure(thrown, this.ports.shown);
  }

  /** Once, on one connection. @throws what the driver throws */
  async send(sql: string, values?: readonly unknown[]): Promise<QueryResult<unknown>> {
    const client = await this.client();
    try {
      if (sql === UNHURRIED) this.#unhurried = true;
      const timed = this.#unhurried ? {} : { query_timeout: this.ports.times.answerMs };
      const { inTransaction } = this;
      const { rows, rowCount, command } = values === undefined
        ? await client.query({ text: sql, ...timed })
        : await this.statements.send(client, { sql, values, inTransaction, timed });
      const changes = /^(?:INSERT|UPDATE|DELETE|MERGE)$/.test(command ?? "");
      return { rows: rows ?? [], ...(changes && { numAffectedRows: BigInt(rowCount ?? 0) }) };
    } catch (thrown) {
      if (isAway(thrown) || isCopy(thrown)) this.#broken = thrown as Error;
      if (isStale(thrown)) this.statements.forget();
      throw thrown;
    }
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const values = parameters.map((value) => bound(value, sql));
    const reads = query.kind === "SelectQueryNode" || /^\s*SELECT\b/.test(sql);
    const changes = query.kind === "UpdateQueryNode" || /^\s*UPDATE\b/.test(sql);
    for (let tries = 1;; tries++) {
      try {
        return await this.send(sql, values) as QueryResult<R>;
      } catch (thrown) {
        const undone = isUndone(thrown) || isStale(thrown);
        const again = !this.inTransaction && tries < RACES &&
          (undone || changes && isTaken(thrown) || reads && isAway(thrown));
        if (!again) throw this.#told(thrown);
        await this.ports.clock.sleep(RACE_MS * (0.5 + Math.random()));
      }
    }
  }

  /** Nothing has been done before it: a connection that died meanwhile is replaced. */
  async begin(sql: string): Promise<void> {
    for (let tries = 1;; tries++) {
      try {
        await this.send(sql);
        this.inTransaction = true;
        return;
      } catch (thrown) {
        if (!isAway(thrown)) {
          // The lock was not to be had: the transaction has begun, and failed.
          if (this.#client !== undefined) await this.end("ROLLBACK");
          throw this.#told(thrown);
        }
        if (tries >= RACES) throw this.#told(thrown);
      }
    }
  }

  async end(sql: "COMMIT" | "ROLLBACK"): Promise<void> {
    this.inTransaction = false;
    this.#unhurried = false;
    // The server has rolled back what a lost connection had begun.
    if (sql === "ROLLBACK" && this.#broken !== undefined) return;
    try {
      const client = await this.client();
      const { command } = await client.query({
        text: sql,
        query_timeout: this.ports.times.answerMs,
      });
      if (sql === "COMMIT" && command === "ROLLBACK") {
        throw new Failure("internal", "Cannot commit: a statement of the transaction had failed");
      }
    } catch (thrown) {
      if (isAway(thrown)) this.#broken = thrown as Error;
      throw this.#told(thrown);
    }
  }

  // deno-lint-ignore require-yield -- refused
  async *streamQuery(): AsyncGenerator<never> {
    throw new Failure("internal", "Cannot stream rows: the read transaction would stay open", {
      remedy: "Read in pages",
    });
  }
}

/** Writers of this process wait here instead of each holding a connection. */
class Turns {
  #last: Promise<void> = Promise.resolve();

  async take(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = promise;
    await before;
    return resolve;
  }
}

class ServerDriver implements Driver {
  readonly #turns = new Turns();
  readonly #statements: Statements;
  readonly #ended = new WeakMap<DatabaseConnection, () => void>();

  constructor(readonly ports: ServerPorts) {
    this.#statements = new Statements(ports.clock);
  }

  async init() {}

  // deno-lint-ignore require-await -- a client is taken with the first statement
  async acquireConnection(): Promise<ServerConnection> {
    return new ServerConnection(this.ports, this.#statements);
  }

  // deno-lint-ignore require-await -- the interface is asynchronous
  async releaseConnection(connection: ServerConnection): Promise<void> {
    connection.release();
  }

  /** What SQLite's BEGIN IMMEDIATE gives: what is read in the transaction stays true until its end. */
  async beginTransaction(connection: ServerConnection, { accessMode }: TransactionSettings) {
    if (accessMode === "read only") {
      return await connection.begin("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    }
    // It takes the turn of one repo by itself.
    if (accessMode === TURN_TO_TAKE) return await connection.begin("BEGIN");
    const done = await this.#turns.take();
    try {
      await connection.begin(`BEGIN; SELECT pg_advisory_xact_lock(${TURN_LOCK})`);
      this.#ended.set(connection, done);
    } catch (thrown) {
      done();
      throw thrown;
    }
  }

  async commitTransaction(connection: ServerConnection) {
    await connection.end("COMMIT").finally(() => this.#ended.get(connection)?.());
  }

  async rollbackTransaction(connection: ServerConnection) {
    await connection.end("ROLLBACK").finally(() => this.#ended.get(connection)?.());
  }

  async destroy() {
    await this.ports.pool.end();
  }
}

export function postgresDialect(ports: ServerPorts): Dialect {
  return {
    createAdapter: () => new ServerAdapter(ports.shown, ports.team),
    createDriver: () => new ServerDriver(ports) as Driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new Compiler(),
  };
}
