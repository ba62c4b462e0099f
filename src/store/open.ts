/** Opens a database file; the only importer of a driver (SQLite's rules: sqlite.org/howtocorrupt.html). */
import { Kysely } from "kysely";
import { backup, DatabaseSync } from "node:sqlite";
import { DB_BUSY_MS, DB_TRY_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { fileStamp } from "svc/core/time.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";
import { untilFree } from "./busy.ts";
import { REPO_PATH } from "./meta_store.ts";
import { isNewest, migrate, type MigrationPlan, refuseStrange } from "./migrate.ts";
import type { Db, Schema } from "./schema.ts";
import { sqliteDialect } from "./sqlite_dialect.ts";
import { sqliteFailure } from "./sqlite_errors.ts";

/** Copies of a database that are kept from before its migrations. */
export const DB_BACKUPS = 3;

/** A write-ahead log that grew past this is cut back once all of it is in the database. */
export const DB_WAL_BYTES = 64 * 1024 * 1024;

export interface Store extends AsyncDisposable {
  readonly db: Db;
  readonly path: string;
}

export interface StorePorts {
  readonly files: Files;
  readonly clock: Clock;
}

/** Up to 3.51.2 a checkpoint could lose a WAL that was reset meanwhile (sqlite.org/wal.html). */
export const OLDEST_SQLITE = "3.51.3";

/** @throws Failure `environment` */
export function refuseOldSqlite(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const [oldMajor = 0, oldMinor = 0, oldPatch = 0] = OLDEST_SQLITE.split(".").map(Number);
  if ((major - oldMajor || minor - oldMinor || patch - oldPatch) >= 0) return;
  throw new Failure("environment", `Cannot use SQLite ${version}: it can corrupt a database`, {
    remedy: `Run svc with a Deno that carries SQLite ${OLDEST_SQLITE} or newer`,
  });
}

/** Name, how it is set, and what it reads back as. */
const PRAGMAS = [
  ["journal_mode", "WAL", "wal"],
  // A webhook that was answered is a promise: FULL syncs the log at each commit.
  ["synchronous", "FULL", 2],
  ["foreign_keys", "ON", 1],
  ["trusted_schema", "OFF", 0],
  // The rest of DB_BUSY_MS is waited for between tries, with the event loop running.
  ["busy_timeout", String(DB_TRY_MS), DB_TRY_MS],
  ["journal_size_limit", String(DB_WAL_BYTES), DB_WAL_BYTES],
] as const;

function read(database: DatabaseSync, sql: string): unknown {
  return Object.values(database.prepare(sql).get() ?? {})[0];
}

async function set(clock: Clock, database: DatabaseSync, path: string): Promise<void> {
  for (const [name, value, wanted] of PRAGMAS) {
    const found = await untilFree(clock, () => {
      const before = read(database, `PRAGMA ${name}`);
      // WAL is a property of the file; asking first spares a running neighbour the exclusive lock.
      if (before === wanted) return before;
      read(database, `PRAGMA ${name} = ${value}`);
      return read(database, `PRAGMA ${name}`);
    });
    if (found === wanted) continue;
    throw new Failure(
      "environment",
      `Cannot use the database "${path}": ${name} is ${JSON.stringify(found)}, not ${value}`,
      { remedy: "Choose a path on a local disk, such as one under ~/.svc" },
    );
  }
}

/** Owner-only, also when it was made looser. Its log and index get the same mode from SQLite. */
async function makeFile(files: Files, path: string): Promise<void> {
  const facts = await files.stat(path);
  // Not for a file in order: closing any descriptor of it would drop this process's locks on it.
  if (facts !== undefined && (facts.mode & 0o077) === 0) return;
  await files.makeFolder(path.slice(0, path.lastIndexOf("/")) || "/");
  using _file = await files.openAppend(path);
}

/** A copy beside the file, whole or not there at all; the newest `DB_BACKUPS` are kept. */
async function backUp(
  { files, clock }: StorePorts,
  database: DatabaseSync,
  path: string,
  version: number,
): Promise<void> {
  const cut = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, cut) || "/", path.slice(cut + 1)];
  const prefix = `${name}.backup-`;
  const target = `${folder}/${prefix}${fileStamp(clock.now())}-v${version}`;
  const partial = `${folder}/.${name}-${crypto.randomUUID()}.partial`;
  try {
    using _file = await files.openAppend(partial);
    await untilFree(clock, () => backup(database, partial));
    await files.rename(partial, target);
  } catch (thrown) {
    // What went wrong matters more than a partial copy that stays.
    await files.remove(partial).catch(() => {});
    throw sqliteFailure(thrown, path);
  }
  const { entries } = await files.list(folder);
  const copies = entries.filter(({ name }) => name.startsWith(prefix)).map(({ name }) => name);
  for (const old of copies.slice(0, -DB_BACKUPS)) {
    await files.remove(`${folder}/${old}`).catch((thrown) => {
      // A neighbour that upgrades as well has tidied up too.
      if (Failure.from(thrown).code !== "not_found") throw thrown;
    });
  }
}

