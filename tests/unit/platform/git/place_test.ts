import assert from "node:assert/strict";
import { examine } from "svc/features/doctor/examine.ts";
import type { ProbeContext } from "svc/features/doctor/probe.ts";
import { REPO_PROBES } from "svc/features/doctor/repo_probes.ts";
import { obstacleIn } from "svc/features/release/source.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { gitOver, type GitRepo } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { begunOperations } from "./begun_operations.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const git = gitOver(denoProcesses(), { PATH });

Deno.test("open finds the repo of a subfolder, through links", async () => {
  await using repo = await tempRepo({ files: { "src/deep/a": "1" }, commit: true });
  await using folder = await tempFolder();
  await Deno.symlink(`${repo.path}/src`, `${folder.path}/link`);
  const { root, gitDir, commonDir, branch, operation } = await git.open(`${folder.path}/link/deep`);
  assert.deepEqual(
    { root, gitDir, commonDir, branch, operation },
    {
      root: repo.path,
      gitDir: `${repo.path}/.git`,
      commonDir: `${repo.path}/.git`,
      branch: "main",
      operation: undefined,
    },
  );
});

Deno.test("open tells the branch before the first commit, and a detached HEAD", async () => {
  await using repo = await tempRepo({ branch: "feature/x" });
  assert.equal((await git.open(repo.path)).branch, "feature/x");
  await repo.commit("first");
  await repo.git("checkout", "--quiet", "--detach");
  assert.equal((await git.open(repo.path)).branch, undefined);
});

Deno.test("open accepts a linked worktree and a submodule", async () => {
  await using repo = await tempRepo({ files: { a: "1" }, commit: true });
  await using other = await tempRepo({ files: { b: "2" }, commit: true });
  await using folder = await tempFolder();
  const linked = `${folder.path}/linked`;
  await repo.git("worktree", "add", "--quiet", "-b", "side", linked);
  const worktree = await git.open(linked);
  assert.deepEqual(
    [worktree.root, worktree.gitDir, worktree.commonDir, worktree.branch],
    [linked, `${repo.path}/.git/worktrees/linked`, `${repo.path}/.git`, "side"],
  );
  assert.deepEqual((await worktree.trackedFiles()).paths, ["a"]);

  const add = ["submodule", "--quiet", "add", other.path, "sub"];
  await repo.git("-c", "protocol.file.allow=always", ...add);
  const sub = await git.open(`${repo.path}/sub`);
  assert.deepEqual(
    [sub.root, sub.gitDir, sub.commonDir],
    [`${repo.path}/sub`, `${repo.path}/.git/modules/sub`, `${repo.path}/.git/modules/sub`],
  );
  assert.deepEqual((await sub.trackedFiles()).paths, ["b"]);
  assert.deepEqual((await (await git.open(repo.path)).trackedFiles()).paths, [".gitmodules", "a"]);
});

Deno.test("open refuses a .git file that is no pointer, or leads nowhere or to a stray folder", async () => {
  await using repo = await tempRepo();
  await using folder = await tempFolder();
  const refused = (message: RegExp) =>
    assert.rejects(git.open(folder.path), { code: "refused", message });
  await folder.write(".git", "hello\n");
  await refused(/does not name a git folder/);
  await folder.write(".git", "gitdir: a\ngitdir: b\n");
  await refused(/does not name a git folder/);
  await folder.write(".git", "gitdir: gone\x1b[31m\n");
  await refused(/names "gone\\u001b\[31m", which does not exist/);
  await folder.write(".git", `gitdir: ${repo.path}/.git\n`);
  await refused(/not the git folder of this work tree/);
  await repo.git("config", "core.worktree", repo.path);
  await refused(/not the git folder of this work tree/);
  await repo.git("config", "core.worktree", folder.path);
  assert.equal((await git.open(folder.path)).root, folder.path);
});

Deno.test("an open repo refuses a commondir that was planted later", async () => {
  await using repo = await tempRepo({ files: { a: "1" }, commit: true });
  await using other = await tempRepo({ files: { b: "1" }, commit: true });
  const opened = await git.open(repo.path);
  await repo.write(".git/commondir", `${other.path}/.git\n`);
  await assert.rejects(opened.log(), { code: "refused", message: /its commondir has changed$/ });
});

