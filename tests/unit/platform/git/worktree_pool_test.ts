/** What the set-up of a finished tree made goes on to the next tree of the repo. */
import assert from "node:assert/strict";
import { keptSetUps, trimPool } from "svc/platform/git/worktree_pool.ts";
import { plainGit } from "tests/kit/temp_repo.ts";
import { yard } from "tests/unit/platform/worktree_ports.ts";

const FILES = { ".gitignore": "node_modules/\n", "a.txt": "a\n", "packages/one/b.txt": "b\n" };

const DAY_MS = 86_400_000;

/** A repo whose trees are set up with two folders. */
async function place() {
  const at = await yard({ files: FILES });
  const add = (job: string, start = "main") =>
    at.worktrees.add(at.place, {
      ...{ doing: "start", path: `${at.home}/demo/${job}`, branch: `svc/${job}`, start },
    });
  const setUp = async (path: string, key = "key-1") => {
    for (const folder of ["node_modules/dep", "packages/one/node_modules"]) {
      await Deno.mkdir(`${path}/${folder}`, { recursive: true });
      await Deno.writeTextFile(`${path}/${folder}/index.js`, key);
    }
    await at.worktrees.setUp(at.place, path, key);
  };
  const retire = (path: string) => at.worktrees.retire(at.place, path);
  const finished = async (job: string, key?: string) => {
    const { path } = await add(job);
    await setUp(path, key);
    await retire(path);
    return path;
  };
  const read = (path: string) => Deno.readTextFile(path).catch(() => undefined);
  return { at, add, setUp, retire, finished, read };
}

Deno.test("the next tree gets the path and the folders of a finished one, and git names neither in between", async () => {
  const { at, add, finished, read } = await place();
  await using _at = at;
  const first = await finished("job-1");
  assert.equal((await at.repo.git("worktree", "list")).trim().split("\n").length, 1);
  assert.equal(await read(`${first}/a.txt`), undefined);
  assert.deepEqual((await keptSetUps(at.home)).map(({ at, key }) => [at, key]), [[first, "key-1"]]);
  const second = await add("job-2");
  assert.deepEqual([second.path, second.branch], [first, "svc/job-2"]);
  assert.equal(await read(`${first}/node_modules/dep/index.js`), "key-1");
  assert.equal(await read(`${first}/packages/one/node_modules/index.js`), "key-1");
  assert.equal((await plainGit(first, ["status", "--porcelain"])).stdout, "");
  const mark = await at.worktrees.mark(at.place, first);
  assert.deepEqual(mark, { holder: "job-2", setup: "key-1" });
  assert.deepEqual(await keptSetUps(at.home), []);
  // It is no work tree of anybody: the third has a path of its own.
  assert.equal((await add("job-3")).path, `${at.home}/demo/job-3`);
});

Deno.test("a stray file in the pool, as file managers leave them, keeps nobody from what is there", async () => {
  const { at, add, finished } = await place();
  await using _at = at;
  const first = await finished("job-1");
  const [{ folder } = { folder: "" }] = await keptSetUps(at.home);
  const repo = folder.slice(0, folder.lastIndexOf("/"));
  const pool = repo.slice(0, repo.lastIndexOf("/"));
  for (const place of [pool, repo]) await Deno.writeTextFile(`${place}/.DS_Store`, "");
  assert.equal((await keptSetUps(at.home)).length, 1);
  await trimPool(at.home, { now: Date.now(), keepMs: DAY_MS });
  assert.equal((await add("job-2")).path, first);
  assert.equal((await Deno.stat(`${pool}/.DS_Store`)).size, 0);
});

Deno.test("a bare tree takes nothing of the pool, which keeps what it has", async () => {
  const { at, finished, read } = await place();
  await using _at = at;
  await finished("job-1");
  const path = `${at.home}/demo/trial.tree`;
  const plan = { doing: "try", path, branch: undefined, start: "main", bare: true } as const;
  assert.equal((await at.worktrees.add(at.place, plan)).path, path);
  assert.equal(await read(`${path}/a.txt`), "a\n");
  assert.equal(await read(`${path}/node_modules/dep/index.js`), undefined);
  assert.equal((await keptSetUps(at.home)).length, 1);
});

Deno.test("nothing is kept of a set-up that somebody changed, and nothing of a tree without one", async () => {
  const { at, add, setUp, retire } = await place();
  await using _at = at;
  const { path } = await add("job-1");
  await setUp(path);
  await Deno.writeTextFile(`${path}/node_modules/dep/index.js`, "edited by a role\n");
  await retire(path);
  await retire((await add("job-2")).path);
  assert.deepEqual(await keptSetUps(at.home), []);
  await assert.rejects(Deno.stat(`${at.home}/demo`), Deno.errors.NotFound);
});

