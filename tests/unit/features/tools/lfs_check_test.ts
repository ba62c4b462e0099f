/** A check that gets files of git-lfs, as svc doctor advises, keeps no role from committing its own change. */
import assert from "node:assert/strict";
import { checkRun } from "svc/features/tools/check_run.ts";
import { fileEdit } from "svc/features/tools/file_edit.ts";
import { gitCommit } from "svc/features/tools/git_commit.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { manifest, site } from "./session_site.ts";

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${
  "a1".repeat(32)
}\nsize 9\n`;
const FILES = {
  ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
  "data.bin": POINTER,
  "plain.txt": "as committed\n",
  "a.txt": "before\n",
};

const checks = [{
  name: "test",
  run: ["sh", "-c", "printf contents >data.bin; echo by the check >plain.txt"],
}];

Deno.test("after check_run the pointers of git-lfs are back, and git_commit commits the role's change", async () => {
  await using repo = await tempRepo({ files: FILES, commit: true });
  await using base = await tempFolder();
  const root = `${base.path}/tree`;
  await repo.git("worktree", "add", "--quiet", "-b", "svc/T-0001", root);
  const project = { name: "app", checks };
  await using tools = await site(repo, { root, byHand: false, manifest: manifest({ project }) });
  await tools.call(fileEdit, { path: "a.txt", old: "before", new: "after" });
  assert.equal((await tools.call(checkRun, { name: "test" })).ok, true);
  assert.equal(await Deno.readTextFile(`${root}/data.bin`), POINTER);
  assert.equal(await Deno.readTextFile(`${root}/plain.txt`), "by the check\n");
  const committed = await tools.call(gitCommit, { message: "fix: mend a" });
  assert.equal(committed.ok, true, committed.text);
  assert.equal(await repo.git("show", "svc/T-0001:a.txt"), "after\n");
});

Deno.test("in a person's checkout the contents stay", async () => {
  await using repo = await tempRepo({ files: FILES, commit: true });
  const project = { name: "app", checks };
  await using tools = await site(repo, { manifest: manifest({ project }) });
  await tools.call(checkRun, { name: "test" });
  assert.equal(await Deno.readTextFile(`${repo.path}/data.bin`), "contents");
});
