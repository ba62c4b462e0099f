import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { bindable } from "svc/store/sqlite_dialect.ts";
import { sqliteFailure } from "svc/store/sqlite_errors.ts";
import { sql } from "svc/store/query.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { openStore } from "svc/store/open.ts";
import { ports, tempStore } from "./temp_store.ts";

Deno.test("bindable refuses what SQLite would store as something else", () => {
  for (
    const [value, why] of [
      [true, /a boolean; store 0 or 1/],
      [new Date(0), /a Date; store epoch ms/],
      [undefined, /undefined; store null/],
      [NaN, /the number NaN/],
      [Infinity, /the number Infinity/],
      [2 ** 53, /the number 9007199254740992/],
      [{}, /a object/],
      [() => 1, /a function/],
    ] as const
  ) assert.throws(() => bindable(value, "SELECT ?"), { code: "internal", message: why });
  for (const value of [null, "", "a", 0, -1.5, 2 ** 53 - 1, 2n ** 60n, new Uint8Array(2)]) {
    assert.equal(bindable(value, "SELECT ?"), value);
  }
});

Deno.test("a value that cannot be bound is refused before the statement runs", async () => {
  await using store = await tempStore();
  const late = sql`INSERT INTO meta VALUES ('when', ${new Date()})`.execute(store.db);
  await assert.rejects(late, /Cannot bind a Date/);
  const { rows } = await sql`SELECT * FROM meta WHERE key = 'when'`.execute(store.db);
  assert.deepEqual(rows, []);
});

Deno.test("a statement may be used again after its table changed", async () => {
  await using store = await tempStore();
  const read = () => sql`SELECT * FROM later`.execute(store.db);
  await sql`CREATE TABLE later (a INTEGER) STRICT`.execute(store.db);
  await sql`INSERT INTO later VALUES (1)`.execute(store.db);
  assert.deepEqual((await read()).rows, [{ a: 1 }]);
  await sql`ALTER TABLE later ADD COLUMN b TEXT DEFAULT 'x'`.execute(store.db);
  assert.deepEqual((await read()).rows, [{ a: 1, b: "x" }]);
});

Deno.test("many kinds of statements do not pile up", async () => {
  await using store = await tempStore();
  for (let number = 0; number < 1000; number++) {
    const { rows } = await sql.raw<{ n: number }>(`SELECT ${number} AS n`).execute(store.db);
    assert.equal(rows[0]!.n, number);
  }
});

Deno.test("streaming is refused", async () => {
  await using store = await tempStore();
  const stream = store.db.selectFrom("meta").selectAll().stream();
  await assert.rejects(stream[Symbol.asyncIterator]().next(), /Cannot stream rows/);
});

Deno.test("sqliteFailure tells a locked file from a damaged one", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/a.db`;
  const holder = new DatabaseSync(path);
  holder.exec("CREATE TABLE t (a); BEGIN IMMEDIATE");
  const waiting = new DatabaseSync(path, { timeout: 1 });
  const failure = (work: () => unknown) => {
    try {
      work();
    } catch (thrown) {
      return sqliteFailure(thrown, path) as { code: string; message: string };
    }
    throw new Error("nothing was thrown");
  };
  const { code, message } = failure(() => waiting.prepare("BEGIN IMMEDIATE").run());
  assert.equal(code, "conflict");
  assert.equal(
    message,
    `Cannot use the database "${path}": another process has held it locked for 5.0 s`,
  );
  waiting.close();
  holder.close();
  assert.match(
    failure(() => new DatabaseSync(`${folder.path}/no/a.db`)).message,
    /cannot be opened/,
  );
  const bytes = await Deno.readFile(path);
  await Deno.writeFile(path, bytes.fill(0xff, 100));
  using damaged = new DatabaseSync(path);
  assert.match(failure(() => damaged.prepare("SELECT * FROM t").all()).message, /it is damaged/);
});

Deno.test("a database in whose place another file is put takes nothing more until it is back", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  const other = `${folder.path}/other.db`;
  let passed = 0;
  const clock = { ...ports.clock, monotonic: () => ports.clock.monotonic() + passed };
  await using store = await openStore({ ...ports, clock }, path);
  const write = async () => {
    passed += 1_000;
    await sql`UPDATE queue_state SET reason = reason`.execute(store.db);
  };
  await write();
  await Deno.link(path, `${folder.path}/kept.db`);
  const made = (at: string) => Deno.statSync(at).birthtime?.getTime();
  if (!made(path)) return; // this disk does not keep when a file was made
  do {
    await Deno.remove(other).catch(() => {});
    await Deno.writeTextFile(other, "");
  } while (made(other) === made(path)); // a kernel's clock has ticks of some ms
  await Deno.rename(other, path);
  for (const _ of [1, 2]) {
    await assert.rejects(write(), {
      code: "environment",
      message: /svc\.db": another file was put in its place$/,
    });
  }
  await Deno.rename(`${folder.path}/kept.db`, path);
  await write();
});

Deno.test("a database that is moved away takes nothing more until it is back", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  let passed = 0;
  const clock = { ...ports.clock, monotonic: () => ports.clock.monotonic() + passed };
  await using store = await openStore({ ...ports, clock }, path);
  const write = async () => {
    passed += 1_000;
    await sql`UPDATE queue_state SET reason = reason`.execute(store.db);
  };
  const refused = () =>
    assert.rejects(write(), { code: "environment", message: /svc\.db": it was moved or removed$/ });
  await write();
  await Deno.rename(path, `${path}.old`);
  await refused();
  await Deno.writeTextFile(path, "");
  await refused();
  await Deno.rename(`${path}.old`, path);
  await write();
});
