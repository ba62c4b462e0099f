/** Which folder of git's belongs to a work tree, whatever it is called. */
import assert from "node:assert/strict";
import { adminFolder } from "svc/platform/git/worktree_list.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

verifies("4.5:run:repo", "two work trees of one name have each its own folder of git", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await using home = await tempFolder();
  const [one, two] = [`${home.path}/one/job`, `${home.path}/two/job`];
  for (const path of [one, two]) await repo.git("worktree", "add", "--quiet", "--detach", path);
  const admin = (path: string) => adminFolder(`${repo.path}/.git`, path);
  const folders = [await admin(one), await admin(two)];
  assert.deepEqual(folders, ["job", "job1"].map((name) => `${repo.path}/.git/worktrees/${name}`));

  await repo.git("worktree", "remove", one);
  assert.equal(await admin(one), undefined);
  assert.equal(await admin(two), folders[1]);
  assert.equal(await admin(`${home.path}/three/job1`), undefined);
});
