import assert from "node:assert/strict";
import { gitIn } from "svc/platform/git/call.ts";
import { branchOf, headTip } from "svc/platform/git/head.ts";
import { denoProcesses, type Processes } from "svc/platform/process/process.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

/** What HEAD stands for, and how many times git was asked for it. */
async function headAt(root: string, gitDir = `${root}/.git`, commonDir = gitDir) {
  const real = denoProcesses();
  let asked = 0;
  const processes: Processes = {
    ...real,
    run(command) {
      if (command.cwd === root && !command.args.includes("--list")) asked++;
      return real.run(command);
    },
  };
  const place = { root, gitDir, commonDir };
  const git = gitIn({ processes, env: { PATH: "/usr/local/bin:/usr/bin:/bin" } }, place);
  return { branch: await branchOf(git, place), tip: await headTip(git, place, "look"), asked };
}

Deno.test("HEAD and its branch are read without git, in a linked work tree too", async () => {
  await using repo = await tempRepo({ branch: "feature/x" });
  const tip = await repo.commit("first");
  assert.deepEqual(await headAt(repo.path), { branch: "feature/x", tip, asked: 0 });
  await using folder = await tempFolder();
  await repo.git("worktree", "add", "--quiet", "-b", "svc/T-0001", `${folder.path}/side`);
  assert.deepEqual(
    await headAt(`${folder.path}/side`, `${repo.path}/.git/worktrees/side`, `${repo.path}/.git`),
    { branch: "svc/T-0001", tip, asked: 0 },
  );
});

Deno.test("git is asked for what the files do not tell", async () => {
  await using repo = await tempRepo();
  assert.deepEqual(await headAt(repo.path), { branch: "main", tip: undefined, asked: 1 });
  const tip = await repo.commit("first");
  await repo.git("pack-refs", "--all");
  assert.deepEqual(await headAt(repo.path), { branch: "main", tip, asked: 0 });
  await repo.git("checkout", "--quiet", "-b", "größer");
  assert.deepEqual(await headAt(repo.path), { branch: "größer", tip, asked: 2 });
  await repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main");
  await repo.git("symbolic-ref", "HEAD", "refs/heads/alias");
  assert.deepEqual(await headAt(repo.path), { branch: "alias", tip, asked: 1 });
  await repo.git("checkout", "--quiet", "--detach", "main");
  assert.deepEqual(await headAt(repo.path), { branch: undefined, tip, asked: 2 });
});

Deno.test("no file besides those of the branches is taken for one", async () => {
  await using repo = await tempRepo();
  const tip = await repo.commit("first");
  await repo.write("outside", `${"a".repeat(40)}\n`);
  await Deno.remove(`${repo.path}/.git/refs/heads/main`);
  await Deno.symlink(`${repo.path}/outside`, `${repo.path}/.git/refs/heads/main`);
  assert.equal((await headAt(repo.path)).asked, 1);
  await Deno.remove(`${repo.path}/.git/refs/heads/main`);
  await repo.write(".git/refs/heads/main", `${tip}\n`);
  await repo.write(".git/HEAD", "ref: refs/heads/../../../outside\n");
  await assert.rejects(headAt(repo.path), { code: "environment" });
});
