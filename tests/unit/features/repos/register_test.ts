import assert from "node:assert/strict";
import { repoId } from "svc/core/ids.ts";
import { recordCheck } from "svc/features/checks/check_store.ts";
import { register } from "svc/features/repos/register.ts";
import { registeredPlace } from "svc/features/repos/remote_place.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { check, checksOf } from "tests/unit/features/checks/sample_check.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

const git = gitOver(denoProcesses(), { PATH: "/usr/local/bin:/usr/bin:/bin" });

async function registry() {
  const store = await tempStore();
  let now = 1000;
  return {
    store,
    async add(path: string, wish: { remote?: string; host?: string; branch?: string } = {}) {
      return await register(
        { db: store.db, files: denoFiles() },
        await git.open(path),
        wish,
        now++,
      );
    },
    paths: async () => (await listRepos(store.db)).map(({ path }) => path),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

async function clone(remote?: string): Promise<TempRepo> {
  const repo = await tempRepo({ commit: true });
  if (remote) await repo.git("remote", "add", "origin", `git@code.example:${remote}.git`);
  return repo;
}

Deno.test("register reads what is not given from the repo", async () => {
  await using repos = await registry();
  await using repo = await clone("acme/app");
  const { change, repo: row, changed } = await repos.add(repo.path);
  assert.deepEqual([change, changed], ["registered", []]);
  assert.deepEqual(row, {
    id: await repoId(repo.path),
    path: repo.path,
    host: "code.example",
    remote: "acme/app",
    branch: "main",
    created_at: 1000,
    updated_at: 1000,
    url: null,
    node_id: null,
  });
});

Deno.test("register again changes what is given, keeps the rest and says so", async () => {
  await using repos = await registry();
  await using repo = await clone("acme/app");
  await repo.git("branch", "next");
  await repos.add(repo.path);
  const { change, changed } = await repos.add(repo.path, { branch: "next", remote: "acme/fork" });
  assert.equal(change, "updated");
  assert.deepEqual(changed, [
    { field: "remote", from: "acme/app", to: "acme/fork" },
    { field: "branch", from: "main", to: "next" },
  ]);
  const again = await repos.add(repo.path);
  assert.deepEqual([again.change, again.changed], ["unchanged", []]);
  assert.deepEqual([again.repo.remote, again.repo.branch], ["acme/fork", "next"]);
  assert.deepEqual([again.repo.created_at, again.repo.updated_at], [1000, 1001]);
});

Deno.test("register keeps the host of origin, and of an older registration only what origin says", async () => {
  await using repos = await registry();
  await using repo = await clone("acme/app");
  await using plain = await clone();
  const hostOf = async (path: string, wish = {}) => (await repos.add(path, wish)).repo.host;
  assert.equal(await hostOf(plain.path), null);
  assert.equal(await hostOf(plain.path, { remote: "acme/app" }), "github.com");
  assert.equal(await hostOf(repo.path, { remote: "acme/fork" }), "code.example");
  // Who changes the origin later changes nothing: a person registered the host.
  await repo.git("remote", "set-url", "origin", "git@evil.example:acme/fork.git");
  assert.equal(await hostOf(repo.path), "code.example");
  assert.equal(await hostOf(repo.path, { host: "Git.Example" }), "git.example");
  // Registered by an svc that kept no host.
  const forget = () => repos.store.db.updateTable("repos").set({ host: null }).execute();
  await forget();
  assert.equal(await hostOf(repo.path), "evil.example");
  await forget();
  await repo.git("remote", "set-url", "origin", "git@github.com:acme/other.git");
  assert.equal(await hostOf(repo.path), null);
  const git_ = await git.open(repo.path);
  const before = { host: null, remote: "acme/other" };
  assert.deepEqual(await registeredPlace(git_, before), { ...before, host: "github.com" });
  for (const url of ["git@gitlab.com:acme/other", "git@github.com:acme/app", "/srv/acme/other"]) {
    await repo.git("remote", "set-url", "origin", url);
    assert.deepEqual(await registeredPlace(git_, before), { ...before, host: undefined }, url);
  }
});

Deno.test("register recognises a repo that was moved, and its checks follow", async () => {
  await using repos = await registry();
  await using repo = await clone("acme/app");
  const [before, after] = [`${repo.path}/before`, `${repo.path}/after`];
  await repo.git("clone", "--quiet", ".", before);
  await repo.git("-C", before, "remote", "set-url", "origin", "git@code.example:acme/app.git");
  const { repo: old } = await repos.add(before);
  await recordCheck(repos.store.db, check({ repo_id: old.id }));
  await Deno.rename(before, after);
  const { change, changed, repo: row } = await repos.add(after);
  assert.equal(change, "moved");
  assert.deepEqual(changed, [{ field: "path", from: before, to: after }]);
  assert.equal(row.id, await repoId(after));
  assert.equal(row.created_at, old.created_at);
  assert.deepEqual(await repos.paths(), [after]);
  assert.equal((await checksOf(repos.store.db, row.id)).length, 1);
  assert.equal((await checksOf(repos.store.db, old.id)).length, 0);
});

Deno.test("two clones of one remote are two repos while both are there", async () => {
  await using repos = await registry();
  await using one = await clone("acme/app");
  await using two = await clone("acme/app");
  await repos.add(one.path);
  assert.equal((await repos.add(two.path)).change, "registered");
  assert.deepEqual(await repos.paths(), [one.path, two.path].sort());
});

Deno.test("a repo without a remote is none of the moved", async () => {
  await using repos = await registry();
  {
    await using gone = await clone();
    assert.equal((await repos.add(gone.path)).repo.remote, null);
  }
  await using other = await clone();
  assert.equal((await repos.add(other.path)).change, "registered");
});

Deno.test("register says that a rebase goes on, and that a branch's name is not UTF-8", async () => {
  await using repos = await registry();
  await using repo = await clone();
  await repo.git("checkout", "--quiet", "-b", "side");
  await repo.commit("side", { a: "side\n" });
  await repo.git("checkout", "--quiet", "main");
  await repo.commit("main", { a: "main\n" });
  await repo.git("rebase", "side").catch(() => {});
  await assert.rejects(repos.add(repo.path), {
    code: "conflict",
    message: /a rebase is going on$/,
  });
  await repo.git("rebase", "--abort");
  const latin = "git switch --quiet --create $(printf 'caf\\351')";
  await new Deno.Command("sh", { args: ["-c", latin], cwd: repo.path }).output();
  await assert.rejects(repos.add(repo.path), { message: /the name of its branch is not UTF-8$/ });
  await repo.git("branch", "--move", "cafe");
  assert.equal((await repos.add(repo.path)).repo.branch, "cafe");
});

Deno.test("register refuses a branch without a commit, and a detached HEAD", async () => {
  await using repos = await registry();
  await using repo = await clone();
  await assert.rejects(repos.add(repo.path, { branch: "nope" }), {
    code: "environment",
    message: `Cannot register "${repo.path}": it has no branch "nope" with a commit`,
  });
  await assert.rejects(repos.add(repo.path, { branch: "--all" }), { code: "environment" });
  await repo.git("tag", "v1");
  await assert.rejects(repos.add(repo.path, { branch: "v1" }), { code: "environment" });
  await repo.git("checkout", "--quiet", "--detach");
  await assert.rejects(repos.add(repo.path), {
    code: "usage",
    message: /no branch is checked out$/,
  });
  await using empty = await tempRepo();
  await assert.rejects(repos.add(empty.path), /no branch "main" with a commit/);
  assert.deepEqual(await repos.paths(), []);
});