Deno.test("open says what a folder is, when it is no work tree", async () => {
  await using folder = await tempFolder();
  const at = folder.path;
  await Deno.mkdir(`${at}/sub`);
  await assert.rejects(git.open(`${at}/sub`), {
    code: "environment",
    message: `Cannot open "${at}/sub": it is not in a git repo`,
    detail: { remedy: `git init ${at}/sub` },
  });
  await assert.rejects(git.open(`${at}/gone`), { code: "environment", message: /no such folder$/ });
  await plainGit(at, ["init", "--quiet", "--bare", "bare"]);
  await assert.rejects(git.open(`${at}/bare/refs`), { message: /it is a bare repo$/ });
  await plainGit(at, ["init", "--quiet", "plain"]);
  await assert.rejects(git.open(`${at}/plain/.git/refs`), {
    message: `Cannot open "${at}/plain/.git": it is the inside of a repo`,
    detail: { remedy: `Give "${at}/plain"` },
  });
});

Deno.test({
  name: "open takes another user's repo when it is named, and not when it is only above",
  ignore: Deno.uid() !== 0, // only root can give a folder away
  async fn() {
    await using repo = await tempRepo({ files: { "sub/a": "1" }, commit: true });
    await Deno.chown(repo.path, 12345, null);
    assert.match((await plainGit(repo.path, ["status"])).stderr, /dubious ownership/);
    assert.deepEqual((await (await git.open(repo.path)).trackedFiles()).paths, ["sub/a"]);
    await assert.rejects(git.open(`${repo.path}/sub`), {
      code: "refused",
      message: `Cannot open the repo "${repo.path}": "${repo.path}" is another user's`,
      detail: { remedy: `Name the repo itself if you trust it: --repo ${repo.path}` },
    });
  },
});

async function doctorsFix(git: GitRepo): Promise<string | undefined> {
  await using home = await tempFolder();
  using folder = await openFolder(git.root);
  const context = {
    repo: { git, folder, movedFrom: () => Promise.resolve(undefined) },
    home: () => ({ worktrees: `${home.path}/none` }),
    files: denoFiles(),
  } as unknown as ProbeContext;
  const probes = REPO_PROBES.filter(({ id }) => id === "workflow");
  const { findings } = await examine(probes, context);
  return findings.find(({ text }) => text.includes("under way"))?.fix;
}

Deno.test("open tells which operation git has begun; doctor and release notes name the command that ends it", async () => {
  await using repo = await tempRepo({ files: { a: "one\n" }, commit: true });
  const begun = await begunOperations(repo);
  for (const [operation, { begin }] of Object.entries(begun)) {
    await plainGit(repo.path, begin);
    const opened = await git.open(repo.path);
    assert.equal(opened.operation, operation);
    const remedy = (await obstacleIn(opened))?.remedy ?? "";
    assert.equal(await doctorsFix(opened), remedy);
    // To give up what was settled so far is not the first thing that a person is told.
    assert.match(remedy, operation === "bisect" ? /^git / : /^Finish it, or give it up: git /);
    const command = remedy.replace(/^.*?git -C \S* /, "").split(" ");
    await repo.git(...command);
    assert.equal((await git.open(repo.path)).operation, undefined);
  }
  assert.equal((await git.open(repo.path)).operation, undefined);
});

Deno.test("open refuses a git that is too old, and one that lies in the repo", async () => {
  await using repo = await tempRepo();
  await using folder = await tempFolder();
  await folder.write("git", "#!/bin/sh\necho git version 2.38.9\n", { executable: true });
  await assert.rejects(
    gitOver(denoProcesses(), { PATH: `${folder.path}:${PATH}` }).open(repo.path),
    {
      code: "environment",
      message: "Cannot use git 2.38.9: it is older than 2.39",
    },
  );
  const marker = `${folder.path}/planted`;
  await repo.write("bin/git", `#!/bin/sh\n: >${marker}\n`, { executable: true });
  const git = gitOver(denoProcesses(), { PATH: `${repo.path}/bin:.:${PATH}` });
  const opened = await git.open(repo.path);
  await opened.status();
  await git.userSetting("user.name");
  await assert.rejects(Deno.stat(marker), Deno.errors.NotFound);
});