for (
  const [what, change] of [
    ["does not ignore it", { ".gitignore": "" }],
    ["has a file in its place", { "packages/one/node_modules": "a file\n" }],
    ["has a link above it", { "packages/one/b.txt": null, "packages/two/b.txt": "b\n" }],
  ] as const
) {
  Deno.test(`a tree whose commit ${what} is as if there had been no pool`, async () => {
    const { at, add, finished, read } = await place();
    await using _at = at;
    const first = await finished("job-1");
    for (const [file, text] of Object.entries(change)) {
      if (text === null) await at.repo.git("rm", "--quiet", file);
      else await at.repo.write(file, text);
    }
    await at.repo.git("add", "--all", "--force");
    if (what.includes("link")) {
      await Deno.symlink("two", `${at.repo.path}/packages/one`);
      await at.repo.git("add", "--all");
    }
    await at.repo.commit("another layout");
    const { path } = await add("job-2");
    assert.equal(path, first);
    assert.equal((await plainGit(path, ["status", "--porcelain", "--ignored"])).stdout, "");
    assert.equal(await read(`${path}/node_modules/dep/index.js`), undefined);
    assert.equal((await at.worktrees.mark(at.place, path)).setup, undefined);
    assert.deepEqual(await keptSetUps(at.home), []);
  });
}

Deno.test("a set-up stays below its tree, also where a role put a link above it or another path into the mark", async () => {
  const { at, add, setUp, retire, read } = await place();
  await using _at = at;
  const theirs = `${at.home}/theirs`;
  await Deno.mkdir(`${theirs}/node_modules`, { recursive: true });
  await Deno.writeTextFile(`${theirs}/node_modules/mine.txt`, "mine\n");
  const { path } = await add("job-1");
  await setUp(path);
  const marked = `${at.repo.path}/.git/worktrees/job-1/svc-worktree`;
  const mark = JSON.parse(await Deno.readTextFile(marked));
  await Deno.remove(`${path}/packages/one`, { recursive: true });
  await Deno.symlink(theirs, `${path}/packages/one`);
  for (const made of ["packages/one/node_modules/", "../../theirs/node_modules/"]) {
    // As whoever may write into git's folder would have it: the mark fits what is there.
    const { printOf } = await import("svc/platform/git/worktree_mark.ts");
    const setup = { ...mark.setup, made: [made], print: (await printOf(path, [made]))! };
    await Deno.writeTextFile(marked, JSON.stringify({ ...mark, setup }));
    assert.equal((await at.worktrees.mark(at.place, path)).setup, "key-1");
    await retire(path);
    assert.equal(await read(`${theirs}/node_modules/mine.txt`), "mine\n", made);
    assert.deepEqual(await keptSetUps(at.home), []);
    await add("job-1");
  }
});

Deno.test("two set-ups of a repo are kept, the newest; old ones go, and those of a repo that is gone", async () => {
  const { at, add, setUp, retire } = await place();
  await using _at = at;
  const jobs = ["job-1", "job-2", "job-3"];
  for (const job of jobs) await add(job);
  for (const job of jobs) {
    await setUp(`${at.home}/demo/${job}`, job);
    await retire(`${at.home}/demo/${job}`);
  }
  const keys = async () => (await keptSetUps(at.home)).map(({ key }) => key).sort();
  assert.deepEqual(await keys(), ["job-2", "job-3"]);
  await at.worktrees.trimPool(DAY_MS);
  assert.deepEqual(await keys(), ["job-2", "job-3"]);
  const [kept] = await keptSetUps(at.home);
  const { folder, ...record } = kept!;
  const gone = JSON.stringify({ ...record, commonDir: `${at.home}/gone/.git` });
  await Deno.writeTextFile(`${folder}/kept.json`, gone);
  await at.worktrees.trimPool(DAY_MS);
  assert.equal((await keys()).length, 1);
  await at.worktrees.trimPool(0);
  assert.deepEqual(await keys(), []);
  assert.deepEqual([...Deno.readDirSync(`${at.home}/pool`)], []);
});

Deno.test("a tree is held by one job at a time, and taken from one that is known to be over", async () => {
  const { at, add } = await place();
  await using _at = at;
  const { path } = await add("job-1");
  const hold = (job: string, from?: string) =>
    at.worktrees.hold(at.place, { path, job, ...(from && { from }) });
  const first = await hold("job-1");
  assert.ok("lock" in first);
  const busy = await hold("job-2");
  assert.ok("who" in busy);
  assert.equal(busy.job, "job-1");
  assert.match(busy.who, new RegExp(`^process ${Deno.pid}, since `));
  assert.ok("who" in await hold("job-2", "job-0"));
  const second = await hold("job-2", "job-1");
  assert.ok("lock" in second);
  // What the first lets go of later is not the second's.
  first.lock[Symbol.dispose]();
  assert.ok("who" in await hold("job-3"));
  second.lock[Symbol.dispose]();
  const third = await hold("job-3");
  assert.ok("lock" in third);
  third.lock[Symbol.dispose]();
});
