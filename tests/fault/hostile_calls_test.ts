import assert from "node:assert/strict";
import type { Failure } from "svc/core/failure.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { type GitCall, gitIn, type GitRunner } from "svc/platform/git/call.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { evil, victim } from "./hostile_parts.ts";
import { HOSTILE } from "./hostile_repos.ts";

const runner: GitRunner = {
  processes: denoProcesses(),
  env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
};
const AS = ["-c", "user.name=x", "-c", "user.email=x@example.org"];

/** None of them takes the care that the verbs do; what protects is in how git is called. */
const CALLS: readonly Pick<GitCall, "args" | "mutates">[] = [
  { args: ["diff"] },
  { args: ["log", "--patch"] },
  { args: ["blame", "a"] },
  { args: ["status"] },
  { args: ["cat-file", "--textconv", "HEAD:a"] },
  { args: ["cat-file", "--filters", "HEAD:a"] },
  { args: ["fetch", "origin"] },
  { args: ["add", "--", "a", "new"], mutates: ["a", "new"] },
  { args: [...AS, "commit", "--message", "x"] },
  { args: [...AS, "commit", "--amend"] },
  { args: [...AS, "merge", "side"] },
  { args: ["checkout", "--force", "HEAD", "--", "a"] },
  { args: [...AS, "rebase", "--interactive", "HEAD~1"] },
];

for (const { name, plant } of HOSTILE.filter(({ refused }) => refused === undefined)) {
  Deno.test(`no git command at all runs a hostile ${name}`, async () => {
    await using repo = await victim();
    await using program = await evil();
    await plant(repo, program);
    await program.forget();
    const before = await repo.read(".git/config");
    const git = gitIn(
      runner,
      await gitOver(runner.processes, { ...runner.env }).open(repo.path),
    );
    for (const call of CALLS) {
      await git({ doing: "try", ...call }).catch((thrown: Failure) => {
        assert.match(thrown.code, /^(environment|refused)$/, String(thrown));
      });
      assert.equal(await program.fired(), false, call.args.join(" "));
    }
    assert.equal(await repo.read(".git/config"), before);
  });
}
