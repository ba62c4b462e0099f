import assert from "node:assert/strict";
import { admittedRepos } from "svc/platform/confined/admitted_repos.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

Deno.test("admittedRepos owns the git folder of a repo that comes back, and of no other", async () => {
  await using there = await tempRepo({ commit: true });
  await using other = await tempRepo({ commit: true });
  await using place = await tempFolder();
  const away = `${place.path}/away`;
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.path };
  const admitted = admittedRepos(
    {
      git: gitOver(denoProcesses(), env),
      folder: openFolder,
      signal: new AbortController().signal,
    },
    {
      repos: [there.path, away],
      worktrees: `${place.path}/worktrees`,
      clones: `${place.path}/repos`,
    },
  );
  assert.equal(await admitted.owns(`${there.path}/.git`), true);
  assert.equal(await admitted.owns(`${away}/.git`), false);
  await there.git("clone", "--quiet", there.path, away);
  assert.equal(await admitted.owns(`${away}/.git`), true);
  assert.equal((await admitted.open(away, false)).root, away);
  assert.equal(await admitted.owns(`${other.path}/.git`), false);
  await assert.rejects(admitted.open(other.path, false), { code: "refused" });
});

Deno.test("admittedRepos admits svc's own clones and work trees, and no repo that lies in what is admitted", async () => {
  await using repo = await tempRepo({ commit: true });
  await using place = await tempFolder();
  const below = (name: string) => `${place.path}/${name}`;
  const admitted = admittedRepos({
    git: gitOver(denoProcesses(), { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.path }),
    folder: openFolder,
    signal: new AbortController().signal,
  }, { repos: [repo.path], worktrees: below("worktrees"), clones: below("repos") });
  const clone = below("repos/0123456789ab/shop");
  const inClone = `${clone}/inner`;
  const misplaced = [below("repos/shop"), below("repos/0123456789abc/shop"), below("shop")];
  for (const path of [clone, inClone, ...misplaced]) {
    await repo.git("clone", "--quiet", repo.path, path);
  }
  const [own, persons, foreign] = [
    below("worktrees/one"),
    `${repo.path}/tree`,
    below("worktrees/x"),
  ];
  for (const path of [own, persons]) await repo.git("worktree", "add", "--quiet", "--detach", path);
  await repo.git("-C", below("shop"), "worktree", "add", "--quiet", "--detach", foreign);
  for (const path of [repo.path, clone, own]) {
    assert.equal((await admitted.open(path, false)).root, path);
    using folder = await admitted.folder(path);
    assert.equal(folder.root, path);
  }
  for (const path of [inClone, ...misplaced, persons, foreign]) {
    await assert.rejects(admitted.open(path, false), { code: "refused" }, path);
    await assert.rejects(admitted.folder(path), { code: "refused" }, path);
  }
  assert.equal((await admitted.clone(clone)).root, clone);
  for (const path of [repo.path, own, inClone]) {
    await assert.rejects(admitted.clone(path), { code: "refused" }, path);
  }
  const owned = [clone, inClone, ...misplaced].map((path) => admitted.owns(`${path}/.git`));
  assert.deepEqual(await Promise.all(owned), [true, ...Array(4).fill(false)]);
});
