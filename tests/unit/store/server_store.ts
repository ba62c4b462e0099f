/** Databases of one PostgreSQL cluster, which the tests of a file share and which ends with them. */
import { systemClock } from "svc/platform/clock.ts";
import { openServer } from "svc/store/postgres/open.ts";
import { connectAlone, type LoneConnection } from "svc/store/postgres/pool.ts";
import { sql } from "svc/store/query.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import { addressOf, type Cluster, startCluster } from "tests/kit/postgres.ts";

const ports = { clock: systemClock };

interface Shared {
  readonly cluster: Cluster;
  readonly template: string;
  /** A statement costs a twentieth of a `psql`. */
  readonly admin: LoneConnection;
}

let shared: Promise<Shared> | undefined;

/** With svc's schema, and the time that a test says instead of the server's. */
async function begin(): Promise<Shared> {
  const cluster = await startCluster();
  globalThis.addEventListener("unload", () => cluster.kill());
  const login = await cluster.database();
  {
    await using store = await openServer(ports, login);
    await sql.raw(`CREATE OR REPLACE FUNCTION svc_now(said bigint) RETURNS bigint LANGUAGE sql
      VOLATILE AS 'SELECT $1'`).execute(store.db);
  }
  return { cluster, template: login.database, admin: await connectAlone(cluster.login) };
}

const databases = new Map<string, Promise<string>>();

/** A copy of the migrated one: a fifth of the time of migrating each. */
async function makeDatabase(): Promise<ServerLogin> {
  shared ??= begin();
  const { cluster, template, admin } = await shared;
  const database = `c${databases.size}_${crypto.randomUUID().slice(0, 8)}`;
  await admin.query(`CREATE DATABASE ${database} TEMPLATE ${template} STRATEGY file_copy`);
  const login = { ...cluster.login, database };
  return { ...login, shown: addressOf(login) };
}

/** The address of the database that stands for a file. */
export async function databaseFor(path: string): Promise<string> {
  const found = databases.get(path) ?? makeDatabase().then(({ shown }) => shown);
  databases.set(path, found);
  return await found;
}
