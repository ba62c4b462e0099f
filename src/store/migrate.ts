/** Migrates in one transaction each, a new file in a single one; compares checksums of those applied. */
import { Migrator } from "kysely/migration";
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { appliedMigrations, recordMigration } from "./meta_store.ts";
import { type Migration, MIGRATIONS } from "./migrations/all.ts";
import { NEWEST_SCHEMA, SUMS } from "./migrations/newest.gen.ts";
import { sql } from "./query.ts";
import type { Db } from "./schema.ts";

/** "svc" and a zero byte in `PRAGMA application_id`, in the header of every database of svc (sqlite.org/pragma.html). */
export const APPLICATION_ID = 0x73766300;

export interface MigrationPlan {
  readonly path: string;
  backup(version: number): Promise<void>;
  /** Executes statements on the connection of the database, all at once. */
  execute(statements: string): void;
  /** Applied one by one, also to a new file. */
  readonly migrations?: readonly Migration[];
}

export function migrationSum({ statements }: Migration): Promise<string> {
  return sha256(new TextEncoder().encode(statements.join(";\n")));
}

/** Those of svc are generated: each start would load Deno's part of digests for them. */
async function knownSum(migration: Migration): Promise<string> {
  const own = MIGRATIONS.includes(migration) ? SUMS[migration.name] : undefined;
  return own ?? await migrationSum(migration);
}

async function pragma(db: Db, name: "application_id" | "user_version"): Promise<number> {
  const { rows } = await sql.raw<Record<string, number>>(`PRAGMA ${name}`).execute(db);
  return rows[0]?.[name] ?? 0;
}

const versionOf = (db: Db) => pragma(db, "user_version");

export async function isNewest(db: Db): Promise<boolean> {
  return await versionOf(db) === MIGRATIONS.length;
}

/** What the header and the list of tables of a file say. */
export interface FileFacts {
  readonly tables: number;
  readonly application: number;
  readonly version: number;
}

/** `usage` for a file not svc's, `conflict` for a newer svc's; undefined for svc's own, and an empty one. */
export function strangeness(
  path: string,
  { tables, application, version }: FileFacts,
  known = MIGRATIONS.length,
): Failure | undefined {
  if (tables !== 0 && application !== APPLICATION_ID) {
    return new Failure("usage", `Cannot use the database "${path}": another program made it`, {
      remedy: "Name a database of svc, or a path where there is no file yet",
    });
  }
  if (version <= known) return undefined;
  // What an upgrade kept, if it was this svc that the upgrade replaced.
  const kept = `${shellWord(path)}.backup-*-v${known}`;
  const otherwise = "; or go back to before the upgrade: stop svc, move the file away with its " +
    `-wal and -shm, and put its backup there: ls ${kept}`;
  return newerSchema(path, version, known, otherwise);
}

/** Call it before any write. @throws Failure as `strangeness` says */
export async function refuseStrange(
  db: Db,
  plan: Pick<MigrationPlan, "path" | "migrations">,
): Promise<void> {
  const { path, migrations = MIGRATIONS } = plan;
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM sqlite_schema`
    .execute(db);
  const facts = {
    tables: rows[0]?.count ?? 0,
    application: await pragma(db, "application_id"),
    version: await versionOf(db),
  };
  const strange = strangeness(path, facts, migrations.length);
  if (strange !== undefined) throw strange;
}

/** @param otherwise another way out, added to that of getting the newer svc */
export function newerSchema(path: string, version: number, known: number, otherwise = ""): Failure {
  return new Failure(
    "conflict",
    `Cannot use the database "${path}": its schema is version ${version}, and this svc knows ` +
      `${known}`,
    { remedy: `Use the newer svc that wrote it: svc update tool${otherwise}` },
  );
}

export async function compareChecksums(
  db: Db,
  path: string,
  migrations: readonly Migration[],
): Promise<void> {
  const applied = await appliedMigrations(db);
  const sums = await Promise.all(migrations.map(knownSum));
  const other = migrations.find(({ name }, at) => applied.get(name) !== sums[at]);
  if (other === undefined) return;
  throw new Failure(
    "conflict",
    `Cannot use the database "${path}": its migration "${other.name}" is not the one of this svc`,
    { remedy: "Use the svc that wrote it, or name another database" },
  );
}

/** A new file gets all of them in one transaction: no other process must find it half made. */
async function migrateOnce(db: Db, plan: MigrationPlan): Promise<void> {
  const { migrations = MIGRATIONS } = plan;
  const provider = {
    async getMigrations() {
      return Object.fromEntries(
        await Promise.all(migrations.map(async (migration) => {
          const sum = await migrationSum(migration);
          const up = async (transaction: Db) => {
            for (const text of migration.statements) await sql.raw(text).execute(transaction);
            await recordMigration(transaction, migration.name, sum);
          };
          return [migration.name, { up }] as const;
        })),
      );
    },
  };
  await db.transaction().execute(async (transaction) => {
    // Another process may have migrated it while this one waited for the lock.
    const before = await versionOf(transaction);
    if (before >= migrations.length) return;
    // A fifth of the time that the migrations take.
    if (before === 0 && plan.migrations === undefined) return plan.execute(NEWEST_SCHEMA);
    const migrator = new Migrator({ db: transaction, provider });
    const { error } = await (before === 0 ? migrator.migrateToLatest() : migrator.migrateUp());
    if (error !== undefined) throw error;
    const version = before === 0 ? migrations.length : before + 1;
    await sql.raw(`PRAGMA application_id = ${APPLICATION_ID}`).execute(transaction);
    await sql.raw(`PRAGMA user_version = ${version}`).execute(transaction);
  });
}

/** @throws Failure `conflict` when other migrations were applied than this svc has */
export async function migrate(db: Db, plan: MigrationPlan): Promise<void> {
  const { path, backup, migrations = MIGRATIONS } = plan;
  const found = await versionOf(db);
  if (found > 0) await compareChecksums(db, path, migrations.slice(0, found));
  // Once: only of what was found is there an older svc that opens it.
  if (found > 0 && found < migrations.length) await backup(found);
  for (let version = found; version < migrations.length; version = await versionOf(db)) {
    await migrateOnce(db, plan);
  }
}
