import assert from "node:assert/strict";
import type { Migration } from "svc/store/migrations/all.ts";
import { MIGRATIONS } from "svc/store/migrations/all.ts";
import { migrate, migrationSum } from "svc/store/migrate.ts";
import { SUMS } from "svc/store/migrations/newest.gen.ts";
import { DB_BACKUPS, openStore, surplusBackups } from "svc/store/open.ts";
import { sql } from "svc/store/query.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { ports } from "./temp_store.ts";

const later = (number: number): Migration => ({
  name: `${String(number).padStart(4, "0")}_later`,
  statements: [`CREATE TABLE later_${number} (a INTEGER NOT NULL) STRICT`],
});
const upTo = (last: number) => [
  ...MIGRATIONS.slice(0, 1),
  ...Array.from({ length: last - 1 }, (_, at) => later(at + 2)),
];

/** Opens with these migrations, asks, closes. */
async function seen<R>(
  path: string,
  migrations: readonly Migration[],
  query: string,
): Promise<R[]> {
  await using store = await openStore(ports, path, migrations);
  return (await sql.raw<R>(query).execute(store.db)).rows;
}
const version = (path: string, migrations: readonly Migration[]) =>
  seen(path, migrations, "PRAGMA user_version").then(([row]) => Object.values(row as object)[0]);

async function backups(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.map(({ name }) => name).filter((name) => name.includes("backup")).sort();
}

Deno.test("a new file gets every migration and no backup", async () => {
  await using folder = await tempFolder();
  assert.equal(await version(`${folder.path}/svc.db`, upTo(3)), 3);
  assert.deepEqual(await backups(folder.path), []);
  assert.equal(await version(`${folder.path}/svc.db`, upTo(3)), 3);
});

/** All that a file holds; times and secrets differ from file to file. */
async function whole(path: string): Promise<unknown> {
  await using store = await openStore(ports, path);
  const ask = async (query: string) =>
    (await sql.raw<Record<string, unknown>>(query).execute(store.db)).rows;
  const made = await ask("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name");
  const rows = await Promise.all(
    made.filter(({ type }) => type === "table").map(async ({ name }) => [
      name,
      (await ask(`SELECT * FROM ${name}`)).map(({ key, timestamp, ...row }) => ({
        ...row,
        key: name === "telemetry_state" ? String(key).length : key,
        timestamp: typeof timestamp,
      })),
    ]),
  );
  return {
    made,
    rows,
    pragmas: [await ask("PRAGMA application_id"), await ask("PRAGMA user_version")],
  };
}

Deno.test("a new file that is made at once holds what the migrations make one by one", async () => {
  await using folder = await tempFolder();
  const slow = `${folder.path}/slow.db`;
  assert.equal(await version(slow, MIGRATIONS), MIGRATIONS.length);
  assert.deepEqual(await whole(`${folder.path}/svc.db`), await whole(slow));
  const next = later(MIGRATIONS.length + 1);
  assert.equal(
    await version(`${folder.path}/svc.db`, [...MIGRATIONS, next]),
    MIGRATIONS.length + 1,
  );
  const ran = await seen(slow, MIGRATIONS, "SELECT name, timestamp FROM kysely_migration");
  assert.match((ran[0] as { timestamp: string }).timestamp, /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
});

Deno.test("an older file is backed up before it is migrated, and its rows stay", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  await seen(path, upTo(1), "INSERT INTO meta VALUES ('mine', 'kept')");
  assert.equal(await version(path, upTo(3)), 3);
  const mine = "SELECT value FROM meta WHERE key = 'mine'";
  assert.deepEqual(await seen(path, upTo(3), mine), [{ value: "kept" }]);
  const names = await backups(folder.path);
  assert.equal(names.length, 1);
  assert.match(names[0]!, /^svc\.db\.backup-\d{8}-\d{6}-v1$/);
  assert.equal((await Deno.stat(`${folder.path}/${names[0]}`)).mode! & 0o777, 0o600);
  // The backup is a whole database of the version it names.
  assert.deepEqual(await seen(`${folder.path}/${names[0]}`, upTo(1), mine), [{ value: "kept" }]);
});

