/** A repo that was moved, renamed or copied: real folders, moved by mv and copied by cp. */
import assert from "node:assert/strict";
import { repoId } from "svc/core/ids.ts";
import { movedFrom, openFollowed } from "svc/features/repos/follow_move.ts";
import { register } from "svc/features/repos/register.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { setTrust, trustOf } from "svc/features/trust/trust_store.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { tryLockFile } from "svc/platform/git/repo_lock.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { cannotMount, overlay } from "tests/kit/odd_disks.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import { ports, tempStore } from "tests/unit/store/temp_store.ts";

const git = gitOver(denoProcesses(), { PATH: "/usr/local/bin:/usr/bin:/bin" });

async function sh(program: string, ...args: string[]): Promise<void> {
  assert.ok((await new Deno.Command(program, { args }).output()).success);
}

/** A home, and a repo at `a/shop` that is registered in its own database, with a role that is trusted. */
async function place() {
  const folder = await tempFolder();
  const at = (path: string) => `${folder.path}/${path}`;
  const home = { db: at("home/db"), sharedDb: at("home-harness/db") };
  const mine = { ...ports, home };
  await Deno.mkdir(at("a/shop"), { recursive: true });
  await plainGit(at("a/shop"), ["init", "--quiet", "--initial-branch", "main"]);
  await plainGit(at("a/shop"), ["commit", "--quiet", "--allow-empty", "--message", "first"]);
  {
    await using store = await openFollowed(mine, { repo: at("a/shop") });
    await register({ db: store.db, files: denoFiles() }, await git.open(at("a/shop")), {}, 1000);
    await setTrust(store.db, {
      ...{ repoId: await repoId(at("a/shop")), role: "engineer", level: "observer" },
      ...{ manifestLevel: "contributor", reason: "it is new", who: "ada" },
    }, 1000);
  }
  return {
    ...{ at, mine },
    /** The database of a repo: its folder, what is registered in it, and the trust of its role. */
    async opened(path: string, db?: string) {
      let followed: string | undefined;
      await using store = await openFollowed(mine, { repo: at(path), db }, (from) => {
        followed = from;
      });
      const [row, ...more] = await listRepos(store.db);
      const { level } = await trustOf(store.db, await repoId(at(path)), "engineer", "contributor");
      return {
        folder: store.path.slice(home.db.length + 1).split("/")[0],
        row: row && { path: row.path, id: row.id },
        rows: more.length + (row === undefined ? 0 : 1),
        level,
        followed,
      };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

Deno.test("a repo that was renamed keeps its registration and its records, in a database of its new name", async () => {
  await using here = await place();
  const { at, mine, opened } = here;
  await sh("mv", at("a/shop"), at("a/store"));
  const found = await movedFrom(mine, { repo: at("a/store") });
  assert.equal(found?.from, at("a/shop"));
  const id = await repoId(at("a/store"));
  assert.deepEqual(await opened("a/store"), {
    ...{ folder: "store", rows: 1, level: "observer", followed: at("a/shop") },
    row: { path: at("a/store"), id },
  });
  assert.deepEqual([...Deno.readDirSync(mine.home.db)].map(({ name }) => name), ["store"]);
  assert.equal((await opened("a/store")).followed, undefined);
  await sh("mv", at("a/store"), at("a/shop"));
  assert.equal((await opened("a/shop")).followed, at("a/store"));
});

Deno.test("a repo that was moved to another folder, by --db too, is followed", async () => {
  await using here = await place();
  const { at, opened } = here;
  await Deno.mkdir(at("b"));
  await sh("mv", at("a/shop"), at("b/shop"));
  const { folder, row, followed } = await opened("b/shop");
  assert.deepEqual([folder, row?.path, followed], ["shop", at("b/shop"), at("a/shop")]);
  await sh("mv", at("b/shop"), at("shop2"));
  const named = await opened("shop2", at("home/db/shop/svc.db"));
  assert.deepEqual([named.folder, named.row?.path], ["shop", at("shop2")]);
});

Deno.test("a repo that was renamed is followed where its database lies in the layer of an image", {
  ignore: await cannotMount(),
}, async () => {
  await using here = await place();
  const { at, mine, opened } = here;
  await using _layers = await overlay(at("home"));
  await Deno.writeTextFile(`${mine.home.db}/shop/svc.db.backup-20261121-102903-v1`, "older");
  await sh("mv", at("a/shop"), at("a/store"));
  const { folder, row, level, followed } = await opened("a/store");
  assert.deepEqual([folder, row?.path, level], ["store", at("a/store"), "observer"]);
  assert.equal(followed, at("a/shop"));
  assert.deepEqual([...Deno.readDirSync(mine.home.db)].map(({ name }) => name), ["store"]);
  const backup = `${mine.home.db}/store/svc.db.backup-20261121-102903-v1`;
  assert.equal(await Deno.readTextFile(backup), "older");
});

Deno.test("a copy is another repo, also when the original is gone", async () => {
  await using here = await place();
  const { at, mine, opened } = here;
  await sh("cp", "-a", at("a/shop"), at("copy"));
  const beside = await opened("copy");
  assert.deepEqual([beside.followed, beside.rows, beside.level], [undefined, 0, "contributor"]);
  await sh("cp", "-a", at("a/shop"), at("later"));
  await sh("rm", "-r", at("a/shop"));
  assert.equal(await movedFrom(mine, { repo: at("later") }), undefined);
  assert.equal((await opened("later")).level, "contributor");
});

Deno.test("while a start of the old place runs, it is not followed", async () => {
  await using here = await place();
  const { at, mine, opened } = here;
  const lock = `${mine.home.db}/shop/start-${await repoId(at("a/shop"))}.lock`;
  const held = await tryLockFile(lock, { doing: "start", clock: ports.clock });
  assert.ok(typeof held === "object");
  {
    using _held = held;
    await sh("mv", at("a/shop"), at("a/store"));
    await assert.rejects(opened("a/store"), { code: "conflict", message: /works on it$/ });
  }
  assert.equal((await opened("a/store")).followed, at("a/shop"));
});

Deno.test("what a killed run had adopted is brought over by the next one", async () => {
  await using here = await place();
  const { at, mine, opened } = here;
  await sh("mv", at("a/shop"), at("a/store"));
  await opened("a/store");
  await sh("mv", `${mine.home.db}/store`, `${mine.home.db}/shop`);
  const { folder, row } = await opened("a/store");
  assert.deepEqual([folder, row?.path], ["store", at("a/store")]);
});

Deno.test("register knows a repo without a remote again at another place, and a copy not", async () => {
  await using here = await place();
  const { at } = here;
  await using store = await tempStore();
  const add = async (path: string) =>
    await register({ db: store.db, files: denoFiles() }, await git.open(at(path)), {}, 1000);
  await add("a/shop");
  await sh("cp", "-a", at("a/shop"), at("copy"));
  await sh("mv", at("a/shop"), at("a/store"));
  assert.equal((await add("copy")).change, "registered");
  const { change, changed } = await add("a/store");
  assert.deepEqual([change, changed[0]], [
    "moved",
    { field: "path", from: at("a/shop"), to: at("a/store") },
  ]);
  assert.equal((await listRepos(store.db)).length, 2);
});
