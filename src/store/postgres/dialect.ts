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
import { bindable } from "svc/store/sqlite_dialect.ts";
import { ANSWER_LATER } from "svc/store/query.ts";
import { noStream } from "svc/store/no_stream.ts";
import { storable } from "svc/store/storable.ts";
import {
  isAway,
  isCopy,
  isCrowded,
  isStale,
  isTaken,
  isUndone,
  moreTelling,
  serverFailure,
} from "./errors.ts";
import { type Connection, type ServerAnswer, type ServerPool } from "./pool.ts";
import { Turns } from "svc/store/turns.ts";
import { ANSWER_MS } from "./session.ts";
import type { Statements } from "./statements.ts";
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
  readonly statements: Statements;
}

/** Milliseconds; only tests replace the defaults. */
export interface ServerTimes {
  /** To wait for a connection. */
  readonly awayMs: number;
  /** To wait for an answer. */
  readonly answerMs: number;
}

/** SQLite tells types by the value, PostgreSQL by the place, which a parameter alone does not show. */
export class Compiler extends PostgresQueryCompiler {
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

export interface Said {
  readonly sql: string;
  /** Absent where several statements are one text. */
  readonly values?: readonly unknown[];
}

export function saidBy(
  { sql: text, parameters }: CompiledQuery,
): Required<Said> & { readonly later: boolean } {
  const sql = text.replace(ANSWER_LATER, "");
  return { sql, values: parameters.map((value) => bound(value, sql)), later: sql !== text };
}

export function resultOf<R>({ rows, rowCount, command }: ServerAnswer): QueryResult<R> {
  const changes = /^(?:INSERT|UPDATE|DELETE|MERGE)$/.test(command ?? "");
  return {
    rows: (rows ?? []) as R[],
    ...(changes && { numAffectedRows: BigInt(rowCount ?? 0) }),
  };
}

/** A write to a socket costs more than most statements: those that go together are one. */
function atOnce<T>({ connection: { stream } }: Connection, ask: () => T): T {
  stream.cork();
  try {
    return ask();
  } finally {
    stream.uncork();
  }
}

export class ServerConnection implements DatabaseConnection {
  inTransaction = false;
  /** Goes with the transaction's next statement whose answer is awaited, in one journey. */
  #held: Said[] = [];
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
    let fault: unknown;
    while (this.#client === undefined) {
      try {
        this.#client = await pool.take();
      } catch (thrown) {
        fault = moreTelling(fault, thrown);
        const mayCome = isAway(thrown) || isCrowded(thrown);
        if (!mayCome || clock.monotonic() >= deadline) throw this.told(fault);
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

  /** Sent with the next statement whose answer is awaited. */
  hold(said: Said): void {
    this.#held.push(said);
  }

  /** The server has not said how what was sent last has ended. */
  get lost(): boolean {
    return this.#broken !== undefined;
  }

  told(thrown: unknown): unknown {
    return serverFailure(thrown, this.ports.shown);
  }

  /** After what was held back, in one journey. @throws what the driver throws, first; all is undone then */
  async flight(asked: readonly Said[]): Promise<ServerAnswer[]> {
    const client = await this.client();
    const sent = [...this.#held, ...asked];
    this.#held = [];
    const answers = await Promise.allSettled(
      atOnce(client, () => sent.map((one) => this.#ask(client, one))),
    );
    const failed = answers.find(({ status }) => status === "rejected");
    if (failed?.status !== "rejected") {
      const done = answers as PromiseFulfilledResult<ServerAnswer>[];
      return done.slice(-asked.length).map(({ value }) => value);
    }
    const thrown = failed.reason;
    if (isAway(thrown) || isCopy(thrown)) this.#broken = thrown as Error;
    if (isStale(thrown)) this.statements.forget();
    throw thrown;
  }

  async send(said: Said): Promise<QueryResult<unknown>> {
    return resultOf((await this.flight([said]))[0]!);
  }

  /** It has been sent when this returns, where it is part of a transaction. */
  #ask(client: Connection, { sql, values }: Said): Promise<ServerAnswer> {
    if (sql === UNHURRIED) this.#unhurried = true;
    const timed = this.#unhurried ? {} : { query_timeout: this.ports.times.answerMs };
    const { inTransaction } = this;
    return values === undefined
      ? client.query({ text: sql, ...timed })
      : this.statements.send(client, { sql, values, inTransaction, timed });
  }

  async executeQuery<R>(asked: CompiledQuery): Promise<QueryResult<R>> {
    const { query } = asked;
    const { sql, values, later } = saidBy(asked);
    const reads = query.kind === "SelectQueryNode" || /^\s*SELECT\b/.test(sql);
    const changes = query.kind === "UpdateQueryNode" || /^\s*UPDATE\b/.test(sql);
    if (this.inTransaction && later) {
      this.hold({ sql, values });
      return { rows: [] };
    }
    for (let tries = 1;; tries++) {
      try {
        return await this.send({ sql, values }) as QueryResult<R>;
      } catch (thrown) {
        const undone = isUndone(thrown) || isStale(thrown);
        const again = !this.inTransaction && tries < RACES &&
          (undone || changes && isTaken(thrown) || reads && isAway(thrown));
        if (!again) throw this.told(thrown);
        await this.ports.clock.sleep(RACE_MS * (0.5 + Math.random()));
      }
    }
  }

  /** Nothing has been done before it: a connection that died meanwhile is replaced. */
  async begin(sql: string): Promise<void> {
    for (let tries = 1;; tries++) {
      try {
        await this.send({ sql });
        this.inTransaction = true;
        return;
      } catch (thrown) {
        if (!isAway(thrown)) {
          // The lock was not to be had: the transaction has begun, and failed.
          if (this.#client !== undefined) await this.end("ROLLBACK");
          throw this.told(thrown);
        }
        if (tries >= RACES) throw this.told(thrown);
      }
    }
  }

  async end(sql: "COMMIT" | "ROLLBACK"): Promise<void> {
    const held = sql === "COMMIT" ? this.#held : [];
    // The server has rolled back what a lost connection had begun.
    const undone = sql === "ROLLBACK" && this.#broken !== undefined;
    this.#held = [];
    try {
      if (undone) return;
      const client = await this.client();
      const asked = atOnce(client, () => [...held, { sql }].map((one) => this.#ask(client, one)));
      const answers = await Promise.allSettled(asked);
      const failed = answers.find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
      if (sql === "COMMIT" && (await asked.at(-1))?.command === "ROLLBACK") {
        throw new Failure("internal", "Cannot commit: a statement of the transaction had failed");
      }
    } catch (thrown) {
      if (isAway(thrown)) this.#broken = thrown as Error;
      throw this.told(thrown);
    } finally {
      this.inTransaction = false;
      this.#unhurried = false;
    }
  }

  readonly streamQuery = noStream;
}

class ServerDriver implements Driver {
  /** Writers of this process wait here instead of each holding a connection. */
  readonly #turns = new Turns();
  readonly #statements: Statements;
  readonly #ended = new WeakMap<DatabaseConnection, () => void>();

  constructor(readonly ports: ServerPorts) {
    this.#statements = ports.statements;
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