Deno.test("a file that another process migrates meanwhile is migrated once", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  await using store = await openStore(ports, path, upTo(1));
  const migrations = upTo(3);
  let backups = 0;
  await migrate(store.db, {
    ...{ path, migrations, execute: () => {} },
    async backup() {
      backups++;
      assert.equal(await version(path, migrations), 3);
    },
  });
  assert.deepEqual([backups, await version(path, migrations)], [1, 3]);
});

Deno.test("a backup that another process has overtaken does not take the place of that one's", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  await seen(path, upTo(1), "INSERT INTO meta VALUES ('mine', 'kept')");
  const migrations = upTo(3);
  let overtaken = false;
  const openAppend: typeof ports.files.openAppend = async (file) => {
    if (!overtaken) {
      overtaken = true;
      assert.equal(await version(path, migrations), 3);
    }
    return await ports.files.openAppend(file);
  };
  const slow = { ...ports, files: { ...ports.files, openAppend } };
  await using store = await openStore(slow, path, migrations);
  assert.deepEqual([overtaken, store.path], [true, path]);
  const names = await backups(folder.path);
  assert.deepEqual(names.map((name) => name.slice(-3)), ["-v1"]);
  const mine = "SELECT value FROM meta WHERE key = 'mine'";
  assert.deepEqual(await seen(`${folder.path}/${names[0]}`, upTo(1), mine), [{ value: "kept" }]);
  const all = (await Array.fromAsync(Deno.readDir(folder.path))).map(({ name }) => name);
  assert.deepEqual(all.filter((name) => name.includes("partial")), []);
});

Deno.test("the newest backups are kept, and no partial one", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  for (let last = 1; last <= 6; last++) await version(path, upTo(last));
  const names = await backups(folder.path);
  assert.equal(names.length, DB_BACKUPS);
  assert.deepEqual(names.map((name) => name.slice(-2)), ["v3", "v4", "v5"]);
  const all = (await Array.fromAsync(Deno.readDir(folder.path))).map(({ name }) => name);
  assert.deepEqual(all.filter((name) => name.includes("partial")), []);
});

Deno.test("an upgrade over many versions, some of them failed, keeps what the old svc can open", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  await version(path, upTo(1));
  const byHand = `${path}.backup-before-the-move`;
  await Deno.copyFile(path, byHand);
  const broken = { name: "0007_broken", statements: ["CREATE NONSENSE"] };
  for (let time = 0; time < DB_BACKUPS + 1; time++) {
    await assert.rejects(version(path, [...upTo(6), broken]), /syntax error/);
  }
  assert.equal(await version(path, upTo(8)), 8);
  const names = await backups(folder.path);
  assert.deepEqual(names.map((name) => name.replace(/.*-/, "")), ["v1", "v6", "move"]);
});

Deno.test("a backup stays that was made by a clock that went back", () => {
  const of = (day: number, schema: number) => `svc.db.backup-202611${day}-120000-v${schema}`;
  const ahead = [of(27, 3), of(28, 4), of(29, 5)];
  assert.deepEqual(surplusBackups([of(11, 6), ...ahead], of(11, 6)), [of(27, 3)]);
  assert.deepEqual(surplusBackups([of(10, 4), of(11, 6), ...ahead], of(11, 6)), [
    of(10, 4),
    of(27, 3),
  ]);
});

Deno.test("a migration that fails leaves the file at the version before it", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  await version(path, upTo(1));
  const broken = { name: "0002_broken", statements: [...later(2).statements, "CREATE NONSENSE"] };
  await assert.rejects(version(path, [...upTo(1), broken]), /syntax error/);
  assert.equal(await version(path, upTo(1)), 1);
  const tables = "SELECT name FROM sqlite_schema WHERE name LIKE 'later%'";
  assert.deepEqual(await seen(path, upTo(1), tables), []);
});

Deno.test("a file of a newer svc is refused and left as it is", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  await version(path, upTo(2));
  const before = await Deno.readFile(path);
  await assert.rejects(openStore(ports, path, upTo(1)), {
    code: "conflict",
    message: `Cannot use the database "${path}": its schema is version 2, and this svc knows 1`,
  });
  assert.deepEqual(await Deno.readFile(path), before);
});

