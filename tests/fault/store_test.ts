/** What the database holds after kill -9, many writers at once, and a full disk. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { MIGRATIONS } from "svc/store/migrations/all.ts";
import { openStore, openToRead, type Store } from "svc/store/open.ts";
import { sql } from "svc/store/query.ts";
import { cannotMount, tmpfs } from "tests/kit/odd_disks.ts";
import { signalled } from "tests/kit/signalled.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const ports = { files: denoFiles(), clock: systemClock };
const ROUNDS = 50;

function writer(...args: string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL("keep_writing.ts", import.meta.url).href, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

/** Kills the writer at some moment after its first acknowledged row; gives how many there were. */
async function killedWriter(path: string, round: number): Promise<number> {
  const child = writer("rows", path, String(round));
  const lines = child.stdout.getReader();
  let acknowledged = 0;
  let killed = false;
  for (;;) {
    const { value, done } = await lines.read();
    if (done) break;
    acknowledged += value.filter((byte) => byte === 10).length;
    if (killed || acknowledged < 1 + round % 9) continue;
    child.kill("SIGKILL");
    killed = true;
  }
  await child.status;
  assert.ok(killed, "the writer ended by itself");
  return acknowledged;
}

async function integrity({ db }: Store): Promise<unknown> {
  const { rows } = await sql<Record<string, string>>`PRAGMA integrity_check`.execute(db);
  return rows.flatMap((row) => Object.values(row));
}

Deno.test("kill -9 loses no acknowledged row", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  for (let round = 0; round < ROUNDS; round++) {
    const acknowledged = await killedWriter(path, round);
    await using store = await openStore(ports, path);
    const { rows } = await sql<{ key: string }>`SELECT key FROM meta WHERE key GLOB ${`${round}-*`}`
      .execute(store.db);
    const found = new Set(rows.map(({ key }) => key));
    for (let number = 0; number < acknowledged; number++) {
      assert.ok(found.has(`${round}-${number}`), `row ${number} of round ${round} is gone`);
    }
    assert.deepEqual(await integrity(store), ["ok"]);
  }
});

Deno.test("writers in several processes wait for each other and lose no update", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  await using store = await openStore(ports, path);
  await store.db.insertInto("meta").values({ key: "count", value: "0" }).execute();
  const writers = Array.from({ length: 4 }, () => writer("count", path, "200"));
  for (const child of writers) assert.equal((await child.output()).code, 0);
  const row = await store.db.selectFrom("meta").selectAll().where("key", "=", "count")
    .executeTakeFirst();
  assert.equal(row?.value, "800");
});

Deno.test("processes that open a new file at once all find it made", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/new/svc.db`;
  const openers = Array.from({ length: 6 }, () => writer("count", path, "0"));
  for (const child of openers) assert.equal((await child.output()).code, 0);
  await using store = await openStore(ports, path);
  const names = [...Deno.readDirSync(`${folder.path}/new`)].map(({ name }) => name);
  assert.deepEqual(names.filter((name) => name.includes("backup")), [], "none found it half made");
  assert.deepEqual(await integrity(store), ["ok"]);
});

/** Writes of a svc that goes on while a newer one upgrades its database. */
const WRITES = 3000;
const OLDER = `import { DatabaseSync } from "node:sqlite";
const db = new DatabaseSync(Deno.args[0], { timeout: 10000 });
const write = db.prepare("UPDATE meta SET value = value + 1 WHERE key = 'count'");
for (let time = 1; time <= ${WRITES}; time++) {
  write.run();
  if (time === 1) console.log("writes");
}`;

Deno.test("an upgrade does not wait for the end of whoever writes meanwhile", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  {
    await using store = await openStore(ports, path, MIGRATIONS.slice(0, -1));
    await store.db.insertInto("meta").values({ key: "count", value: "0" }).execute();
    const filler = { key: "filler", value: "x".repeat(32 * 1024 * 1024) };
    await store.db.insertInto("meta").values(filler).execute();
  }
  const older = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", OLDER, path],
    ...{ stdin: "null", stdout: "piped", stderr: "inherit" },
  }).spawn();
  await older.stdout.getReader().read();
  await using _store = await openStore(ports, path);
  signalled(older, "SIGKILL");
  await older.status;
  const made = [...Deno.readDirSync(folder.path)].find(({ name }) => name.includes("backup"))!;
  await using backup = await openStore(
    ports,
    `${folder.path}/${made.name}`,
    MIGRATIONS.slice(0, -1),
  );
  const count = await backup.db.selectFrom("meta").select("value").where("key", "=", "count")
    .executeTakeFirstOrThrow();
  assert.ok(Number(count.value) < WRITES, `the backup was made after ${count.value} writes`);
  assert.deepEqual(await integrity(backup), ["ok"]);
});

Deno.test({
  name: "a full disk is a clear failure, and all that was stored can be read",
  ignore: await cannotMount(),
  async fn() {
    await using disk = await tmpfs(2048);
    await Deno.writeFile(`${disk.path}/filler`, new Uint8Array(512 * 1024));
    const path = `${disk.path}/svc.db`;
    await using store = await openStore(ports, path);
    let stored = 0;
    const fill = async () => {
      for (;; stored++) {
        const row = { key: `row-${stored}`, value: "x".repeat(20_000) };
        await store.db.transaction().execute((transaction) =>
          transaction.insertInto("meta").values(row).execute()
        );
      }
    };
    await assert.rejects(fill, {
      code: "environment",
      message: `Cannot use the database "${path}": the disk is full`,
    });
    const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM meta WHERE key GLOB 'row-*'`
      .execute(store.db);
    assert.equal(rows[0]!.n, stored);
    assert.ok(stored > 10);
    assert.deepEqual(await integrity(store), ["ok"]);
    // Space that comes back is used without opening the file again.
    await Deno.remove(`${disk.path}/filler`);
    await store.db.insertInto("meta").values({ key: "after", value: "x" }).execute();
  },
});

Deno.test({
  name: "a disk without any room is told as full to whoever begins to read, too",
  ignore: await cannotMount(),
  async fn() {
    await using disk = await tmpfs(2048);
    const path = `${disk.path}/svc.db`;
    await (await openStore(ports, path))[Symbol.asyncDispose]();
    await assert.rejects(Deno.writeFile(`${disk.path}/filler`, new Uint8Array(4096 * 1024)));
    for (const open of [openToRead, openStore]) {
      await assert.rejects(open(ports, path), {
        code: "environment",
        message: `Cannot use the database "${path}": the disk is full`,
      });
    }
    await Deno.remove(`${disk.path}/filler`);
    await using store = await openStore(ports, path);
    assert.deepEqual(await integrity(store), ["ok"]);
  },
});
