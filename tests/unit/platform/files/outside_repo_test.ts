import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { refuseInsideRepo, repoHolding } from "svc/platform/files/outside_repo.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

Deno.test("a log path inside a repo is refused", async () => {
  await using repo = await tempRepo({ files: { "a.txt": "a" } });
  for (const path of [`${repo.path}/svc.log`, `${repo.path}/not/yet/there/svc.log`]) {
    await assert.rejects(
      () => refuseInsideRepo(path, "--log-file"),
      (error) =>
        error instanceof Failure && error.code === "usage" &&
        error.message.includes("--log-file") &&
        !!error.detail.remedy,
    );
  }
});

Deno.test("repoHolding sees through a symlink, finds bare repos, and knows when there is none", async () => {
  await using repo = await tempRepo({ files: { "a.txt": "a" } });
  await using temp = await tempFolder();
  await Deno.symlink(repo.path, `${temp.path}/link`);
  assert.equal(await repoHolding(`${temp.path}/link/x.db`), await Deno.realPath(repo.path));
  await repo.git("clone", "--quiet", "--bare", repo.path, `${temp.path}/bare`);
  assert.equal(
    await repoHolding(`${temp.path}/bare/x.db`),
    `${await Deno.realPath(temp.path)}/bare`,
  );
  assert.equal(await repoHolding(`${temp.path}/x.db`), undefined);
});
