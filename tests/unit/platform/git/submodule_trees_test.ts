/** Submodules in work trees; plain git makes the repos, and judges what svc made of them. */
import assert from "node:assert/strict";
import type { Failure } from "svc/core/failure.ts";
import { evil, HOOKS } from "tests/fault/hostile_parts.ts";
import { plainGit, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { yard } from "tests/unit/platform/worktree_ports.ts";

const BRANCH = "svc/T-0001-one";
const LOCAL = ["-c", "protocol.file.allow=always"];

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await plainGit(cwd, args);
  assert.equal(code, 0, `git ${args.join(" ")}: ${stderr}`);
  return stdout;
}

async function addSubmodule(repo: TempRepo, from: string, path: string): Promise<void> {
  await repo.git(...LOCAL, "submodule", "--quiet", "add", from, path);
  await repo.git(...LOCAL, "submodule", "--quiet", "update", "--init", "--recursive");
  await repo.commit(`submodule ${path}`);
}

/** A repo with the submodule `lib`; a deep one has one of its own at `deep/inner`. */
async function place({ deep = false } = {}) {
  const parts = new AsyncDisposableStack();
  const lib = parts.use(
    await tempRepo({ files: { ".gitignore": "built/\n", "lib.c": "one\n" }, commit: true }),
  );
  if (deep) {
    const inner = parts.use(await tempRepo({ files: { "inner.c": "inner\n" }, commit: true }));
    await addSubmodule(lib, inner.path, "deep/inner");
  }
  const at = parts.use(await yard({ files: { "a": "a\n" } }));
  await addSubmodule(at.repo, lib.path, "lib");
  const path = `${at.home}/demo/job-1`;
  const plan = { doing: "start T-0001", path, branch: BRANCH, start: "main" };
  return {
    ...{ at, lib, path, plan },
    reuse: () =>
      at.worktrees.reuse(at.place, { doing: "go on", path, branch: BRANCH, holder: "job-2" }),
    [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
  };
}

/** Every file below, with its content. */
async function stateOf(folder: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", "find . -type f -print0 | sort -z | xargs -0 sha256sum"],
    cwd: folder,
  }).output();
  return new TextDecoder().decode(stdout);
}

verifies(
  "4.5:run:repo",
  "a work tree has the files of each submodule, and plain git calls it clean",
  async () => {
    await using here = await place({ deep: true });
    const { at, path, plan } = here;
    const modules = `${at.repo.path}/.git/modules`;
    const before = await stateOf(modules);
    await at.worktrees.add(at.place, plan);
    assert.equal(await Deno.readTextFile(`${path}/lib/lib.c`), "one\n");
    assert.equal(await Deno.readTextFile(`${path}/lib/deep/inner/inner.c`), "inner\n");
    for (const below of ["", "/lib", "/lib/deep/inner"]) {
      assert.equal(await git(`${path}${below}`, "status", "--porcelain"), "");
    }
    const named = (await at.repo.git("rev-parse", "main:lib")).trim();
    assert.match(await git(path, "submodule", "status"), new RegExp(`^ ${named} lib`));
    assert.equal((await git(`${path}/lib`, "rev-parse", "HEAD")).trim(), named);
    assert.equal((await git(`${path}/lib`, "remote")).trim(), "");
    assert.equal(await stateOf(modules), before);
    assert.deepEqual(await at.worktrees.submoduleChanges(at.place, path), []);
  },
);

Deno.test("the next job finds submodules as the branch says, whatever was done in them", async () => {
  await using here = await place({ deep: true });
  const { at, path, plan, reuse } = here;
  await at.worktrees.add(at.place, plan);
  await Deno.writeTextFile(`${path}/lib/lib.c`, "edited\n");
  await Deno.writeTextFile(`${path}/lib/new.c`, "new\n");
  await Deno.writeTextFile(`${path}/lib/deep/inner/inner.c`, "edited\n");
  const changes = ["lib/lib.c", "lib/new.c", "lib/deep/inner/inner.c"];
  assert.deepEqual((await at.worktrees.submoduleChanges(at.place, path)).toSorted(), [
    ...changes.toSorted(),
  ]);
  await git(`${path}/lib`, "update-index", "--assume-unchanged", "lib.c");
  await git(`${path}/lib`, "commit", "--quiet", "--allow-empty", "--message", "a job's own");
  assert.equal(await reuse(), true);
  assert.equal(await Deno.readTextFile(`${path}/lib/lib.c`), "one\n");
  assert.equal(await Deno.readTextFile(`${path}/lib/deep/inner/inner.c`), "inner\n");
  assert.equal(await git(path, "status", "--porcelain"), "");
  await Deno.remove(`${path}/lib`, { recursive: true });
  await using elsewhere = await tempFolder();
  await elsewhere.write("kept", "kept\n");
  await Deno.symlink(elsewhere.path, `${path}/lib`);
  assert.equal(await reuse(), true);
  assert.equal(await Deno.readTextFile(`${path}/lib/lib.c`), "one\n");
  assert.deepEqual([...Deno.readDirSync(elsewhere.path)].map(({ name }) => name), ["kept"]);
});

