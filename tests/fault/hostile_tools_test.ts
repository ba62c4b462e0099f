/** The tools that commit and push, over repos whose settings name programs: none of them runs. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { gitCommit } from "svc/features/tools/git_commit.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { pushBranch } from "svc/platform/git/push.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import { site } from "tests/unit/features/tools/session_site.ts";
import { evil, victim } from "./hostile_parts.ts";
import { HOSTILE } from "./hostile_repos.ts";

/** Refused or done, but for nothing else than a Failure. */
async function attempt(work: () => Promise<unknown>): Promise<void> {
  await work().catch((thrown) => assert.ok(thrown instanceof Failure, String(thrown)));
}

for (const { name, plant } of HOSTILE.filter(({ refused }) => refused === undefined)) {
  Deno.test(`git_commit and a push run nothing of a hostile ${name}`, async () => {
    await using repo = await victim();
    await using program = await evil();
    await plant(repo, program);
    await program.forget();
    const before = await repo.read(".git/config");
    await using tools = await site(repo);
    await attempt(() => tools.call(gitCommit, { message: "feat: two", paths: ["a"] }));
    await attempt(() => tools.call(gitCommit, { message: "feat: all" }));
    assert.equal(await program.fired(), false, "git_commit");
    await using remote = await tempFolder();
    await plainGit(remote.path, ["init", "--quiet", "--bare", "."]);
    const ports = {
      processes: denoProcesses(),
      files: denoFiles(),
      env: {},
      path: "/usr/bin:/bin",
    };
    const scratch = `${remote.path}/scratch`;
    await attempt(async () => {
      const commit = (await tools.session.tree.commits.tip(tools.session.tree.git))!;
      const plan = { url: remote.path, branch: "svc/x", commit };
      await pushBranch({ ...ports, env: {}, scratch }, tools.session.tree.git, plan);
    });
    assert.equal(await program.fired(), false, "push");
    assert.equal(await repo.read(".git/config"), before);
  });
}
