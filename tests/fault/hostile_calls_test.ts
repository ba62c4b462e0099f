import assert from "node:assert/strict";
import type { Failure } from "svc/core/failure.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { type GitCall, gitIn, type GitRunner } from "svc/platform/git/call.ts";
import { ObjectPack } from "svc/platform/git/object_pack.ts";
import { denoProcesses, type Processes } from "svc/platform/process/process.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
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

/** Each verb that gets no session of its own, since it starts no program that would have to be ended with it. */
const LEAVES: readonly (readonly string[])[] = [
  ["--version"],
  ["cat-file", "-p", "HEAD:a"],
  ["check-attr", "-z", "filter", "--", "a"],
  ["config", "--includes", "--name-only", "--list", "-z"],
  ["config", "--get", "core.bare"],
  ["diff", "--binary", "--no-ext-diff", "--no-textconv", "HEAD"],
  ["diff-tree", "-r", "-p", "--no-textconv", "--root", "HEAD"],
  ["for-each-ref", "--format=%(contents)"],
  ["grep", "-I", "--line-number", "-e", "a"],
  ["hash-object", "-w", "--stdin", "--path=a"],
  ["log", "-z", "--format=%H%x00%B", "--raw", "-c", "--root", "--no-show-signature"],
  ["ls-files", "--others", "--exclude-standard", "-z"],
  ["ls-tree", "-r", "-z", "HEAD"],
  ["merge-base", "HEAD", "HEAD"],
  ["rev-list", "--objects", "HEAD"],
  ["rev-parse", "--verify", "HEAD^{tree}"],
  ["status", "--porcelain=v2", "--untracked-files=all", "--ignore-submodules=dirty"],
  ["unpack-objects", "-q"],
  ["worktree", "list", "--porcelain", "-z"],
];

async function stdinOf([verb]: readonly string[]): Promise<Uint8Array> {
  const text = new TextEncoder().encode("x\n");
  if (verb !== "unpack-objects") return text;
  const pack = new ObjectPack("0".repeat(40));
  await pack.add("blob", text);
  return await pack.bytes();
}

for (const { name, plant } of HOSTILE.filter(({ refused }) => refused === undefined)) {
  Deno.test(`git without a session starts no program in a hostile ${name}, as its own trace says`, async () => {
    await using repo = await victim();
    await using program = await evil();
    await plant(repo, program);
    await using folder = await tempFolder();
    const trace = `${folder.path}/trace`;
    const leaves: boolean[] = [];
    const real = denoProcesses();
    const processes: Processes = {
      ...real,
      run(command) {
        leaves.push(command.leaf === true);
        return real.run({ ...command, env: { ...command.env, GIT_TRACE2_EVENT: trace } });
      },
    };
    const place = await gitOver(real, { ...runner.env }).open(repo.path);
    const git = gitIn({ ...runner, processes }, place);
    for (const args of LEAVES) {
      const stdin = await stdinOf(args);
      await git({ doing: "try", args, stdin }).catch((thrown: Failure) => {
        assert.match(thrown.code, /^(environment|refused)$/, String(thrown));
      });
      assert.equal(leaves.at(-1), true, args.join(" "));
    }
    // git-trace2 (api-trace2): events that tell of another program.
    const events = (await Deno.readTextFile(trace)).trim().split("\n")
      .map((line) => JSON.parse(line) as { event: string; argv?: readonly string[] });
    assert.ok(events.filter(({ event }) => event === "start").length >= LEAVES.length);
    const started = events.filter(({ event }) => /^(?:child|exec)/.test(event));
    assert.deepEqual(started.map(({ argv }) => argv), []);
  });
}
