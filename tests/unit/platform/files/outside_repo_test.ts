import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { refuseInsideRepo, repoHolding } from "svc/platform/files/outside_repo.ts";
import { refusal } from "tests/kit/refusal.ts";
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
  await refuseInsideRepo(`${temp.path}/x.db`, "--db");
  // Folders of somebody who keeps other things by these names.
  for (const parts of [["HEAD"], ["HEAD", "objects"], ["objects", "refs"], ["HEAD", "refs"]]) {
    const folder = `${temp.path}/${parts.join("-")}`;
    for (const name of parts) await Deno.mkdir(`${folder}/${name}`, { recursive: true });
    assert.equal(await repoHolding(`${folder}/x.db`), undefined, folder);
  }
});

Deno.test("a path that leads through a file or in a circle is refused with what is wrong", async () => {
  await using temp = await tempFolder();
  await temp.write("file", "");
  await Deno.symlink("circle", `${temp.path}/circle`);
  for (const [name, why] of [["file", "a file stands"], ["circle", "form a loop"]] as const) {
    await assert.rejects(
      () => refuseInsideRepo(`${temp.path}/${name}/svc.log`, "--log-file"),
      refusal("failed", new RegExp(`^Cannot look up .*svc\\.log": .*${why}`)),
    );
  }
});
