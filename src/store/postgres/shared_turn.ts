/**
 * Transactions of one repo each that run at the same time in a process share one connection, its journeys to
 * the server and one wait for the disk.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresIntrospector,
  type QueryResult,
  type Transaction,
} from "kysely";
import { Failure } from "svc/core/failure.ts";
import { afterTheRest } from "svc/platform/timers.ts";
import { noStream } from "svc/store/no_stream.ts";
import type { Schema } from "svc/store/schema.ts";
import { type InTurn, ServerAdapter } from "svc/store/server_adapter.ts";
import {
  Compiler,
  resultOf,
  type Said,
  saidBy,
  ServerConnection,
  type ServerPorts,
} from "./dialect.ts";

/** In the order of what is locked, so that no two groups wait for each other. */
const TAKE_TURNS = `SELECT svc_take_turn_of(repo_id) FROM (SELECT value AS repo_id
  FROM json_each($1) ORDER BY hashtext(value)) AS one`;

const GROUP_MOST = 16;

/** A group that takes longer, since somebody else has locked a row, keeps others no longer from beginning. */
const PATIENCE_MS = 50;

/** One that waits for something else than the server keeps the others no longer from asking. */
const ASK_MS = 5;

interface Joined {
  readonly repoId: string;
  work(tx: Transaction<Schema>): Promise<unknown>;
  resolve(value: unknown): void;
  reject(thrown: unknown): void;
}

interface Asked {
  readonly said: Said;
  resolve(result: QueryResult<never>): void;
  reject(thrown: unknown): void;
}

/** One transaction of several works. */
class Group implements DatabaseConnection {
  #asked: Asked[] = [];
  #working = 0;
  #flies = false;

  constructor(readonly connection: ServerConnection, readonly clock: ServerPorts["clock"]) {}

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { later, ...said } = saidBy(query);
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<R>>();
    if (later) {
      this.connection.hold(said);
      resolve({ rows: [] });
    } else {
      this.#asked.push({ said, resolve, reject });
      this.#ask();
    }
    return promise;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#working++;
    try {
      return await work();
    } finally {
      this.#working--;
      this.#ask();
    }
  }

  /** When all that still work wait for an answer. */
  #ask(): void {
    if (this.#flies || this.#asked.length === 0) return;
    if (this.#asked.length >= this.#working) void this.#fly();
    else void this.clock.sleep(ASK_MS).then(() => this.#fly());
  }

  async #fly(): Promise<void> {
    const asked = this.#asked;
    if (this.#flies || asked.length === 0) return;
    this.#asked = [];
    this.#flies = true;
    try {
      const answers = await this.connection.flight(asked.map(({ said }) => said));
      asked.forEach(({ resolve }, at) => resolve(resultOf(answers[at]!)));
    } catch (thrown) {
      for (const { reject } of asked) reject(this.connection.told(thrown));
    }
    this.#flies = false;
    this.#ask();
  }

  readonly streamQuery = noStream;
}

const nested = () =>
  Promise.reject(new Failure("internal", "Cannot begin a transaction in a transaction"));

class Handle extends Kysely<Schema> {
  override get isTransaction(): boolean {
    return true;
  }
}

function handleOf(group: Group, { shown, team }: ServerPorts): Transaction<Schema> {
  const driver: Driver = {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(group),
    beginTransaction: nested,
    commitTransaction: nested,
    rollbackTransaction: nested,
    releaseConnection: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  };
  return new Handle({
    dialect: {
      createAdapter: () => new ServerAdapter(shown, team),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new Compiler(),
    },
  }) as Transaction<Schema>;
}

export function sharedTurns(ports: ServerPorts): InTurn {
  let waiting: Joined[] = [];
  let serving = false;

  /** One of each repo: the others wait for it anyway. */
  function next(): Joined[] {
    const group = new Map<string, Joined>();
    for (const one of waiting) {
      if (group.size < GROUP_MOST && !group.has(one.repoId)) group.set(one.repoId, one);
    }
    const those = [...group.values()];
    waiting = waiting.filter((one) => !those.includes(one));
    return those;
  }

  async function together(those: readonly Joined[]): Promise<void> {
    const connection = new ServerConnection(ports, ports.statements);
    const group = new Group(connection, ports.clock);
    const repoIds = JSON.stringify(those.map(({ repoId }) => repoId));
    const tx = handleOf(group, ports);
    try {
      // Where its answer does not come, nothing is locked meanwhile.
      await connection.begin("BEGIN");
      connection.hold({ sql: TAKE_TURNS, values: [repoIds] });
      const ends = await Promise.allSettled(those.map(({ work }) => group.run(() => work(tx))));
      const failed = ends.find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
      await connection.end("COMMIT");
      ends.forEach((end, at) => those[at]!.resolve(end.status === "fulfilled" && end.value));
    } catch (thrown) {
      const mayBeDone = connection.lost;
      await connection.end("ROLLBACK").catch(() => {});
      // Each of them takes one: where groups hold all that there are, none would get any.
      connection.release();
      // Who of them failed is seen when each is alone; nothing of it was done.
      for (const one of those) {
        if (mayBeDone || those.length === 1) one.reject(thrown);
        else await together([one]);
      }
    } finally {
      connection.release();
    }
  }

  async function serve(): Promise<void> {
    serving = true;
    while (waiting.length > 0) {
      await afterTheRest();
      const group = together(next());
      await Promise.race([group, ports.clock.sleep(PATIENCE_MS)]);
    }
    serving = false;
  }

  return <T>(repoId: string, work: (tx: never) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({
        repoId,
        work: (tx) => work(tx as never),
        resolve: (value) => resolve(value as T),
        reject,
      });
      if (!serving) void serve();
    });
}
