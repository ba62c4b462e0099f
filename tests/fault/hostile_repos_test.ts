import assert from "node:assert/strict";
import { type Failure } from "svc/core/failure.ts";
import { type Git, gitOver, type GitRepo } from "svc/platform/git.ts";
import { gitIn } from "svc/platform/git_call.ts";
import { denoProcesses } from "svc/platform/process.ts";
import { plainGit } from "tests/kit/temp_repo.ts";
import { evil, HOSTILE, victim } from "./hostile_repos.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const processes = denoProcesses();
const git: Git = gitOver(processes, PATH);

/** Every verb that svc has; each must answer. */
async function everyVerb(repo: GitRepo) {
  const entries = await repo.indexEntries();
  const oids = entries.filter(({ mode }) => mode !== "160000").map(({ oid }) => oid);
  await repo.trackedFiles();
  await repo.listFiles();
  await repo.stagedFiles();
  await repo.catFiles([...oids, "0".repeat(40)], () => {});
  await repo.status();
  await repo.diff();
  await repo.diff({ staged: true });
  await repo.diff({ since: "HEAD", paths: ["a"] });
  await repo.log();
  await repo.log({ ref: "main", paths: ["a"] });
  await repo.configGet("core.fsmonitor");
}

const AS = ["-c", "user.name=x", "-c", "user.email=x@example.org"];

/** What later verbs may be made of. Many of these fail here; none may run anything. */
const RAW: readonly (readonly string[])[] = [
  ["diff"],
  ["log", "--patch"],
  ["show"],
  ["blame", "a"],
  ["status"],
  ["submodule", "status"],
  ["cat-file", "--textconv", "HEAD:a"],
  ["cat-file", "--filters", "HEAD:a"],
  ["grep", "--textconv", "one"],
  ["archive", "HEAD"],
  ["fetch", "origin"],
  ["ls-remote", "origin"],
  ["submodule", "update", "--init"],
  ["stash", "list"],
  ["add", "--all"],
  [...AS, "commit", "--message", "x"],
  [...AS, "commit", "--amend"],
  [...AS, "merge", "side"],
  [...AS, "merge", "--abort"],
  ["checkout", "--force", "HEAD", "--", "a"],
  [...AS, "rebase", "--interactive", "HEAD~1"],
];

async function rawCalls({ root, gitDir, commonDir }: GitRepo) {
  const call = gitIn({ processes, path: PATH }, { root, gitDir, commonDir });
  for (const args of RAW) {
    await call({ doing: "try", args }).catch((thrown: Failure) => {
      assert.equal(thrown.code, "environment", `${args.join(" ")}: ${thrown.message}`);
    });
  }
}

async function settingsOf(gitDir: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of ["config", "config.worktree", "info/attributes", "HEAD"]) {
    found[name] = await Deno.readTextFile(`${gitDir}/${name}`).catch(() => "none");
  }
  return found;
}

for (const { name, plant, triggers, refused } of HOSTILE) {
  Deno.test(`git runs nothing for a repo with a hostile ${name}`, async () => {
    await using repo = await victim();
    await using program = await evil();
    const folder = await plant(repo, program) ?? repo.path;
    await program.forget(); // planting it may have run it
    const before = await settingsOf(`${repo.path}/.git`);

    if (refused !== undefined) {
      await assert.rejects(git.open(folder), { name: "Failure", message: refused });
    } else {
      const opened = await git.open(folder);
      assert.equal(opened.root, repo.path);
      await everyVerb(opened);
      assert.equal(await program.fired(), false, "a verb ran the program");
      await rawCalls(opened);
    }
    assert.equal(await program.fired(), false, "svc ran the program");
    assert.deepEqual(await settingsOf(`${repo.path}/.git`), before);
  });

  if (triggers.length === 0) continue;
  Deno.test(`plain git does run it for a repo with a hostile ${name}`, async () => {
    await using repo = await victim();
    await using program = await evil();
    const folder = await plant(repo, program) ?? repo.path;
    await program.forget();
    for (const trigger of triggers) await plainGit(folder, trigger);
    assert.equal(await program.fired(), true);
  });
}