function connect(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: DB_TRY_MS });
  } catch (thrown) {
    throw sqliteFailure(thrown, path);
  }
}

/** "at rest": no write-ahead log lies beside the file, and nothing is made beside it. */
export type Peek = "in use" | "at rest";

/** Opens without changing the file; one that is in use gets its `-shm` and `-wal` when they are gone. */
export function openToPeek(path: string, at: Peek): DatabaseSync {
  const url = new URL("file:///");
  url.pathname = path;
  // Otherwise even a reader makes the two files (sqlite.org/uri.html, immutable).
  if (at === "at rest") url.search = "?immutable=1";
  return new DatabaseSync(url, { readOnly: true, timeout: DB_BUSY_MS });
}

/** Whether somebody has the file open, or died with it open. */
export async function restOf(files: Pick<Files, "stat">, path: string): Promise<Peek> {
  return await files.stat(`${path}-wal`) === undefined ? "at rest" : "in use";
}

/**
 * Real path of the only repo that a database serves, read without changing the file; undefined for a
 * shared one, for none, and for one that cannot be read: opening it says why.
 */
export function peekOwner(path: string, at: Peek = "in use"): string | undefined {
  try {
    using database = openToPeek(path, at);
    const owner = read(database, `SELECT value FROM meta WHERE key = '${REPO_PATH}'`);
    return typeof owner === "string" ? owner : undefined;
  } catch {
    return undefined; // as said above
  }
}

/**
 * For looking only: the file stays as it is. It is not opened read-only: whoever closes it last could
 * not take away what SQLite lays beside it, and a Worker is not let to say that it is at rest.
 * @returns undefined for one with an older schema, which only `openStore` brings to the newest
 * @throws Failure as `openStore`
 */
export async function openToRead(ports: StorePorts, path: string): Promise<Store | undefined> {
  const database = connect(path);
  const db = new Kysely<Schema>({ dialect: sqliteDialect(database, path, ports.clock) });
  try {
    await untilFree(ports.clock, () => read(database, "PRAGMA query_only = ON"));
    await refuseStrange(db, { path, backup: () => Promise.resolve() });
    if (await isNewest(db)) return { db, path, [Symbol.asyncDispose]: () => db.destroy() };
    database.close();
    return undefined;
  } catch (thrown) {
    if (database.isOpen) database.close();
    throw sqliteFailure(thrown, path);
  }
}

/**
 * Makes the file when there is none, and brings it to the newest schema.
 * @param path absolute and free of links; `placement.ts` has checked it
 * @param migrations other than the program's own; for tests
 * @throws Failure `environment`, `conflict` or `usage`
 */
export async function openStore(
  ports: StorePorts,
  path: string,
  migrations?: MigrationPlan["migrations"],
): Promise<Store> {
  await makeFile(ports.files, path);
  const database = connect(path);
  const db = new Kysely<Schema>({ dialect: sqliteDialect(database, path, ports.clock) });
  try {
    // Even this reads the file, which a neighbour that makes it may hold.
    const version = await untilFree(ports.clock, () => read(database, "SELECT sqlite_version()"));
    refuseOldSqlite(String(version));
    const plan = {
      path,
      backup: (version: number) => backUp(ports, database, path, version),
      ...(migrations && { migrations }),
    };
    await refuseStrange(db, plan);
    await set(ports.clock, database, path);
    await migrate(db, plan);
    return { db, path, [Symbol.asyncDispose]: () => db.destroy() };
  } catch (thrown) {
    if (database.isOpen) database.close();
    throw sqliteFailure(thrown, path);
  }
}
