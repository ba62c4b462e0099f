/** A work tree that goes on from job to job of its branch. */
import assert from "node:assert/strict";
import { plainGit } from "tests/kit/temp_repo.ts";
import { yard } from "tests/unit/platform/worktree_ports.ts";

const FILES = {
  ".gitignore": "node_modules/\n*.log\nodd \\[x\\]/\n",
  "a.txt": "a\n",
  "lock.json": "1\n",
};

const BRANCH = "svc/T-0001-one";

/** A work tree whose set-up has filled two ignored folders. */
async function setUpTree() {
  const at = await yard({ files: FILES });
  const path = `${at.home}/demo/job-1`;
  await at.worktrees.add(at.place, { doing: "start", path, branch: BRANCH, start: "main" });
  const write = async (name: string, text: string) => {
    await Deno.mkdir(`${path}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${path}/${name}`, text);
  };
  await write("node_modules/dep/index.js", "dep\n");
  await write("odd [x]/made", "made\n");
  await at.worktrees.setUp(at.place, path, "key-1");
  const reuse = (holder: string) =>
    at.worktrees.reuse(at.place, { doing: "go on", path, branch: BRANCH, holder });
  const exists = (name: string) => Deno.lstat(`${path}/${name}`).then(() => true, () => false);
  return { at, path, write, reuse, exists };
}

Deno.test("a tree that is used again is as its branch says, with what its set-up put into ignored folders", async () => {
  const { at, path, write, reuse, exists } = await setUpTree();
  await using _at = at;
  assert.deepEqual(await at.worktrees.mark(at.place, path), { holder: "job-1", setup: "key-1" });
  await write("a.txt", "edited\n");
  await plainGit(path, ["update-index", "--skip-worktree", "a.txt"]);
  await write("new.txt", "new\n");
  await write("build.log", "ignored, and not of the set-up\n");
  await write("node_modules/.cache/x", "written by a test run\n");
  await write("nested/.git/HEAD", "ref: refs/heads/main\n");
  await Deno.remove(`${path}/lock.json`);
  assert.equal(await reuse("job-2"), true);
  assert.equal(await Deno.readTextFile(`${path}/a.txt`), "a\n");
  assert.equal(await exists("lock.json"), true);
  for (const gone of ["new.txt", "build.log", "nested"]) assert.equal(await exists(gone), false);
  for (const kept of ["node_modules/dep/index.js", "odd [x]/made"]) {
    assert.equal(await exists(kept), true, kept);
  }
  assert.equal((await plainGit(path, ["status", "--porcelain"])).stdout, "");
  assert.deepEqual(await at.worktrees.mark(at.place, path), { holder: "job-2", setup: "key-1" });
});

for (
  const [what, change] of [
    ["a package was added", (path: string) => Deno.mkdir(`${path}/node_modules/extra`)],
    [
      "a package was edited",
      (path: string) => Deno.writeTextFile(`${path}/node_modules/dep/index.js`, "edited\n"),
    ],
    [
      "a package was removed",
      (path: string) => Deno.remove(`${path}/node_modules/dep`, { recursive: true }),
    ],
    ["its folder leads elsewhere", async (path: string) => {
      await Deno.rename(`${path}/node_modules`, `${path}/../elsewhere`);
      await Deno.symlink("../elsewhere", `${path}/node_modules`);
    }],
  ] as const
) {
  Deno.test(`a job gets nothing of a set-up of which ${what}`, async () => {
    const { at, path, reuse, exists } = await setUpTree();
    await using _at = at;
    await change(path);
    assert.equal(await reuse("job-2"), true);
    for (const gone of ["node_modules", "odd [x]"]) assert.equal(await exists(gone), false, gone);
    const mark = await at.worktrees.mark(at.place, path);
    assert.deepEqual(mark, { holder: "job-2", setup: undefined });
  });
}

Deno.test("a tree that is moved keeps its files, and its set-up runs again: a venv names its own path", async () => {
  const { at, path } = await setUpTree();
  await using _at = at;
  const to = `${path}-on`;
  await at.worktrees.move(at.place, path, to);
  assert.equal((await at.worktrees.mark(at.place, to)).setup, undefined);
});

Deno.test("a tree is not used again for another branch, nor amid a merge, nor when it is half made", async () => {
  const { at, path, reuse } = await setUpTree();
  await using _at = at;
  const other = { doing: "go on", path, branch: "svc/other", holder: "job-2" };
  assert.equal(await at.worktrees.reuse(at.place, other), false);
  const gitDir = `${at.repo.path}/.git/worktrees/job-1`;
  const head = await at.repo.git("rev-parse", "main");
  await Deno.writeTextFile(`${gitDir}/MERGE_HEAD`, head);
  assert.equal(await reuse("job-2"), false);
  await Deno.remove(`${gitDir}/MERGE_HEAD`);
  await Deno.remove(`${gitDir}/svc-worktree`);
  assert.equal(await reuse("job-2"), false);
});
