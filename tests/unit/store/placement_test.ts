import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { repoId } from "svc/core/ids.ts";
import { type DatabaseChoice, openScoped, openShared } from "svc/store/placement.ts";
import { type TempFolder, tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { ports } from "./temp_store.ts";

const homeIn = ({ path }: TempFolder) => ({
  ...ports,
  home: { db: `${path}/home/db`, sharedDb: `${path}/home-harness/db` },
});

/** Opens, gives the path below the folder, closes. */
async function place(
  folder: TempFolder,
  asked: DatabaseChoice,
  open: typeof openScoped = openScoped,
): Promise<string> {
  await using store = await open(homeIn(folder), asked);
  return store.path.slice(folder.path.length + 1);
}

async function repoAt(folder: TempFolder, name: string): Promise<string> {
  await Deno.mkdir(`${folder.path}/${name}/.git`, { recursive: true });
  return `${folder.path}/${name}`;
}

Deno.test("openScoped keeps two repos of one name apart, each time", async () => {
  await using folder = await tempFolder();
  const [one, two] = [await repoAt(folder, "a/app"), await repoAt(folder, "b/app")];
  const second = `home/db/app-${await repoId(two)}/svc.db`;
  for (let time = 0; time < 2; time++) {
    assert.equal(await place(folder, { repo: one }), "home/db/app/svc.db");
    assert.equal(await place(folder, { repo: two }), second);
  }
});

Deno.test("another repo's database is not touched, whatever is in it", async () => {
  await using folder = await tempFolder();
  const [one, two] = [await repoAt(folder, "a/app"), await repoAt(folder, "b/app")];
  await place(folder, { repo: one });
  const path = `${folder.path}/home/db/app/svc.db`;
  const newer = new DatabaseSync(path);
  newer.exec("PRAGMA user_version = 99");
  newer.close();
  const before = await Deno.readFile(path);
  assert.match(await place(folder, { repo: two }), /db\/app-[0-9a-f]{12}\/svc\.db$/);
  assert.deepEqual(await Deno.readFile(path), before);
});

Deno.test("openScoped finds a folder name for every repo", async () => {
  await using folder = await tempFolder();
  assert.equal(
    await place(folder, { repo: "/" }).catch(({ message }) => message),
    `Cannot use the database "${folder.path}/home/db/root/svc.db": it lies inside the target repo`,
  );
  const long = `/srv/${"ä".repeat(127)}`;
  assert.equal(await place(folder, { repo: long }), `home/db/${"ä".repeat(100)}/svc.db`);
});

Deno.test("openShared is one database for all repos", async () => {
  await using folder = await tempFolder();
  for (const name of ["a/app", "b/app"]) {
    const repo = await repoAt(folder, name);
    assert.equal(await place(folder, { repo }, openShared), "home-harness/db/svc.db");
  }
});

Deno.test("a database that serves one repo refuses another's, and --db may name any else", async () => {
  await using folder = await tempFolder();
  const [one, two] = [await repoAt(folder, "a/app"), await repoAt(folder, "b/app")];
  await place(folder, { repo: one });
  const db = `${folder.path}/home/db/app/svc.db`;
  for (const open of [openScoped, openShared] as (typeof openScoped)[]) {
    assert.equal(await place(folder, { repo: one, db }, open), "home/db/app/svc.db");
    await assert.rejects(place(folder, { repo: two, db }, open), {
      code: "conflict",
      message: `Cannot use the database "${db}": it is the one of "${one}"`,
    });
  }
  const other = `${folder.path}/other.db`;
  for (const repo of [one, two]) assert.equal(await place(folder, { repo, db: other }), "other.db");
});

verifies(
  "1:database-path:outside-target-repo",
  "a database inside any repo is refused",
  async () => {
    await using folder = await tempFolder();
    const [repo, other] = [await repoAt(folder, "app"), await repoAt(folder, "other")];
    await Deno.symlink(`${repo}`, `${folder.path}/link`);
    for (
      const path of [
        `${repo}/svc.db`,
        `${repo}/deep/er/svc.db`,
        `${other}/svc.db`,
        `${folder.path}/link/svc.db`,
      ]
    ) {
      for (const open of [openScoped, openShared] as (typeof openScoped)[]) {
        await assert.rejects(place(folder, { repo, db: path }, open), { code: "usage" }, path);
      }
    }
    assert.deepEqual((await Array.fromAsync(Deno.readDir(repo))).map(({ name }) => name), [".git"]);
  },
);

Deno.test("a home inside the target repo is refused, one inside another repo is not", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(`${folder.path}/.git`);
  for (const open of [openScoped, openShared] as (typeof openScoped)[]) {
    await assert.rejects(place(folder, { repo: folder.path }, open), {
      code: "usage",
      message: /lies inside the target repo$/,
    });
  }
  const repo = await repoAt(folder, "work/app");
  assert.equal(await place(folder, { repo }), "home/db/app/svc.db");
});
