/** Kysely on one synchronous SQLite connection: immediate transactions, statements prepared once. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from "kysely";
import { Failure } from "svc/core/failure.ts";
import type { Clock } from "svc/platform/clock.ts";
import { FileWatch } from "svc/platform/files/file_watch.ts";
import { untilFree } from "./busy.ts";
import { FileTurns } from "./file_turns.ts";
import { noStream } from "./no_stream.ts";
import { goneFailure, sqliteFailure } from "./sqlite_errors.ts";

/** Per connection; svc has fewer kinds of query than this. */
const DB_STATEMENTS = 256;

type Bindable = string | number | bigint | null | Uint8Array;

interface Statement {
  all(...values: Bindable[]): unknown[];
  run(...values: Bindable[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  /** Empty for a statement that gives no rows. */
  columns(): readonly unknown[];
}

interface SqliteDatabase {
  prepare(sql: string): Statement;
  readonly isTransaction: boolean;
  close(): void;
}

/** The driver would store some values as another, such as a Date or NaN as NULL. @throws Failure `internal` */
export function bindable(value: unknown, sql: string): Bindable {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "bigint" || value instanceof Uint8Array) return value;
  const exact = typeof value === "number" && Number.isFinite(value) &&
    (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (exact) return value;
  const what = value instanceof Date
    ? "a Date; store epoch ms"
    : typeof value === "boolean"
    ? "a boolean; store 0 or 1"
    : typeof value === "number"
    ? `the number ${value}, which SQLite does not keep`
    : `${value === undefined ? "undefined; store null" : `a ${typeof value}`}`;
  throw new Failure("internal", `Cannot bind ${what}: ${sql}`);
}

/** After these statements node:sqlite knows outdated columns, although SQLite prepares statements anew. */
const CHANGES_SCHEMA = /^\s*(?:CREATE|ALTER|DROP)\b/i;

interface Prepared {
  readonly statement: Statement;
  readonly givesRows: boolean;
}

class SqliteConnection implements DatabaseConnection {
  /** In order of last use. */
  readonly #prepared = new Map<string, Prepared>();
  readonly #watch: FileWatch;

  constructor(
    readonly connection: SqliteDatabase,
    readonly path: string,
    readonly clock: Pick<Clock, "monotonic" | "sleep">,
  ) {
    this.#watch = new FileWatch(path, clock);
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    this.#prepared.delete(sql);
    const statement = known?.statement ?? this.connection.prepare(sql);
    const prepared = known ?? { statement, givesRows: statement.columns().length > 0 };
    this.#prepared.set(sql, prepared);
    if (this.#prepared.size > DB_STATEMENTS) {
      this.#prepared.delete(this.#prepared.keys().next().value!);
    }
    return prepared;
  }

  #run(sql: string, values: readonly Bindable[]): QueryResult<unknown> {
    const { statement, givesRows } = this.#prepare(sql);
    if (CHANGES_SCHEMA.test(sql)) this.#prepared.clear();
    // Rows come with a null prototype, which deep comparisons take for a difference.
    if (givesRows) return { rows: statement.all(...values).map((row) => ({ ...row as object })) };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** The caller has the connection to itself, so that no other query runs while this waits. */
  async execute(sql: string, parameters: readonly unknown[] = []): Promise<QueryResult<unknown>> {
    const values = parameters.map((value) => bindable(value, sql));
    const gone = this.connection.isTransaction ? undefined : this.#watch.gone();
    if (gone !== undefined) throw goneFailure(this.path, gone);
    try {
      return await untilFree(
        this.clock,
        () => this.#run(sql, values),
        () => this.connection.isTransaction,
      );
    } catch (thrown) {
      throw sqliteFailure(thrown, this.path);
    }
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return await this.execute(sql, parameters) as QueryResult<R>;
  }

  readonly streamQuery = noStream;
}

class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #turns: FileTurns;
  #endTurn = () => {};

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#turns = new FileTurns(connection.clock);
  }

  async init() {}

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#endTurn = await this.#turns.take();
    return this.#connection;
  }

  releaseConnection(): Promise<void> {
    this.#endTurn();
    return Promise.resolve();
  }

  async beginTransaction(_: DatabaseConnection, { accessMode }: TransactionSettings) {
    // A deferred transaction that writes later fails when another process has written meanwhile.
    await this.#connection.execute(accessMode === "read only" ? "BEGIN" : "BEGIN IMMEDIATE");
  }

  async commitTransaction() {
    await this.#connection.execute("COMMIT");
  }

  async rollbackTransaction() {
    // SQLite rolls back by itself when the disk is full or broken.
    if (this.#connection.connection.isTransaction) await this.#connection.execute("ROLLBACK");
  }

  // deno-lint-ignore require-await -- the driver is synchronous; its failures become rejections
  async destroy() {
    this.#connection.connection.close();
  }
}

/** SQLite's schema changes do roll back, unlike the library says. */
class FileAdapter extends SqliteAdapter {
  /** The driver gives its one connection to one caller, or one transaction, at a time: the library's own
   * lock wakes all that wait for each that is served. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

export function sqliteDialect(
  connection: SqliteDatabase,
  path: string,
  clock: Pick<Clock, "monotonic" | "sleep">,
): Dialect {
  return {
    createAdapter: () => new FileAdapter(),
    createDriver: () => new SqliteDriver(new SqliteConnection(connection, path, clock)),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
