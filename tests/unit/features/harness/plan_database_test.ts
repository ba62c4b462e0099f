import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { repoId } from "svc/core/ids.ts";
import { systemClock } from "svc/platform/clock.ts";
import { startLockPath, tryLock } from "svc/platform/git/repo_lock.ts";
import { PlanDraft } from "svc/features/harness/draft.ts";
import { type DatabaseRequest, planDatabase } from "svc/features/harness/plan_database.ts";
import { peekDatabase } from "svc/store/open.ts";
import { openScoped, openShared } from "svc/store/placement.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { siteAt } from "./harness_site.ts";

/** Without what SQLite may leave beside a database. */
const databases = (draft: PlanDraft) => draft.drops.filter((path) => !/-(?:wal|shm)$/.test(path));

type Flags = Partial<Pick<DatabaseRequest, "db" | "keepDb" | "deleteSharedDb">>;

/** Two repos of one name, each with a database of its own, and one that is shared. */
async function ground(name = "demo") {
  const place = await tempFolder();
  const repo = await tempRepo();
  for (const parent of ["a", "b"]) {
    await Deno.mkdir(`${place.path}/${parent}/${name}/.git`, { recursive: true });
  }
  const site = await siteAt(repo.path, `${place.path}/home`);
  const ports = { files: site.files, clock: site.clock, home: site.home };
  const at = (parent: string) => `${place.path}/${parent}/${name}`;
  for (const parent of ["a", "b"]) {
    await using _store = await openScoped(ports, { repo: at(parent) });
  }
  const shared = `${place.path}/home-harness/db/svc.db`;
  {
    await using _store = await openShared(ports, {});
  }
  return {
    home: site.home,
    shared,
    at,
    async plan(parent: string, flags: Flags) {
      const draft = new PlanDraft(site);
      await planDatabase(draft, {
        repo: at(parent),
        peek: peekDatabase,
        worker: () => Promise.resolve(undefined),
        files: site.files,
        home: site.home,
        db: undefined,
        keepDb: false,
        deleteSharedDb: false,
        ...flags,
      });
      return draft;
    },
    async [Symbol.asyncDispose]() {
      site[Symbol.dispose]();
      await repo[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

Deno.test("planDatabase finds each repo's own among two of one name", async () => {
  await using at = await ground();
  const a = await at.plan("a", {});
  assert.deepEqual(a.drops, [`${at.home.db}/demo`]);
  const b = await at.plan("b", {});
  assert.equal(b.drops.length, 1);
  assert.match(b.drops[0]!, /\/db\/demo-[0-9a-f]{12}$/);
  assert.deepEqual(b.kept.map(({ path }) => path), [`${at.home.db}/demo/`]);
  const none = await at.plan("c", {});
  assert.deepEqual(none.drops, []);
});

Deno.test("planDatabase finds the database of a repo whose long name is cut", async () => {
  for (const name of ["n".repeat(255), "ü".repeat(110)]) {
    await using at = await ground(name);
    const [a, b] = [await at.plan("a", {}), await at.plan("b", {})];
    const folder = a.drops[0]!;
    assert.deepEqual(a.drops, [folder]);
    assert.deepEqual(b.drops, [`${folder}-${await repoId(at.at("b"))}`]);
  }
});

Deno.test("planDatabase keeps a database that svc start works with, until that has ended", async () => {
  await using at = await ground();
  const own = `${at.home.db}/demo`;
  const path = startLockPath(own, await repoId(at.at("a")));
  const { lock } = await tryLock(path, { doing: "start", clock: systemClock }) as {
    lock: Disposable;
  };
  for (const [flags, keep] of [[{}, `${own}/`], [{ db: `${own}/svc.db` }, `${own}/svc.db`]]) {
    const { drops, kept } = await at.plan("a", flags as Flags);
    assert.deepEqual([drops, kept.map(({ path }) => path)], [[], [keep]]);
    assert.match(
      kept[0]!.why,
      /^svc start, process \d+, since .* uses it; end that, then eject/,
    );
  }
  lock[Symbol.dispose]();
  assert.deepEqual((await at.plan("a", {})).drops, [own]);
});

Deno.test("planDatabase drops nothing with --keep-db", async () => {
  await using at = await ground();
  assert.deepEqual((await at.plan("a", { keepDb: true })).drops, []);
});

Deno.test("planDatabase drops a shared database only when told so, named or not", async () => {
  await using at = await ground();
  const named = await at.plan("a", { db: at.shared });
  assert.deepEqual(named.drops, []);
  assert.deepEqual(named.kept.map(({ path }) => path), [at.shared]);
  const told = await at.plan("a", { db: at.shared, deleteSharedDb: true });
  assert.deepEqual(databases(told), [at.shared]);
  const both = await at.plan("a", { deleteSharedDb: true });
  assert.deepEqual(databases(both), [`${at.home.db}/demo`, at.shared]);
});

Deno.test("planDatabase drops a database that --db names when it is the repo's own", async () => {
  await using at = await ground();
  const own = `${at.home.db}/demo/svc.db`;
  const { drops } = await at.plan("a", { db: own });
  assert.deepEqual([drops.at(-1), drops.every((path) => path.startsWith(own))], [own, true]);
  assert.deepEqual((await at.plan("b", { db: own })).drops, []);
});

Deno.test("planDatabase keeps a damaged database, and names a way out that takes it", async () => {
  await using at = await ground();
  const folder = `${at.home.db}/demo/`;
  const whys = async () => (await at.plan("b", {})).kept.map(({ path, why }) => [path, why]);
  const whose = "it does not say that it is this repo's; --db names it";
  assert.deepEqual(await whys(), [[folder, whose]]);
  await Deno.writeTextFile(`${folder}svc.db`, "x".repeat(8192));
  await assert.rejects(at.plan("a", { db: `${folder}svc.db` }), /it is no database of svc/);
  const damaged = "its database is damaged, or not of svc; rm -r takes it away";
  assert.deepEqual(await whys(), [[folder, damaged]]);
});

Deno.test("planDatabase refuses what is no database, and flags that contradict", async () => {
  await using at = await ground();
  const beside = at.shared.replace("svc.db", "notes.txt");
  await Deno.writeTextFile(beside, "notes");
  const wrong = at.plan("a", { db: beside, deleteSharedDb: true });
  await assert.rejects(wrong, /it is no database of svc/);
  await assert.rejects(at.plan("a", { db: "/nowhere/svc.db" }), /there is none/);
  await assert.rejects(
    at.plan("a", { keepDb: true, deleteSharedDb: true }),
    /both keep and delete/,
  );
});

Deno.test("planDatabase never drops another program's database, nor a file of a repo", async () => {
  await using at = await ground();
  const inRepo = `${at.at("a")}/data.sqlite`;
  const elsewhere = at.shared.replace("svc.db", "shop.sqlite");
  for (const path of [inRepo, elsewhere]) {
    using database = new DatabaseSync(path);
    database.exec("CREATE TABLE meta (key TEXT, value TEXT); INSERT INTO meta VALUES ('a', 'b')");
  }
  const dropped = (db: string) => at.plan("a", { db, deleteSharedDb: true });
  await assert.rejects(dropped(inRepo), /it lies inside the repo/);
  await assert.rejects(dropped(elsewhere), /it is no database of svc/);
  await Deno.copyFile(at.shared, `${at.at("b")}/svc.db`);
  await assert.rejects(dropped(`${at.at("b")}/svc.db`), /it lies inside the repo/);
});
