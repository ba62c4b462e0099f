/** Opens a database file and keeps SQLite's rules for its files (sqlite.org/howtocorrupt.html). */
import { Kysely } from "kysely";
import { backup, DatabaseSync } from "node:sqlite";
import { DB_BUSY_MS, DB_TRY_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { fileStamp } from "svc/core/time.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";
import { untilFree } from "./busy.ts";
import { cutDatabase } from "./database_file.ts";
import { REPO_PATH } from "./meta_store.ts";
import {
  APPLICATION_ID,
  isNewest,
  migrate,
  type MigrationPlan,
  refuseStrange,
  strangeness,
} from "./migrate.ts";
import type { Schema } from "./schema.ts";
import { sqliteDialect } from "./sqlite_dialect.ts";
import { sqliteFailure } from "./sqlite_errors.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import type { Servers, Store, StorePorts } from "./store.ts";

export type { Store, StorePorts } from "./store.ts";

export const DB_BACKUPS = 3;

/** A write-ahead log that grew past this is truncated once all of it is in the database. */
export const DB_WAL_BYTES = 64 * 1024 * 1024;

/** Before this version a checkpoint could lose a WAL that was reset meanwhile (sqlite.org/wal.html). */
const OLDEST_SQLITE = "3.51.3";

export function refuseOldSqlite(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const [oldMajor = 0, oldMinor = 0, oldPatch = 0] = OLDEST_SQLITE.split(".").map(Number);
  if ((major - oldMajor || minor - oldMinor || patch - oldPatch) >= 0) return;
  throw new Failure("environment", `Cannot use SQLite ${version}: it can corrupt a database`, {
    remedy: `Run svc with a Deno that carries SQLite ${OLDEST_SQLITE} or newer`,
  });
}

/** Name, the value to set, and the value that it must read back as. */
const PRAGMAS = [
  ["journal_mode", "WAL", "wal"],
  // An answered webhook must not be lost: FULL syncs the log at each commit.
  ["synchronous", "FULL", 2],
  ["foreign_keys", "ON", 1],
  ["trusted_schema", "OFF", 0],
  // The rest of DB_BUSY_MS passes between tries, with the event loop running.
  ["busy_timeout", String(DB_TRY_MS), DB_TRY_MS],
  ["journal_size_limit", String(DB_WAL_BYTES), DB_WAL_BYTES],
] as const;

function read(database: DatabaseSync, sql: string): unknown {
  return Object.values(database.prepare(sql).get() ?? {})[0];
}

async function setPragmas(clock: Clock, database: DatabaseSync, path: string): Promise<void> {
  for (const [name, value, wanted] of PRAGMAS) {
    const found = await untilFree(clock, () => {
      const before = read(database, `PRAGMA ${name}`);
      // WAL is a property of the file; asking first spares a neighbour process the exclusive lock.
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

/** Owner-only; SQLite gives its log and index the same mode. */
async function makeFile(files: Files, path: string): Promise<void> {
  const facts = await files.stat(path);
  // A file in order is not opened: closing any descriptor of it would drop this process's locks on it.
  if (facts !== undefined && (facts.mode & 0o077) === 0) return;
  await files.makeFolder(path.slice(0, path.lastIndexOf("/")) || "/");
  using _file = await files.openAppend(path);
}

/**
 * What goes of `names`, oldest first, now that `made` is there. One copy of a schema is kept, so that upgrades
 * which fail midway, time and again, do not push out the one that the older svc can open.
 */
export function surplusBackups(names: readonly string[], made: string): readonly string[] {
  const shape = made.replace(/\d{8}-\d{6}-v\d+$/, "");
  const schemaOf = (name: string) => /^\d{8}-\d{6}-v(\d+)$/.exec(name.slice(shape.length))?.[1];
  const own = names.filter((name) => name.startsWith(shape) && schemaOf(name) !== undefined);
  // By a clock that went back it may not be the newest of them.
  const newest = new Map([...own, made].map((name) => [schemaOf(name), name]));
  const others = [...newest.values()].filter((name) => name !== made).sort();
  const kept = new Set([made, ...others.slice(-(DB_BACKUPS - 1))]);
  return own.filter((name) => !kept.has(name));
}

/** All of it or nothing; the newest `DB_BACKUPS` copies are kept, of one schema only one. */
async function backUp(
  { files, clock }: StorePorts,
  database: DatabaseSync,
  path: string,
  version: number,
): Promise<void> {
  const cut = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, cut) || "/", path.slice(cut + 1)];
  const made = `${name}.backup-${fileStamp(clock.now())}-v${version}`;
  const partial = `${folder}/.${name}-${crypto.randomUUID()}.partial`;
  try {
    using _file = await files.openAppend(partial);
    // In one step: SQLite begins anew where somebody writes between two (sqlite.org/backup.html), so that a
    // service that writes on would keep this from its end, and the thread with it.
    await untilFree(clock, () => backup(database, partial, { rate: -1 }));
    // Another process migrated it, and made its own backup before: this one may hold what no older svc opens.
    const still = await untilFree(clock, () => read(database, "PRAGMA user_version"));
    if (still !== version) return await files.remove(partial);
    await files.rename(partial, `${folder}/${made}`);
  } catch (thrown) {
    // The failure matters more than a partial copy that stays.
    await files.remove(partial).catch(() => {});
    throw sqliteFailure(thrown, path);
  }
  const { entries } = await files.list(folder);
  for (const old of surplusBackups(entries.map(({ name }) => name), made)) {
    await files.remove(`${folder}/${old}`).catch((thrown) => {
      // A neighbour process that upgrades as well may have removed it.
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

/** "at rest": no write-ahead log lies beside the file, so that nobody has it open. */
export type WalState = "in use" | "at rest";

/** Changes nothing; beside a file in use SQLite may make its `-shm` and `-wal` again. */
export function openToPeek(path: string, at: WalState): DatabaseSync {
  const url = new URL("file:///");
  // SQLite decodes what a URL escapes, so that a name with % would be another's.
  url.pathname = path.split("/").map(encodeURIComponent).join("/");
  // Without it even a reader makes the two files (sqlite.org/uri.html, immutable).
  if (at === "at rest") url.search = "?immutable=1";
  return new DatabaseSync(url, { readOnly: true, timeout: DB_BUSY_MS });
}

/** As SQLite words them; none when it is sound. Changes nothing, never throws. */
export function checkDatabase(path: string, at: WalState): readonly string[] {
  try {
    using database = openToPeek(path, at);
    const rows = database.prepare("PRAGMA quick_check(5)").all();
    const texts = rows.map((row) => String(Object.values(row)[0]));
    return texts.length === 1 && texts[0] === "ok" ? [] : texts;
  } catch (thrown) {
    return [thrown instanceof Error ? thrown.message : String(thrown)];
  }
}

/** Why this svc refuses a file that is sound; undefined where it uses it, or cannot read it. Changes nothing. */
export function peekStrangeness(path: string, at: WalState): Failure | undefined {
  try {
    using database = openToPeek(path, at);
    const number = (query: string) => Number(read(database, query));
    return strangeness(path, {
      tables: number("SELECT count(*) FROM sqlite_schema"),
      application: number("PRAGMA application_id"),
      version: number("PRAGMA user_version"),
    });
  } catch {
    return undefined; // `checkDatabase` says why
  }
}

/** In use: somebody has it open, or died with it open. A file that was cut is at rest: a look would remove its log. */
export async function walStateOf(files: Pick<Files, "stat">, path: string): Promise<WalState> {
  if (await cutDatabase(files, path) !== undefined) return "at rest";
  return await files.stat(`${path}-wal`) === undefined ? "at rest" : "in use";
}

/** Changes nothing; undefined for a file that is absent, unreadable or not a database of svc.
 * @param key a fact of `meta` that is asked for */
export function peekDatabase(
  path: string,
  at: WalState,
  key = REPO_PATH,
): { readonly owner: string | undefined; readonly asked: string | undefined } | undefined {
  try {
    using database = openToPeek(path, at);
    if (read(database, "PRAGMA application_id") !== APPLICATION_ID) return undefined;
    const fact = (of: string) => {
      const value = database.prepare("SELECT value FROM meta WHERE key = ?").get(of)?.value;
      return typeof value === "string" ? value : undefined;
    };
    return { owner: fact(REPO_PATH), asked: fact(key) };
  } catch {
    return undefined; // opening it says why
  }
}

/** The real path of the only repo that a database serves; undefined where it serves none or several. */
export function peekOwner(path: string, at: WalState = "in use"): string | undefined {
  return peekDatabase(path, at)?.owner;
}

/** SQLite opens it writable nevertheless: else the last to close it could not remove the files beside it,
 * and a Worker may not open it as at rest. Undefined for an older schema, unless `older`. @throws Failure as `openStore` */
export async function openToRead(
  ports: StorePorts,
  path: string,
  { older = false } = {},
): Promise<Store | undefined> {
  if (isServerAddress(path)) return await serversOf(ports).openToRead(path, { older });
  const cut = await cutDatabase(ports.files, path);
  if (cut !== undefined) throw cut;
  const database = connect(path);
  const db = new Kysely<Schema>({ dialect: sqliteDialect(database, path, ports.clock) });
  try {
    await untilFree(ports.clock, () => read(database, "PRAGMA query_only = ON"));
    await refuseStrange(db, { path });
    if (older || await isNewest(db)) {
      return { db, path, [Symbol.asyncDispose]: () => db.destroy() };
    }
    database.close();
    return undefined;
  } catch (thrown) {
    if (database.isOpen) database.close();
    throw sqliteFailure(thrown, path);
  }
}

/** @throws Failure `usage` where only files are taken */
function serversOf({ servers }: StorePorts): Servers {
  if (servers !== undefined) return servers;
  throw new Failure("usage", "Cannot use a database server here: this works on a file", {
    remedy: "Name a file with --db, or leave --db out",
  });
}

/** `path` is absolute and free of links (`placement.ts`), or the address of a server. @throws Failure `environment`, `conflict`, `usage` */
export async function openStore(
  ports: StorePorts,
  path: string,
  migrations?: MigrationPlan["migrations"],
): Promise<Store> {
  if (isServerAddress(path)) return await serversOf(ports).open(path);
  await makeFile(ports.files, path);
  const database = connect(path);
  const db = new Kysely<Schema>({ dialect: sqliteDialect(database, path, ports.clock) });
  try {
    // Even this reads the file, which a process that is making it may have locked.
    const version = await untilFree(ports.clock, () => read(database, "SELECT sqlite_version()"));
    refuseOldSqlite(String(version));
    const plan = {
      path,
      backup: (version: number) => backUp(ports, database, path, version),
      execute: (statements: string) => database.exec(statements),
      ...(migrations && { migrations }),
    };
    await refuseStrange(db, plan);
    await setPragmas(ports.clock, database, path);
    await migrate(db, plan);
    return { db, path, [Symbol.asyncDispose]: () => db.destroy() };
  } catch (thrown) {
    if (database.isOpen) database.close();
    throw sqliteFailure(thrown, path);
  }
}
