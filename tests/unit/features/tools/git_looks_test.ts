import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { gitDiff } from "svc/features/tools/git_diff.ts";
import { gitLog } from "svc/features/tools/git_log.ts";
import { gitStatus } from "svc/features/tools/git_status.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { evil, victim } from "tests/fault/hostile_parts.ts";
import { HOSTILE } from "tests/fault/hostile_repos.ts";
import { site } from "./session_site.ts";

Deno.test("git_status lists what differs, and says when nothing does", async () => {
  await using repo = await tempRepo({ files: { "a b": "1\n", c: "1\n" }, commit: true });
  await using tools = await site(repo);
  assert.match(
    (await tools.call(gitStatus)).text,
    /^branch main, at [0-9a-f]{12}\nNothing differs/,
  );
  await repo.write("a b", "2\n");
  await repo.write("new/one", "1\n");
  await repo.git("rm", "--quiet", "c");
  const { text, facts } = await tools.call(gitStatus);
  assert.deepEqual(text.split("\n").slice(1), [".M a b", "D. c", "?? new/one"]);
  assert.equal(facts?.["changed"], 3);
});

Deno.test("git_status works before the first commit and without a branch", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" } });
  await using tools = await site(repo);
  assert.match((await tools.call(gitStatus)).text, /^branch main, no commit yet\n\?\? a$/);
  await repo.commit("one");
  await repo.git("checkout", "--quiet", "--detach");
  assert.match((await tools.call(gitStatus)).text, /^HEAD is on no branch/);
});

