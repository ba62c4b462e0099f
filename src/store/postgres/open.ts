/** Opens the database of a PostgreSQL server. */
import { Kysely } from "kysely";
import type { Migration } from "svc/store/migrations/all.ts";
import type { Schema } from "svc/store/schema.ts";
import type { TeamPorts } from "svc/store/server_adapter.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import type { Store, StorePorts } from "svc/store/store.ts";
import {
  postgresDialect,
  SERVER_TIMES,
  type ServerPorts as PoolPorts,
  type ServerTimes,
} from "./dialect.ts";
import { leader } from "./lead.ts";
import { listener } from "./listen.ts";
import { openPool, SERVER_CONNECTIONS } from "./pool.ts";
import { IN_ORDER } from "./session.ts";
import { sharedTurns } from "./shared_turn.ts";
import { Statements } from "./statements.ts";
import { isCurrentServer, migrateServer, refuseStrangeServer, serverFacts } from "./schema.ts";

interface ServerPorts extends Pick<StorePorts, "clock"> {
  /** Folder of this machine's clones. */
  readonly clones?: string | undefined;
}

/** Connects with the first query; no schema is looked at. */
export function connectServer(
  { clock, clones }: ServerPorts,
  login: ServerLogin,
  times: ServerTimes = SERVER_TIMES,
): Store {
  const { shown } = login;
  const portsOf = (most: number, session: readonly string[] = []): PoolPorts => {
    const pool = openPool(login, most, session);
    return { pool, shown, clock, times, team, statements: new Statements(clock) };
  };
  const team: TeamPorts = {
    hearOfJobs: listener(login, clock, times.answerMs),
    lead: leader({ login, clock }),
    clones,
    get claims() {
      return claims;
    },
    inTurn: (repoId, work) => inTurn(repoId, work),
  };
  const claims = {
    db: new Kysely<Schema>({ dialect: postgresDialect(portsOf(1, IN_ORDER)) }),
    clock,
  };
  const own = portsOf(SERVER_CONNECTIONS - 1);
  const inTurn = sharedTurns(own);
  const db = new Kysely<Schema>({ dialect: postgresDialect(own) });
  return {
    db,
    path: shown,
    async [Symbol.asyncDispose]() {
      await Promise.all([db.destroy(), claims.db.destroy()]);
    },
  };
}

/** @throws Failure `environment`, `conflict`, `usage` */
export async function openServer(
  ports: ServerPorts,
  login: ServerLogin,
  migrations?: readonly Migration[],
): Promise<Store> {
  const store = connectServer(ports, login);
  try {
    await migrateServer(store.db, { shown: store.path, ...(migrations && { migrations }) });
    return store;
  } catch (thrown) {
    await store[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** Changes nothing; undefined for a database without svc's schema, or with an older one unless `older`. */
export async function openServerToRead(
  ports: ServerPorts,
  login: ServerLogin,
  { older = false } = {},
): Promise<Store | undefined> {
  const store = connectServer(ports, login);
  try {
    const facts = await serverFacts(store.db);
    refuseStrangeServer(facts, store.path);
    const current = facts.ours && await isCurrentServer(store.db, facts, { shown: store.path });
    if (current || older && facts.ours) return store;
    await store[Symbol.asyncDispose]();
    return undefined;
  } catch (thrown) {
    await store[Symbol.asyncDispose]();
    throw thrown;
  }
}
