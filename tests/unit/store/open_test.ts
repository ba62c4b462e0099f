import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { Failure } from "svc/core/failure.ts";
import { MIGRATIONS } from "svc/store/migrations/all.ts";
import { databaseFile } from "svc/store/database_file.ts";
import {
  checkDatabase,
  openStore,
  openToRead,
  peekDatabase,
  peekStrangeness,
  refuseOldSqlite,
  walStateOf,
} from "svc/store/open.ts";
import { sql } from "svc/store/query.ts";
import { treeHash } from "tests/kit/script.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { ports, tempStore } from "./temp_store.ts";

const modeOf = async (path: string) => (await Deno.stat(path)).mode! & 0o777;

Deno.test("openStore sets every pragma", async () => {
  await using store = await tempStore();
  const read = async (name: string) => {
    const { rows } = await sql.raw<Record<string, unknown>>(`PRAGMA ${name}`).execute(store.db);
    return Object.values(rows[0]!)[0];
  };
  assert.equal(await read("journal_mode"), "wal");
  assert.equal(await read("synchronous"), 2);
  assert.equal(await read("busy_timeout"), 5);
  assert.equal(await read("journal_size_limit"), 64 * 1024 * 1024);
  assert.equal(await read("foreign_keys"), 1);
  assert.equal(await read("trusted_schema"), 0);
  assert.equal(await read("application_id"), 0x73766300);
  assert.equal(await read("user_version"), MIGRATIONS.length);
});

Deno.test("openStore makes an owner-only file and log in an owner-only folder", async () => {
  await using store = await tempStore();
  assert.equal(await modeOf(`${store.folder}/db`), 0o700);
  for (const name of ["svc.db", "svc.db-wal", "svc.db-shm"]) {
    assert.equal(await modeOf(`${store.folder}/db/${name}`), 0o600, name);
  }
});

Deno.test("openStore makes a file that others may read owner-only", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  await (await openStore(ports, path))[Symbol.asyncDispose]();
  await Deno.chmod(path, 0o644);
  await using _store = await openStore(ports, path);
  assert.equal(await modeOf(path), 0o600);
});

Deno.test("refuseOldSqlite draws the line at 3.51.3", () => {
  for (const old of ["3.51.2", "3.40.1", "3.7.0", "2.99.99"]) {
    assert.throws(() => refuseOldSqlite(old), /SQLite .*can corrupt/, old);
  }
  for (const good of ["3.51.3", "3.51.10", "3.53.0", "4.0.0"]) refuseOldSqlite(good);
});

