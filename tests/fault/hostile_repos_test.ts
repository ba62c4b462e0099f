import assert from "node:assert/strict";
import { gitOver, type GitRepo } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { plainGit } from "tests/kit/temp_repo.ts";
import { evil, victim } from "./hostile_parts.ts";
import { HOSTILE } from "./hostile_repos.ts";

const git = gitOver(denoProcesses(), { PATH: "/usr/local/bin:/usr/bin:/bin" });

/** Calls every verb that svc has; gives those that fail. */
async function everyVerb(repo: GitRepo): Promise<string[]> {
  const verbs: Record<string, () => Promise<unknown>> = {
    trackedFiles: repo.trackedFiles,
    listFiles: repo.listFiles,
    stagedFiles: repo.stagedFiles,
    async catFiles() {
      const entries = await repo.indexEntries();
      await repo.catFiles(entries.map(({ oid }) => oid), () => {});
    },
    status: repo.status,
    diff: () => repo.diff(),
    diffStaged: () => repo.diff({ staged: true, since: "HEAD", paths: ["a"] }),
    log: () => repo.log({ ref: "main", paths: ["a"] }),
    configGet: () => repo.configGet("core.fsmonitor"),
    changes: () => repo.changes({ since: 0 }),
    lineTimes: () => repo.lineTimes("a", { lines: [1], since: 0 }),
    fullCommits: () => repo.fullCommits(),
    tags: repo.tags,
    isShallow: repo.isShallow,
    lastChange: () => repo.lastChange(["a"]),
    diffPaths: () => repo.diffPaths({ since: "main" }),
    forkFrom: () => repo.forkFrom("main"),
    grep: () => repo.grep({ pattern: "." }),
    grepFile: () => repo.grep({ pattern: ".", file: "a" }),
    grepBelow: () => repo.grep({ pattern: ".", paths: ["a"] }),
  };
  const failed: string[] = [];
  for (const [name, verb] of Object.entries(verbs)) {
    await verb().catch((thrown) => failed.push(`${name}: ${thrown}`));
  }
  return failed;
}

async function settingsOf(gitDir: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of ["config", "config.worktree", "info/attributes", "HEAD"]) {
    found[name] = await Deno.readTextFile(`${gitDir}/${name}`).catch(() => "none");
  }
  return found;
}

for (const { name, plant, triggers, refused, damaged } of HOSTILE) {
  Deno.test(`no verb runs a hostile ${name}${triggers.length > 0 ? ", as git does" : ""}`, async () => {
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
      const failed = await everyVerb(opened);
      if (!damaged) assert.deepEqual(failed, []);
    }
    assert.equal(await program.fired(), false);
    assert.deepEqual(await settingsOf(`${repo.path}/.git`), before);

    for (const trigger of triggers) await plainGit(folder, trigger);
    assert.equal(await program.fired(), triggers.length > 0, "plain git");
  });
}
