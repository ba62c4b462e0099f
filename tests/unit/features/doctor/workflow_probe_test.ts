import assert from "node:assert/strict";
import { examine } from "svc/features/doctor/examine.ts";
import type { ProbeContext } from "svc/features/doctor/probe.ts";
import { workflow } from "svc/features/doctor/repo_probes.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { writeJournal } from "svc/platform/git/commit_journal.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

const fine = ["on branch main", undefined];

/** What the probe finds in a repo, without work trees. */
function finder(root: string, home: string) {
  const gitDir = `${root}/.git`;
  const context = {
    repo: {
      git: { root, gitDir, commonDir: gitDir, branch: "main", operation: undefined },
      movedFrom: () => Promise.resolve(undefined),
      place: ` --repo ${root}`,
    },
    home: () => ({ worktrees: `${home}/worktrees` }),
    files: denoFiles(),
  } as unknown as ProbeContext;
  return async () =>
    (await examine([workflow], context)).findings.map(({ text, fix }) => [text, fix]);
}

Deno.test("doctor tells of a commit of svc that broke off", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await using home = await tempFolder();
  const gitDir = `${repo.path}/.git`;
  const place = { root: repo.path, gitDir, commonDir: gitDir };
  await writeJournal(denoFiles(), place, { commit: "0".repeat(40), entries: [] });
  assert.deepEqual(await finder(repo.path, home.path)(), [[
    `a commit of svc in ${repo.path} is half made`,
    `svc start --repo ${repo.path}, which finishes it first, as any commit of svc there does`,
  ]]);
});

Deno.test("doctor tells when a repo in which svc alone commits wants to be packed", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await using home = await tempFolder();
  const commonDir = `${repo.path}/.git`;
  const found = finder(repo.path, home.path);
  assert.deepEqual(await found(), [fine]);
  await Deno.mkdir(`${commonDir}/objects/17`, { recursive: true });
  const loose = async (count: number) => {
    for (let nth = 0; nth < count; nth++) {
      const name = String(nth).padStart(38, "0");
      await Deno.writeTextFile(`${commonDir}/objects/17/${name}`, "");
    }
  };
  await loose(26);
  assert.deepEqual(await found(), [fine]);
  await loose(27);
  assert.deepEqual(await found(), [fine, [
    `some 6912 objects of ${repo.path} lie loose: git becomes slow`,
    `git -C ${repo.path} gc`,
  ]]);
});

Deno.test("a stray file among the work trees is none, and hides nothing of what is there", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await using home = await tempFolder();
  await home.write("worktrees/.DS_Store", "");
  assert.deepEqual(await finder(repo.path, home.path)(), [fine]);
  await home.write("worktrees/demo/job-1/a", "a\n");
  assert.deepEqual(await finder(repo.path, home.path)(), [fine, [
    `worktrees of 1 repo lie in ${home.path}/worktrees`,
    `ls ${home.path}/worktrees`,
  ]]);
});

Deno.test("doctor names the repo's own branch to whoever has none checked out", async () => {
  const manifest = "version: 1\nproject: { name: shop, default_branch: trunk }\n" +
    "roles: { engineer: { prompt: roles/engineer.md } }\n";
  await using repo = await tempRepo({
    files: { a: "a\n", ".harness/manifest.yaml": manifest },
    commit: true,
    branch: "trunk",
  });
  await using home = await tempFolder();
  await repo.git("checkout", "--quiet", "--detach");
  const git = await gitOver(denoProcesses(), { PATH: "/usr/local/bin:/usr/bin:/bin" })
    .open(repo.path);
  const folder = await openFolder(repo.path);
  const context = {
    repo: {
      ...{ git, folder, place: "" },
      movedFrom: () => Promise.resolve(undefined),
    },
    home: () => ({ worktrees: `${home.path}/worktrees` }),
    files: denoFiles(),
  } as unknown as ProbeContext;
  const fixes = async () =>
    (await examine([workflow], context)).findings.flatMap(({ text, fix }) =>
      /is detached/.test(text) ? fix : []
    );
  assert.deepEqual(await fixes(), [`git -C ${repo.path} switch trunk`]);
  await Deno.remove(`${repo.path}/.harness/manifest.yaml`);
  assert.deepEqual(await fixes(), [
    `git -C ${repo.path} branch, which lists them; then git -C ${repo.path} switch <branch>`,
  ]);
});
