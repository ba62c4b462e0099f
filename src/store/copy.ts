/** Copies a whole database into an empty one, of another engine too, and reads it back to compare. */
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import { storable } from "./storable.ts";
import { sql } from "./query.ts";
import type { Db } from "./schema.ts";
import { serverOf } from "./server_adapter.ts";
import { TABLES } from "./tables.ts";

/** Rows of one statement: 40 columns of them stay below each engine's bound of parameters (32,766). */
const ROWS_AT_ONCE = 500;

type Values = Readonly<Record<string, unknown>>;

export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
  /** SHA-256 of its rows, in the order of its key. */
  readonly sha256: string;
}

/** Facts of the file itself stay with it: its migrations, and the only repo that it serves. */
const travels = (table: string, row: Values) =>
  table !== "meta" || !/^(?:migration:|repo_path$)/.test(String(row.key));

/** Each begins behind the last key of the one before: to skip rows by their number reads all of them again. */
async function* pages(db: Db, table: string): AsyncGenerator<Values[]> {
  const key = TABLES[table]!;
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let last: Values | undefined;
  for (;;) {
    const after = last && sql.join(key.map((column) => last?.[column]));
    const { rows } = await sql<Values>`SELECT * FROM ${sql.table(table)}
      ${after ? sql`WHERE (${columns}) > (${after})` : sql``}
      ORDER BY ${columns} LIMIT ${ROWS_AT_ONCE}`.execute(db);
    yield rows.filter((row) => travels(table, row));
    if (rows.length < ROWS_AT_ONCE) return;
    last = rows.at(-1);
  }
}

/** As any engine stores it. */
const stored = (row: Values): Values =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "string" ? storable(value) : value,
    ]),
  );

const lineOf = (row: Values) =>
  JSON.stringify(Object.entries(row).sort(([a], [b]) => a < b ? -1 : 1));

/** A chain, so that no more than a page of rows is held. */
async function chained(before: string, rows: readonly Values[]): Promise<string> {
  return await sha256(new TextEncoder().encode([before, ...rows.map(lineOf)].join("\n")));
}

async function summed(db: Db, table: string): Promise<CopiedTable> {
  let count = 0;
  let sum = "";
  for await (const rows of pages(db, table)) {
    count += rows.length;
    sum = await chained(sum, rows);
  }
  return { table, rows: count, sha256: sum };
}

async function copyTable(from: Db, to: Db, table: string): Promise<CopiedTable> {
  let count = 0;
  let sum = "";
  for await (const found of pages(from, table)) {
    const rows = found.map(stored);
    if (rows.length > 0) {
      const columns = Object.keys(rows[0]!);
      const values = rows.map((row) => sql`(${sql.join(columns.map((name) => row[name]))})`);
      await sql`INSERT INTO ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
        VALUES ${sql.join(values)}`.execute(to);
    }
    count += rows.length;
    sum = await chained(sum, rows);
  }
  return { table, rows: count, sha256: sum };
}

/** What a new database holds already. */
const MADE_WITH_IT = "telemetry_state";

async function mustBeEmpty(to: Db, path: string): Promise<void> {
  for (const table of Object.keys(TABLES)) {
    if (table === MADE_WITH_IT) continue;
    for await (const rows of pages(to, table)) {
      if (rows.length === 0) continue;
      throw new Failure("conflict", `Cannot copy into "${path}": its table ${table} has rows`, {
        remedy: "Name a database that holds nothing yet",
      });
    }
  }
}

/** @throws Failure `conflict` while jobs run: their workers would go on in the old one */
async function mustRest(from: Db, path: string): Promise<void> {
  const running = await from.selectFrom("jobs").select("id").where("status", "=", "running")
    .limit(1).executeTakeFirst();
  if (running === undefined) return;
  throw new Failure("conflict", `Cannot copy "${path}": job ${running.id} runs`, {
    remedy: "Stop svc on it first; after a kill, start it once and stop it",
  });
}

/** Ids that are given later go on after those that came along. */
async function raiseIdentities(to: Db): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`SELECT table_name AS "table",
    column_name AS "column" FROM information_schema.columns
    WHERE table_schema = current_schema() AND is_identity = 'YES'`.execute(to);
  for (const { table, column } of rows) {
    await sql`SELECT setval(pg_get_serial_sequence(${table}, ${column}),
      (SELECT coalesce(max(${sql.ref(column)}), 0) + 1 FROM ${sql.table(table)}), false)`.execute(
      to,
    );
  }
}

interface Place {
  readonly db: Db;
  readonly path: string;
}

/** All of it in one transaction, or nothing. @throws Failure `conflict`; `internal` when it reads back otherwise */
export async function copyDatabase(from: Place, to: Place): Promise<CopiedTable[]> {
  return await from.db.transaction().setAccessMode("read only").execute(async (source) => {
    await mustRest(source, from.path);
    return await to.db.transaction().execute(async (target) => {
      const server = serverOf(to.db) !== undefined;
      if (server) await sql.raw("SET LOCAL statement_timeout = 0").execute(target);
      await mustBeEmpty(target, to.path);
      await sql`DELETE FROM ${sql.table(MADE_WITH_IT)}`.execute(target);
      const copied: CopiedTable[] = [];
      for (const table of Object.keys(TABLES)) copied.push(await copyTable(source, target, table));
      for (const one of copied) {
        const found = await summed(target, one.table);
        if (found.rows === one.rows && found.sha256 === one.sha256) continue;
        throw new Failure("internal", `Cannot copy ${one.table}: it reads back otherwise`);
      }
      if (server) await raiseIdentities(target);
      return copied;
    });
  });
}
