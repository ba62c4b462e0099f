import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { checkDatabase } from "svc/store/open.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

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