Deno.test("openStore leaves a file of another program as it is", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/theirs.db`;
  const theirs = new DatabaseSync(path);
  theirs.exec("CREATE TABLE t (a)");
  theirs.close();
  const before = await Deno.readFile(path);
  await assert.rejects(
    openStore(ports, path),
    { code: "usage", message: `Cannot use the database "${path}": another program made it` },
  );
  assert.deepEqual(await Deno.readFile(path), before);
});

Deno.test("openStore refuses what is no database", async () => {
  await using folder = await tempFolder();
  await folder.write("notes.txt", "hello, ".repeat(200));
  const path = `${folder.path}/notes.txt`;
  const failure = await openStore(ports, path).catch((thrown) => thrown);
  assert.ok(failure instanceof Failure);
  assert.equal(failure.code, "usage");
  assert.match(failure.message, /it is not a SQLite database$/);
  // So begins a database of svc whose first page is damaged, too.
  const restore = "move it away with its -wal and -shm, and put its newest backup in its place";
  assert.ok(failure.remedy.includes(`${restore}: ls -t "${path}".backup-*`), failure.remedy);
  assert.equal(await folder.read("notes.txt"), "hello, ".repeat(200));
});

Deno.test("openStore says when the folder cannot be written", async () => {
  await assert.rejects(openStore(ports, "/proc/svc/svc.db"), Failure);
});

Deno.test("a transaction that throws leaves nothing behind", async () => {
  await using store = await tempStore();
  const row = { key: "a", value: "1" };
  const broken = store.db.transaction().execute(async (transaction) => {
    await transaction.insertInto("meta").values(row).execute();
    throw new Error("no");
  });
  await assert.rejects(broken, /^Error: no$/);
  const rows = await store.db.selectFrom("meta").selectAll().where("key", "=", "a").execute();
  assert.deepEqual(rows, []);
});

Deno.test("a broken constraint comes as it is, not as a fault of the file", async () => {
  await using store = await tempStore();
  const insert = () => store.db.insertInto("meta").values({ key: "a", value: "1" }).execute();
  await insert();
  await assert.rejects(
    insert(),
    (thrown) => !(thrown instanceof Failure) && /UNIQUE/.test(`${thrown}`),
  );
});

Deno.test("rows compare like any object", async () => {
  await using store = await tempStore();
  await store.db.insertInto("meta").values({ key: "a", value: "1" }).execute();
  const row = await store.db.selectFrom("meta").selectAll().where("key", "=", "a")
    .executeTakeFirst();
  assert.deepEqual(row, { key: "a", value: "1" });
});

Deno.test("openToRead changes nothing, and leaves an older schema to openStore", async () => {
  await using folder = await tempFolder();
  const [path, old] = [`${folder.path}/svc.db`, `${folder.path}/old.db`];
  await (await openStore(ports, path))[Symbol.asyncDispose]();
  await (await openStore(ports, old, MIGRATIONS.slice(0, 1)))[Symbol.asyncDispose]();
  const before = await treeHash(folder.path);
  {
    await using store = await openToRead(ports, path);
    assert.deepEqual(await store!.db.selectFrom("repos").selectAll().execute(), []);
    const write = store!.db.deleteFrom("repos").execute();
    await assert.rejects(write);
  }
  assert.equal(await openToRead(ports, old), undefined);
  assert.equal(await treeHash(folder.path), before);
});

Deno.test("openToRead refuses what openStore would, and does not take it for older", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  for (
    const [statements, code] of [
      ["CREATE TABLE t (a)", "usage"],
      ["PRAGMA application_id = 0x73766300; PRAGMA user_version = 999", "conflict"],
    ] as const
  ) {
    using database = new DatabaseSync(path);
    database.exec(statements);
    for (const older of [false, true]) {
      await assert.rejects(openToRead(ports, path, { older }), { code });
    }
  }
});

Deno.test("checkDatabase takes one fault for a fault", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  {
    using database = new DatabaseSync(path);
    database.exec("CREATE TABLE t (a)");
  }
  const bytes = await Deno.readFile(path);
  bytes[39] = 1; // the number of free pages (sqlite.org/fileformat2.html, 1.3)
  await Deno.writeFile(path, bytes);
  assert.match(
    checkDatabase(path, "at rest").join("|"),
    /^[^|]*reelist: size is 0 but should be 1$/,
  );
});

Deno.test("checkDatabase finds a sound file sound, and says what is wrong with others", async () => {
  await using temp = await tempFolder();
  const path = `${temp.path}/svc.db`;
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("CREATE TABLE t (a TEXT) STRICT");
  const insert = database.prepare("INSERT INTO t VALUES (?)");
  database.exec("BEGIN");
  for (let row = 0; row < 2000; row++) insert.run("x".repeat(100));
  database.exec("COMMIT");
  database.close();
  assert.deepEqual(checkDatabase(path, "at rest"), []);
  const names = (await Array.fromAsync(Deno.readDir(temp.path))).map(({ name }) => name);
  assert.deepEqual(names, ["svc.db"]);
  const bytes = await Deno.readFile(path);
  bytes.fill(0xff, 8192, 8192 + 4096);
  await Deno.writeFile(path, bytes);
  assert.notDeepEqual(checkDatabase(path, "at rest"), []);
  assert.match(checkDatabase(`${temp.path}/none.db`, "in use")[0]!, /unable to open/);
  await temp.write("text.db", "this is not a database at all, but a text".repeat(200));
  assert.match(checkDatabase(`${temp.path}/text.db`, "at rest")[0]!, /not a database/);
});

Deno.test("a database is found whatever its folder is called: a name is no part of a URL", async () => {
  await using temp = await tempFolder();
  for (const name of ["a%20b", "a b", "back\\slash", "tab\tx", "new\nline", "what?", "#1", "ü🙂"]) {
    await Deno.mkdir(`${temp.path}/${name}`);
    const path = `${temp.path}/${name}/svc.db`;
    await (await openStore(ports, path))[Symbol.asyncDispose]();
    assert.deepEqual(checkDatabase(path, "at rest"), [], name);
    assert.deepEqual(checkDatabase(path, "in use"), [], name);
  }
});

Deno.test("peekStrangeness says of a sound file why it is refused, and changes nothing", async () => {
  await using temp = await tempFolder();
  const path = `${temp.path}/svc.db`;
  await (await openStore(ports, path))[Symbol.asyncDispose]();
  assert.equal(peekStrangeness(path, "at rest"), undefined);
  assert.equal(peekStrangeness(`${temp.path}/none.db`, "at rest"), undefined);
  const change = (statement: string) => {
    using database = new DatabaseSync(path);
    database.exec(statement);
  };
  change("PRAGMA user_version = 999");
  const before = await treeHash(temp.path);
  const newer = peekStrangeness(path, "at rest");
  assert.equal(newer?.code, "conflict");
  assert.match(newer?.remedy ?? "", /^Use the newer svc that wrote it: svc update tool; or /);
  // The name that an upgrade from this svc gives to what it found.
  assert.ok(newer?.remedy?.endsWith(`: ls ${path}.backup-*-v${MIGRATIONS.length}`), newer?.remedy);
  assert.equal(await treeHash(temp.path), before);
  change("PRAGMA application_id = 7");
  assert.match(peekStrangeness(path, "at rest")!.message, /another program made it/);
});

Deno.test("a file that was cut to nothing is refused while its write-ahead log holds what it had", async () => {
  await using store = await tempStore();
  const cut = `${store.folder}/cut.db`;
  const log = await Deno.readFile(`${store.folder}/db/svc.db-wal`);
  assert.ok(log.length > 100_000, "a process that was killed leaves such a log");
  await Deno.writeFile(`${cut}-wal`, log);
  await Deno.writeFile(cut, new Uint8Array());
  const refused = {
    ...{
      code: "conflict",
      message: new RegExp(`it has 0 bytes, .* has ${log.length}: .* cut it$`),
    },
  };
  await assert.rejects(databaseFile(ports.files, cut), refused);
  await assert.rejects(openToRead(ports, cut), refused);
  const at = await walStateOf(ports.files, cut);
  assert.deepEqual([peekDatabase(cut, at), checkDatabase(cut, at)], [undefined, []]);
  assert.deepEqual(await Deno.readFile(`${cut}-wal`), log, "no look removes it");

  await Deno.remove(`${cut}-wal`);
  await using begun = await openStore(ports, await databaseFile(ports.files, cut));
  assert.equal(begun.path, cut, "one that died before it wrote anything is gone on with");
});

Deno.test("a file that was moved away is not begun anew while its write-ahead log waits for it", async () => {
  await using store = await tempStore();
  const moved = `${store.folder}/moved.db`;
  const log = await Deno.readFile(`${store.folder}/db/svc.db-wal`);
  await Deno.writeFile(`${moved}-wal`, log);
  const refused = { code: "conflict", message: /it is gone, and its write-ahead log is there/ };
  await assert.rejects(databaseFile(ports.files, moved), refused);
  await assert.rejects(openToRead(ports, moved), refused);
  assert.deepEqual(await Deno.readFile(`${moved}-wal`), log, "it holds the newest rows");

  await Deno.remove(`${moved}-wal`);
  await using begun = await openStore(ports, await databaseFile(ports.files, moved));
  assert.equal(begun.path, moved);
});
