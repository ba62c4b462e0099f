/** The schema: row types say what a fresh database has, and each table has one writer. */
import assert from "node:assert/strict";
import { denoFiles } from "svc/platform/files/files.ts";
import { systemClock } from "svc/platform/clock.ts";
import { MIGRATIONS } from "svc/store/migrations/all.ts";
import { openStore } from "svc/store/open.ts";
import { sql } from "svc/store/query.ts";
import { declaredTables, sources } from "tests/kit/declared_tables.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const src = decodeURIComponent(new URL("../../src", import.meta.url).pathname);

Deno.test("every table's row type has the columns of a fresh database, and tables are strict", async () => {
  await using folder = await tempFolder();
  const ports = { files: denoFiles(), clock: systemClock };
  await using store = await openStore(ports, `${folder.path}/svc.db`);
  const tables = await sql<{ name: string; strict: number }>`SELECT name, strict
    FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'kysely%'`
    .execute(store.db);
  const fresh: Record<string, Record<string, string>> = {};
  for (const { name, strict } of tables.rows) {
    assert.equal(strict, 1, `${name} is not STRICT`);
    const { rows } = await sql<{ name: string; type: string; notnull: number }>`
      SELECT name, type, "notnull" FROM pragma_table_info(${name})`.execute(store.db);
    fresh[name] = Object.fromEntries(
      rows.map((column) => [column.name, `${column.type}${column.notnull ? " NOT NULL" : ""}`]),
    );
  }
  const declared = await declaredTables();
  assert.deepEqual(Object.fromEntries(declared.map(({ name, columns }) => [name, columns])), fresh);
});

Deno.test("each table has one module that writes it, and it is a store", async () => {
  const writers = new Map<string, Set<string>>();
  const writes =
    /\b(?:insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\(\s*"(\w+)"|\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|DELETE\s+FROM|REPLACE\s+INTO)\s+(\w+)/gi;
  for await (const path of sources()) {
    if (/\/store\/(?:migrations\/|postgres\/translate)/.test(path)) continue;
    for (const [, built, written] of (await Deno.readTextFile(path)).matchAll(writes)) {
      const table = (built ?? written)!;
      writers.set(table, (writers.get(table) ?? new Set()).add(path.slice(src.length + 1)));
    }
  }
  for (const { name } of await declaredTables()) {
    const found = [...writers.get(name) ?? []];
    assert.equal(found.length, 1, `${name} is written by ${found.join(" and ") || "nobody"}`);
    assert.match(found[0]!, /_store\.ts$/);
  }
});

Deno.test("every migration file is applied, in the order of the names", async () => {
  const files = (await Array.fromAsync(Deno.readDir(`${src}/store/migrations`)))
    .map(({ name }) => name.replace(/\.ts$/, "")).filter((name) => /^\d{4}_/.test(name)).sort();
  assert.deepEqual(MIGRATIONS.map(({ name }) => name), files);
  for (const [at, name] of files.entries()) assert.equal(Number(name.slice(0, 4)), at + 1, name);
});

/** Before these, one process at a time had a database, so that nobody ran on a schema newer than its own. */
const WITHOUT_A_TEAM = 25;

/** Why svc of an older schema could not go on with its work after this statement. */
function breaksOlder(statement: string): string | undefined {
  const text = statement.replaceAll(/--[^\n]*/g, "").trim();
  if (/^CREATE\s+TABLE\s/i.test(text)) return undefined;
  if (/^CREATE\s+INDEX\s/i.test(text)) return undefined;
  if (!/^ALTER\s+TABLE\s+\w+\s+ADD\s+COLUMN\s/i.test(text)) {
    return "only tables, columns and plain indexes are added";
  }
  const open = /\bNOT\s+NULL\b/i.test(text) && !/\bDEFAULT\b/i.test(text);
  return open ? "a column that must have a value needs a DEFAULT" : undefined;
}

Deno.test("migrations only add, so that nodes of an older svc go on while newer ones come", () => {
  const broken = MIGRATIONS.slice(WITHOUT_A_TEAM).flatMap(({ name, statements }) =>
    statements.flatMap((statement) => {
      const why = breaksOlder(statement);
      return why === undefined ? [] : [`${name}: ${why}: ${statement}`];
    })
  );
  assert.deepEqual(broken, []);
  for (
    const harm of [
      "DROP TABLE jobs",
      "ALTER TABLE jobs RENAME COLUMN role TO part",
      "ALTER TABLE jobs DROP COLUMN role",
      "ALTER TABLE jobs ADD COLUMN size INTEGER NOT NULL",
      "CREATE UNIQUE INDEX one_role ON jobs (role)",
      "CREATE TRIGGER t AFTER INSERT ON jobs BEGIN SELECT 1; END",
      "UPDATE jobs SET role = 'qa'",
    ]
  ) assert.ok(breaksOlder(harm), harm);
  assert.equal(
    breaksOlder("ALTER TABLE jobs ADD COLUMN size INTEGER NOT NULL DEFAULT 1"),
    undefined,
  );
});
