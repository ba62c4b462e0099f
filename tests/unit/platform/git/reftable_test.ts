/** A repo whose refs are in a reftable, beside git of a newer Debian. */
import assert from "node:assert/strict";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { NEWER_GIT_PATH } from "tests/kit/newer_git.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import { begunOperations } from "./begun_operations.ts";

const env = { PATH: NEWER_GIT_PATH ?? "" };

async function reftableRepo() {
  const folder = await tempFolder();
  const tried = (...args: string[]) => plainGit(folder.path, args, { env });
  const git = async (...args: string[]) => {
    const { code, stdout, stderr } = await tried(...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  await git("init", "--quiet", "--ref-format=reftable", "--initial-branch=main");
  await folder.write("a", "one\n");
  await git("add", "a");
  await git("commit", "--quiet", "--message", "first");
  return { ...folder, git, tried };
}

const open = async (path: string) => await gitOver(denoProcesses(), env).open(path);

Deno.test({
  name:
    "an operation that a reftable holds is seen, also in a linked work tree, and no branch is one",
  ignore: NEWER_GIT_PATH === undefined,
  async fn() {
    await using repo = await reftableRepo();
    const begun = await begunOperations(repo);
    await repo.git("worktree", "add", "--quiet", "--detach", `${repo.path}/linked`, "main");
    for (const at of [repo.path, `${repo.path}/linked`]) {
      for (const [operation, { begin, end }] of Object.entries(begun)) {
        await repo.tried("-C", at, ...begin);
        assert.equal((await open(at)).operation, operation, at);
        await repo.git("-C", at, ...end);
      }
    }
    await repo.git("branch", "CHERRY_PICK_HEAD");
    await repo.git("tag", "REVERT_HEAD");
    assert.equal((await open(repo.path)).operation, undefined);
    assert.equal((await open(repo.path)).branch, "main");
  },
});