Deno.test("git_diff shows staged and unstaged changes since the last commit, or since another", async () => {
  await using repo = await tempRepo({ files: { a: "1\n", "d/b": "1\n" }, commit: true });
  await repo.git("tag", "start");
  await repo.commit("two", { a: "2\n" });
  await using tools = await site(repo);
  assert.match((await tools.call(gitDiff)).text, /^No difference/);
  await repo.write("a", "3\n");
  await repo.git("add", "a");
  await repo.write("d/b", "2\n");
  await repo.write("d/new", "n\n");
  const all = (await tools.call(gitDiff)).text;
  assert.match(all, /^-2\n\+3$/m);
  assert.match(all, /^-1\n\+2$/m);
  assert.match(all, /New files, not in the patch.*\nd\/new$/);
  const staged = (await tools.call(gitDiff, { staged: true })).text;
  assert.match(staged, /\+3/);
  assert.doesNotMatch(staged, /d\/b/);
  const since = (await tools.call(gitDiff, { since: "start", path: "./a" })).text;
  assert.match(since, /^-1\n\+3$/m);
  assert.doesNotMatch(since, /d\//);
});

/** A work tree of a job, whose base branch went on meanwhile: a file more, a ticket moved. */
async function branched() {
  const ticket = "docs/tickets/review/T-0001-x.md";
  const repo = await tempRepo({ files: { a: "1\n", [ticket]: "t\n" }, commit: true });
  const root = `${repo.path}-tree`;
  await repo.git("worktree", "add", "--quiet", "-b", "svc/T-0001", root);
  await repo.commit("elsewhere", { other: "o\n" });
  await repo.git("mv", ticket, "docs/tickets/T-0001-x.md");
  await repo.commit("moved");
  const write = (path: string, text: string) => Deno.writeTextFile(`${root}/${path}`, text);
  await write("a", "2\n");
  await repo.git("-C", root, "commit", "--quiet", "-am", "work");
  return { repo, root, ticket, write };
}

Deno.test("git_diff shows a job the change under review: since its branch left, nothing that came since", async () => {
  const { repo, root, ticket, write } = await branched();
  await using _repo = repo;
  await using tools = await site(repo, { root });
  const committed = (await tools.call(gitDiff)).text;
  assert.match(committed, /^What this branch changed since it left main, committed or not:\ndiff/);
  assert.match(committed, /^-1\n\+2$/m);
  for (const text of [committed, (await tools.call(gitDiff, { since: "main" })).text]) {
    assert.doesNotMatch(text, /other|docs\/tickets/);
  }
  await write("a", "3\n");
  await write("new", "n\n");
  await write(ticket, "edited\n");
  const all = (await tools.call(gitDiff)).text;
  assert.match(all, /^-1\n\+3$/m);
  assert.match(all, /\nNew files, not in the patch.*\nnew$/);
  assert.doesNotMatch(all, /docs\/tickets/);
  // Asked for by name, a ticket is shown.
  assert.match((await tools.call(gitDiff, { path: ticket })).text, /^\+edited$/m);
  assert.match((await tools.call(gitDiff, { since: "HEAD" })).text, /^-2\n\+3$/m);
  await Deno.remove(root, { recursive: true });
});

Deno.test("git_diff compares a branch that shares no commit with the base as it is", async () => {
  const { repo, root } = await branched();
  await using _repo = repo;
  await repo.git("-C", root, "checkout", "--quiet", "--orphan", "alone");
  await repo.git("-C", root, "commit", "--quiet", "-m", "alone");
  await using tools = await site(repo, { root });
  assert.match((await tools.call(gitDiff)).text, /^deleted file[^]*^-o$/m);
  await Deno.remove(root, { recursive: true });
});

Deno.test("git_diff shows no file that file_read would not", async () => {
  const files = { ".harness/.env.local": "KEY=old-token\n", a: "1\n" };
  await using repo = await tempRepo({ files, commit: true });
  await repo.git("tag", "start");
  await using tools = await site(repo);
  await repo.write(".harness/.env.local", "KEY=new-token\n");
  const alone = (await tools.call(gitDiff)).text;
  assert.match(alone, /^No difference in tracked files\n\[1 changed files are not shown/);
  await repo.commit("two", { a: "2\n" });
  for (const args of [{}, { since: "start" }, { since: "start", path: ".harness" }]) {
    assert.doesNotMatch((await tools.call(gitDiff, args)).text, /token/, JSON.stringify(args));
  }
  const { text } = await tools.call(gitDiff, { since: "start" });
  assert.match(text, /^-1\n\+2\n\[1 changed files are not shown/m);
  await assert.rejects(
    tools.call(gitDiff, { path: ".harness/.ENV.local" }),
    /it may hold credentials/,
  );
});

Deno.test("git_diff and git_log say what to give instead of a path or a commit that is not there", async () => {
  await using repo = await tempRepo({ files: { "src/main.ts": "1\n", gone: "1\n" }, commit: true });
  await using tools = await site(repo);
  const { ok, text } = await tools.call(gitDiff, { path: "src/mian.ts" });
  assert.deepEqual([ok, text], [
    false,
    'There is no file "src/mian.ts". Did you mean "src/main.ts"?',
  ]);
  await Deno.remove(`${repo.path}/gone`);
  assert.match((await tools.call(gitDiff, { path: "gone", staged: true })).text, /^No difference/);
  for (
    const call of [
      () => tools.call(gitDiff, { since: "mian" }),
      () => tools.call(gitLog, { ref: "mian" }),
    ]
  ) {
    const failure = await call().catch((thrown) => thrown as Failure);
    assert.ok(failure instanceof Failure);
    assert.match(failure.message, /there is no commit "mian"$/);
    assert.match(failure.remedy, /a branch, a tag or the id of a commit; git_log/);
  }
  await assert.rejects(tools.call(gitLog, { ref: "main..HEAD" }), (thrown) => {
    assert.match(Failure.from(thrown).remedy, /^Give a branch, a tag or the id of a commit/);
    return true;
  });
});

Deno.test("git_log gives the newest commits, of a path or a ref", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.commit("second", { b: "1\n" });
  await using tools = await site(repo);
  const lines = (await tools.call(gitLog)).text.split("\n");
  assert.equal(lines.length, 2);
  assert.match(lines[0]!, /^[0-9a-f]{12} 2026-01-02 Ada: second$/);
  assert.match((await tools.call(gitLog, { path: "a" })).text, /: first$/);
  assert.equal((await tools.call(gitLog, { ref: "HEAD~1", max: 5 })).text.split("\n").length, 1);
});

const INJECTED = [
  "--output=/tmp/svc-injected",
  "-O/tmp/svc-injected",
  "--upload-pack=touch /tmp/svc-injected",
  "-c",
  "--exec=touch /tmp/svc-injected",
  "ext::sh -c touch% /tmp/svc-injected",
  "file:///tmp/x ext::x",
  "HEAD@{1}",
  "main..HEAD",
  "^main",
  "HEAD:a",
  ":/first",
  "a\nb",
  "a\0b",
  "\x1b[2J",
  "",
  "../outside",
  "/etc/passwd",
  "a/../../b",
  ".git/config",
];

Deno.test("no value of a git tool's argument becomes an option, a range or another place", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using tools = await site(repo);
  const refused = async (tool: typeof gitDiff, args: unknown) => {
    const answer = await Promise.resolve().then(() => tools.call(tool, args)).catch(() =>
      undefined
    );
    return answer === undefined || !answer.ok || /^(?:No difference|No commit)/.test(answer.text);
  };
  for (const value of INJECTED) {
    for (const tool of [gitDiff, gitLog as typeof gitDiff]) {
      assert.ok(await refused(tool, { path: value }), `${tool.name} path ${value}`);
    }
    assert.ok(await refused(gitDiff, { since: value }), `since ${value}`);
    assert.ok(await refused(gitLog as typeof gitDiff, { ref: value }), `ref ${value}`);
  }
  await assert.rejects(Deno.stat("/tmp/svc-injected"), Deno.errors.NotFound);
});

Deno.test("no git tool that looks runs anything of a hostile repo", async () => {
  for (
    const { name, plant } of HOSTILE.filter((one) => one.refused === undefined && !one.damaged)
  ) {
    await using repo = await victim();
    await using program = await evil();
    await plant(repo, program);
    await program.forget();
    const before = await repo.read(".git/config");
    await using tools = await site(repo);
    await tools.call(gitStatus);
    await tools.call(gitDiff);
    await tools.call(gitLog);
    assert.equal(await program.fired(), false, name);
    assert.equal(await repo.read(".git/config"), before, name);
  }
});