Deno.test("a file that has seen another text of a migration is refused", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  await version(path, upTo(2));
  const [first, second] = upTo(2);
  const edited = (one: Migration) => ({
    ...one,
    statements: one.statements.map((text) => `${text} `),
  });
  for (
    const migrations of [
      [first!, edited(second!)],
      [first!, edited(second!), later(3)],
      [edited(first!), second!],
    ]
  ) {
    const { name } = migrations[0] === first ? second! : first!;
    await assert.rejects(openStore(ports, path, migrations), {
      code: "conflict",
      message:
        `Cannot use the database "${path}": its migration "${name}" is not the one of this svc`,
    });
  }
  assert.equal(await version(path, upTo(2)), 2);
});

Deno.test("the checksums that svc holds are those of its migrations, and a file with another is refused", async () => {
  for (const one of MIGRATIONS) assert.equal(SUMS[one.name], await migrationSum(one), one.name);
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  for (const { name } of [MIGRATIONS[0]!, MIGRATIONS.at(-1)!]) {
    const { db, ...store } = await openStore(ports, path);
    const key = `migration:${name}`;
    await db.updateTable("meta").set({ value: "0".repeat(64) }).where("key", "=", key).execute();
    await store[Symbol.asyncDispose]();
    await assert.rejects(openStore(ports, path), {
      code: "conflict",
      message:
        `Cannot use the database "${path}": its migration "${name}" is not the one of this svc`,
    });
    await Deno.remove(path);
  }
});

Deno.test("jobs that ended before costs were stored cost what is not known, and nothing where a model played back", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  const before = MIGRATIONS.findIndex(({ name }) => name === "0012_cost");
  const job = (nth: number, end: { evidence: string | null; tokens: number; ended: boolean }) =>
    `('${String(nth).padStart(36, "0")}', 'aaaaaaaaaaaa', 'engineer', 'manual', 'contributor', '{}',
      '${end.ended ? "completed" : "pending"}', ${
      end.ended ? "'reported'" : "NULL"
    }, 1, 3, 0, 1, 0, 0,
      0, 0, 1, ${end.ended ? 2 : "NULL"}, 1, ${end.tokens}, 0, 0,
      ${end.evidence === null ? "NULL" : `'${end.evidence}'`})`;
  const old = [
    job(1, { evidence: "live", tokens: 9, ended: true }),
    job(2, { evidence: "fixture", tokens: 9, ended: true }),
    job(3, { evidence: null, tokens: 0, ended: true }),
    job(4, { evidence: null, tokens: 0, ended: false }),
  ];
  await seen(
    path,
    MIGRATIONS.slice(0, before),
    `INSERT INTO jobs (id, repo_id, role, trigger, source_trust, payload, status, disposition,
      attempt, max_attempts, crashes, generation, run_after, priority, parallel, cancel_requested,
      created_at, finished_at, turns, tokens_in, tokens_out, tool_calls, evidence)
      VALUES ${old.join(", ")}`,
  );
  const costs = "SELECT tokens_cached, cost_basis, cost_usd FROM jobs ORDER BY id";
  const expected = ["unknown", "fixture", null, null]
    .map((cost_basis) => ({ tokens_cached: 0, cost_basis, cost_usd: null }));
  assert.deepEqual(await seen(path, MIGRATIONS, costs), expected);
  const uses = "SELECT day, tokens_in, cost_basis, spent_tokens FROM job_uses ORDER BY job_id";
  const used = { day: "1970-01-01", tokens_in: 9, spent_tokens: 0 };
  assert.deepEqual(await seen(path, MIGRATIONS, uses), [
    { ...used, cost_basis: "unknown" },
    { ...used, cost_basis: "fixture" },
  ]);
  for (const wrong of ["cost_usd = 1", "cost_basis = 'price'", "cost_basis = 'cheap'"]) {
    await assert.rejects(seen(path, MIGRATIONS, `UPDATE jobs SET ${wrong}`), /CHECK/, wrong);
  }
});
