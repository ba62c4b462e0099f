/** Brings a PostgreSQL database to the schema of this svc; many nodes may ask at once. */
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import { compareSemver, parseSemver } from "svc/core/semver.ts";
import { VERSION } from "svc/core/version.ts";
import { appliedMigrations, recordMigration, WORDS_NAME } from "svc/store/meta_store.ts";
import { compareChecksums, migrationSum, newerSchema } from "svc/store/migrate.ts";
import { type Migration, MIGRATIONS } from "svc/store/migrations/all.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { UNHURRIED } from "./dialect.ts";
import { schemaStatements } from "./translate.ts";
import { TRIGGERS, WORDS } from "./words.ts";

/** Older ones get no more repairs, or lack what svc asks for. */
const OLDEST_POSTGRES = 140_000;

export interface ServerFacts {
  /** Such as 150018. */
  readonly version: number;
  readonly encoding: string;
  /** Empty when no schema of the search path exists. */
  readonly schema: string;
  readonly tables: number;
  readonly ours: boolean;
  readonly standby: boolean;
}

export async function serverFacts(db: Db): Promise<ServerFacts> {
  const { rows: [row] } = await sql<
    Omit<ServerFacts, "ours" | "standby"> & { ours: number; standby: number }
  >`SELECT current_setting('server_version_num')::int AS version,
    current_setting('server_encoding') AS encoding, coalesce(current_schema(), '') AS schema,
    (SELECT count(*) FROM pg_class WHERE relkind = 'r'
      AND relnamespace = to_regnamespace(quote_ident(current_schema()))) AS tables,
    to_regclass(quote_ident(current_schema()) || '.meta') IS NOT NULL
      AND to_regproc(quote_ident(current_schema()) || '.svc_now') IS NOT NULL AS ours,
    pg_is_in_recovery() AS standby`.execute(db);
  return { ...row!, ours: row!.ours === 1, standby: row!.standby === 1 };
}

function refuse(shown: string, why: string, remedy: string): never {
  throw new Failure("environment", `Cannot use the database "${shown}": ${why}`, { remedy });
}

/** Call it before any write. @throws Failure `environment`; `usage` for a database of another program */
export function refuseStrangeServer(facts: ServerFacts, shown: string): void {
  if (facts.version < OLDEST_POSTGRES) {
    refuse(
      shown,
      `its server is PostgreSQL ${Math.floor(facts.version / 10_000)}`,
      `svc needs ${OLDEST_POSTGRES / 10_000} or newer`,
    );
  }
  if (facts.encoding !== "UTF8") {
    refuse(
      shown,
      `its encoding is ${facts.encoding}`,
      "Make one with: createdb -E UTF8 -T template0",
    );
  }
  if (facts.standby) refuse(shown, "the server is a read-only copy", "Name the primary server");
  if (facts.schema === "") {
    refuse(shown, "it has no schema that the user may see", "CREATE SCHEMA public");
  }
  if (facts.ours || facts.tables === 0) return;
  throw new Failure(
    "usage",
    `Cannot use the database "${shown}": another program made its tables`,
    {
      remedy: "Give svc a database of its own: createdb -h <host> svc",
    },
  );
}

export async function versionOf(db: Db, { ours }: Pick<ServerFacts, "ours">): Promise<number> {
  if (!ours) return 0;
  const applied = await appliedMigrations(db);
  return applied.size - (applied.has(WORDS_NAME) ? 1 : 0);
}

interface ServerSchema {
  readonly shown: string;
  readonly migrations?: readonly Migration[];
}

async function say(db: Db, statements: readonly string[]): Promise<void> {
  for (const text of statements) await sql.raw(text).execute(db);
}

/** All of a new database at once, of an older one the next: each is there as a whole or not at all. */
async function migrateOnce(db: Db, { shown, migrations = MIGRATIONS }: ServerSchema) {
  return await db.transaction().execute(async (tx) => {
    // It has the turn of writers, so no other node migrates meanwhile.
    await sql.raw(UNHURRIED).execute(tx);
    const facts = await serverFacts(tx);
    refuseStrangeServer(facts, shown);
    const found = await versionOf(tx, facts);
    if (found > migrations.length) throw newerSchema(shown, found, migrations.length);
    if (found > 0) await compareChecksums(tx, shown, migrations.slice(0, found));
    const stale = found === 0 || !await hasWords(tx);
    // Before the migrations, which may use them.
    if (stale) await say(tx, WORDS);
    const due = found === 0 ? migrations : migrations.slice(found, found + 1);
    for (const migration of due) {
      await say(tx, migration.statements.flatMap(schemaStatements));
      await recordMigration(tx, migration.name, await migrationSum(migration));
    }
    const now = found + due.length;
    if (stale && now === migrations.length) {
      await say(tx, TRIGGERS);
      await recordMigration(tx, WORDS_NAME, `${await wordsSum()} ${VERSION}`);
    }
    return now;
  });
}

const wordsSum = () => sha256(new TextEncoder().encode([...WORDS, ...TRIGGERS].join(";\n")));

/**
 * Functions and triggers of a newer svc stay: its nodes need them, and they include everything that an older
 * svc needs.
 */
async function hasWords(db: Db): Promise<boolean> {
  const [sum, by = ""] = (await appliedMigrations(db)).get(WORDS_NAME)?.split(" ") ?? [];
  const [writer, own] = [parseSemver(by), parseSemver(VERSION)];
  const newer = writer !== undefined && own !== undefined && compareSemver(writer, own) > 0;
  return newer || sum === await wordsSum();
}

/** @returns whether the schema is that of this svc @throws Failure `conflict` for a newer or another one */
export async function isCurrentServer(db: Db, facts: ServerFacts, plan: ServerSchema) {
  const { shown, migrations = MIGRATIONS } = plan;
  const found = await versionOf(db, facts);
  if (found > migrations.length) throw newerSchema(shown, found, migrations.length);
  if (found > 0) await compareChecksums(db, shown, migrations.slice(0, found));
  if (found < migrations.length) return false;
  return await hasWords(db);
}

/** @throws Failure as `refuseStrangeServer`; `conflict` when other migrations were applied than this svc has */
export async function migrateServer(db: Db, plan: ServerSchema): Promise<void> {
  const facts = await serverFacts(db);
  refuseStrangeServer(facts, plan.shown);
  if (await isCurrentServer(db, facts, plan)) return;
  const wanted = (plan.migrations ?? MIGRATIONS).length;
  while (await migrateOnce(db, plan) < wanted);
}
