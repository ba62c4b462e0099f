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