Deno.test("a set-up that builds in a submodule runs again for the next job", async () => {
  await using here = await place();
  const { at, path, plan } = here;
  await at.worktrees.add(at.place, plan);
  await at.worktrees.setUp(at.place, path, "key-1");
  assert.equal((await at.worktrees.mark(at.place, path)).setup, "key-1");
  await Deno.mkdir(`${path}/lib/built`);
  await Deno.writeTextFile(`${path}/lib/built/lib.o`, "object\n");
  await at.worktrees.setUp(at.place, path, "key-2");
  assert.equal((await at.worktrees.mark(at.place, path)).setup, undefined);
});

Deno.test("no program, name or URL of a submodule counts", async () => {
  await using here = await place();
  const { at, path, plan } = here;
  await using program = await evil();
  const lib = `${at.repo.path}/.git/modules/lib`;
  for (const hook of HOOKS) await Deno.copyFile(program.program, `${lib}/hooks/${hook}`);
  for (const key of ["core.fsmonitor", "filter.x.smudge", "filter.x.process", "core.sshCommand"]) {
    await git(`${at.repo.path}/lib`, "config", key, program.program);
  }
  // CVE-2018-17456, CVE-2018-11235, CVE-2019-1387: what a `.gitmodules` may say of a path.
  await at.repo.commit("hostile", {
    ".gitmodules": `[submodule "../../../evil"]\n\tpath = lib\n\turl = -u./x\n` +
      `\tupdate = !${program.program}\n[submodule "y"]\n\tpath = other\n` +
      `\turl = ext::${program.program}\n`,
  });
  await at.repo.git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},other`);
  await at.repo.git("commit", "--quiet", "--message", "one that is not initialised");
  await program.forget();
  await at.worktrees.add(at.place, plan);
  assert.equal(await program.fired(), false);
  assert.equal(await Deno.readTextFile(`${path}/lib/lib.c`), "one\n");
  assert.deepEqual([...Deno.readDirSync(`${path}/other`)], []);
  await git(`${at.repo.path}/lib`, "status");
  assert.equal(await program.fired(), true, "plain git should run one of them");
});

Deno.test("a commit that a submodule lacks is named, and the remedy brings it", async () => {
  await using here = await place();
  const { at, lib, path, plan } = here;
  const next = await lib.commit("two", { "lib.c": "two\n" });
  await at.repo.git("update-index", "--cacheinfo", `160000,${next},lib`);
  await at.repo.git("commit", "--quiet", "--message", "bump");
  const [obstacle] = await at.worktrees.obstacles(at.place);
  assert.equal(obstacle?.why, `its submodule "lib" lacks the commit ${next.slice(0, 12)}`);
  await assert.rejects(at.worktrees.add(at.place, plan), (failure: Failure) => {
    assert.equal(failure.remedy, obstacle.remedy);
    return true;
  });
  const [, ...words] = obstacle.remedy.replaceAll('"', "").split(" ");
  await at.repo.git(...LOCAL, ...words);
  assert.deepEqual(await at.worktrees.obstacles(at.place), []);
  await at.worktrees.add(at.place, plan);
  assert.equal(await Deno.readTextFile(`${path}/lib/lib.c`), "two\n");
});

Deno.test("a tree with submodules moves with all that is in it", async () => {
  await using here = await place();
  const { at, path, plan } = here;
  await at.worktrees.add(at.place, plan);
  await Deno.writeTextFile(`${path}/a`, "not committed\n");
  const to = `${at.home}/demo/job-2`;
  assert.equal(await at.worktrees.move(at.place, path, to), true);
  assert.equal(await git(to, "status", "--porcelain"), " M a\n");
  assert.match(await at.repo.git("worktree", "list"), new RegExp(`^${to} `, "m"));
  await at.worktrees.remove(at.place, to, { discard: true });
  assert.equal((await at.repo.git("worktree", "list")).split("\n").length, 2);
});

Deno.test("a merge leaves a submodule alone, and takes another commit of it as plain git does", async () => {
  await using here = await place();
  const { at, lib } = here;
  await at.branch({ b: "b\n" });
  const merge = (from: string) =>
    at.worktrees.merge(at.place, { doing: "merge", into: "main", from, message: "merge" });
  await at.repo.write("lib/lib.c", "the person's\n");
  assert.equal((await merge("svc/work")).kind, "merged");
  assert.equal(await at.repo.read("lib/lib.c"), "the person's\n");
  await at.repo.git("-C", "lib", "checkout", "--quiet", "lib.c");

  const next = await lib.commit("two", { "lib.c": "two\n" });
  await at.repo.git("checkout", "--quiet", "-b", "svc/bump");
  await at.repo.git("update-index", "--cacheinfo", `160000,${next},lib`);
  await at.repo.git("commit", "--quiet", "--message", "bump");
  await at.repo.git("checkout", "--quiet", "main");
  await using copy = await tempFolder();
  await new Deno.Command("cp", { args: ["-a", `${at.repo.path}/.`, copy.path] }).output();
  assert.equal((await merge("svc/bump")).kind, "merged");
  await git(copy.path, "merge", "--quiet", "--no-ff", "--no-edit", "svc/bump");
  for (const look of [["ls-files", "--stage"], ["status", "--porcelain"], ["diff", "HEAD"]]) {
    assert.equal(await at.repo.git(...look), await git(copy.path, ...look), look.join(" "));
  }
  assert.equal(await at.repo.read("lib/lib.c"), "one\n");
});
