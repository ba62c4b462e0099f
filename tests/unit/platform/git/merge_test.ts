import assert from "node:assert/strict";
import type { Failure } from "svc/core/failure.ts";
import { evil, HOOKS, submodule } from "tests/fault/hostile_parts.ts";
import { startDoomed } from "tests/kit/doomed.ts";
import { plainGit } from "tests/kit/temp_repo.ts";
import { yard } from "tests/unit/platform/worktree_ports.ts";

const PLAN = {
  doing: "merge T-0001",
  into: "main",
  from: "svc/work",
  message: "merge T-0001: one",
};

const refusal = (code: string, message: RegExp) => (failure: Failure) => {
  assert.equal(failure.code, code, String(failure));
  assert.match(failure.message, message);
  return true;
};

type At = Awaited<ReturnType<typeof yard>>;

/** Nothing of svc is left in the git folder but its lock. */
function left({ repo }: At): string[] {
  return [...Deno.readDirSync(`${repo.path}/.git`)].map(({ name }) => name)
    .filter((name) => name.startsWith("svc") && name !== "svc" && name !== "svc.lock");
}

Deno.test("merge lands as one commit of two parents and keeps the user's other changes", async () => {
  await using at = await yard({
    files: { a: "a\n", gone: "x\n", "deep/er/old": "o\n", b: "b\n", c: "c\n", "run.sh": "r\n" },
  });
  const main = (await at.seen()).head;
  await at.repo.git("checkout", "--quiet", "-b", "svc/work");
  await at.repo.write("a", "A\n");
  await at.repo.write("new/dir/n", "n\n");
  await at.repo.write("tool", "t\n", { executable: true });
  await Deno.chmod(`${at.repo.path}/run.sh`, 0o755);
  await at.repo.git("rm", "--quiet", "gone", "deep/er/old");
  const work = await at.repo.commit("work");
  await at.repo.git("checkout", "--quiet", "main");
  await at.repo.write("b", "staged\n");
  await at.repo.git("add", "b");
  await at.repo.write("b", "staged, then changed\n");
  await at.repo.write("c", "unstaged\n");
  await at.repo.write("untracked", "u\n");
  const before = await at.seen();

  const merged = await at.worktrees.merge(at.place, PLAN);
  assert.equal(merged.kind, "merged");
  const after = await at.seen();
  assert.deepEqual(merged, { kind: "merged", commit: after.head });
  assert.equal(after.status, before.status);
  assert.equal(await at.repo.read("b"), "staged, then changed\n");
  assert.equal(await at.repo.git("show", ":b"), "staged\n");
  assert.equal(
    await at.repo.git("log", "-1", "--format=%P|%s"),
    `${main} ${work}|merge T-0001: one\n`,
  );
  assert.equal(await at.repo.read("new/dir/n"), "n\n");
  assert.equal((await Deno.stat(`${at.repo.path}/tool`)).mode! & 0o111, 0o111);
  assert.equal((await Deno.stat(`${at.repo.path}/run.sh`)).mode! & 0o100, 0o100);
  await assert.rejects(Deno.stat(`${at.repo.path}/deep`), Deno.errors.NotFound);
  assert.match(await at.repo.git("reflog", "-1"), /merge svc\/work: merge T-0001: one/);
  await at.repo.git("fsck", "--strict");
  assert.deepEqual(left(at), []);
  assert.deepEqual(await at.worktrees.merge(at.place, PLAN), { kind: "nothing" });
});

Deno.test("merge of both sides' changes joins them; where they conflict nothing changes", async () => {
  await using at = await yard({ files: { a: "1\n2\n3\n4\n5\n", b: "b\n" } });
  await at.branch({ a: "1\n2\n3\n4\nfive\n" });
  await at.branch({ a: "1\n2\n3\n4\nFIVE\n", b: "B\n" }, "svc/other");
  await at.repo.commit("main", { a: "one\n2\n3\n4\n5\n" });
  assert.equal((await at.worktrees.merge(at.place, PLAN)).kind, "merged");
  assert.equal(await at.repo.read("a"), "one\n2\n3\n4\nfive\n");
  const before = await at.seen();
  const outcome = await at.worktrees.merge(at.place, { ...PLAN, from: "svc/other" });
  assert.deepEqual(outcome, { kind: "conflict", paths: ["a"] });
  assert.deepEqual(await at.seen(), before);
  assert.equal(before.status, "");
});

Deno.test("merge waits for files that hold something uncommitted, ignored ones as well", async () => {
  await using at = await yard({ files: { a: "a\n", ".gitignore": "*.log\n", "d/one": "1\n" } });
  await at.branch({ "a": "A\n", "new": "n\n", "x.log": "theirs\n", "dir/f": "f\n", "d/one": null });
  const dirty = async (...paths: string[]) => {
    const before = await at.seen();
    assert.deepEqual(await at.worktrees.merge(at.place, PLAN), { kind: "dirty", paths });
    assert.deepEqual(await at.seen(), before);
    assert.deepEqual(left(at), []);
  };
  await at.repo.write("a", "mine\n");
  await dirty("a");
  await at.repo.git("add", "a");
  await dirty("a");
  await at.repo.git("reset", "--quiet", "--hard");
  await at.repo.write("new", "mine\n");
  await dirty("new");
  await Deno.remove(`${at.repo.path}/new`);
  await at.repo.write("dir", "a file where a folder is to be\n");
  await dirty("dir");
  await Deno.remove(`${at.repo.path}/dir`);
  await at.repo.write("new/inside", "a folder where a file is to be\n");
  await dirty("new/inside");
  await Deno.remove(`${at.repo.path}/new`, { recursive: true });
  // Forced in: plain git would overwrite what it ignores.
  await at.repo.git("checkout", "--quiet", "svc/work");
  await at.repo.write("x.log", "theirs\n");
  await at.repo.git("add", "--force", "x.log");
  await at.repo.commit("log");
  await at.repo.git("checkout", "--quiet", "main");
  await at.repo.write("x.log", "mine\n");
  await dirty("x.log");
  await Deno.remove(`${at.repo.path}/x.log`);
  assert.equal((await at.worktrees.merge(at.place, PLAN)).kind, "merged");
  assert.equal((await at.seen()).status, "");
});

Deno.test("merge turns a file into a folder and a folder into a file", async () => {
  await using at = await yard({ files: { "f": "f\n", "d/one": "1\n" } });
  await at.repo.git("checkout", "--quiet", "-b", "svc/work");
  await at.repo.git("rm", "--quiet", "-r", "f", "d");
  await at.repo.commit("work", { "f/in": "in\n", "d": "d\n" });
  await at.repo.git("checkout", "--quiet", "main");
  assert.equal((await at.worktrees.merge(at.place, PLAN)).kind, "merged");
  assert.equal(await at.repo.read("f/in"), "in\n");
  assert.equal(await at.repo.read("d"), "d\n");
  assert.equal((await at.seen()).status, "");
});

Deno.test("merge writes line ends as the merged attributes say", async () => {
  await using at = await yard({ files: { "t.txt": "a\nb\n" } });
  await at.branch({ ".gitattributes": "*.txt text eol=crlf\n", "t.txt": "a\nB\n" });
  assert.equal((await at.worktrees.merge(at.place, PLAN)).kind, "merged");
  assert.equal(await at.repo.read("t.txt"), "a\r\nB\r\n");
  assert.equal((await at.seen()).status, "");
});

Deno.test("merge into a branch that is checked out nowhere, or in another work tree", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  await at.branch({ b: "b\n" });
  await at.repo.git("branch", "target");
  const before = await at.seen();
  const merged = await at.worktrees.merge(at.place, { ...PLAN, into: "target" });
  assert.deepEqual(merged, {
    kind: "merged",
    commit: (await at.repo.git("rev-parse", "target")).trim(),
  });
  assert.deepEqual(await at.seen(), before);

  await at.repo.git("branch", "linked");
  await at.repo.git("worktree", "add", "--quiet", `${at.home}/linked`, "linked");
  await Deno.writeTextFile(`${at.home}/linked/a`, "dirty\n");
  assert.equal((await at.worktrees.merge(at.place, { ...PLAN, into: "linked" })).kind, "merged");
  assert.equal(await Deno.readTextFile(`${at.home}/linked/b`), "b\n");
  const { stdout } = await plainGit(`${at.home}/linked`, ["status", "--porcelain"]);
  assert.equal(stdout, " M a\n");
  assert.deepEqual(await at.seen(), before);
});

Deno.test("merge into the checkout of a git folder that lies elsewhere", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  const work = await at.branch({ b: "b\n" });
  await at.repo.git("init", "--quiet", "--separate-git-dir", `${at.home}/git`);
  await at.repo.git("config", "core.worktree", at.repo.path);
  const place = await at.git.open(at.repo.path);
  assert.equal((await at.worktrees.merge(place, PLAN)).kind, "merged");
  assert.equal(await at.repo.read("b"), "b\n");
  assert.equal((await at.repo.git("rev-parse", "HEAD^2")).trim(), work);
  assert.equal((await at.seen()).status, "");
});

Deno.test("merge refuses drivers, links, submodules, and branches in the middle of a rebase", async () => {
  const refused = async (
    code: string,
    message: RegExp,
    prepare: (at: At) => Promise<unknown>,
    into = "main",
  ) => {
    await using at = await yard({
      files: { a: "a\n", l: "l\n", ".gitattributes": "l merge=x\nm merge=x\nbin filter=lfs\n" },
    });
    await prepare(at);
    const before = await at.seen();
    await assert.rejects(at.worktrees.merge(at.place, { ...PLAN, into }), refusal(code, message));
    assert.deepEqual(await at.seen(), before);
    assert.deepEqual(left(at), []);
  };
  const driven = /"l" goes through the merge driver "x"/;
  await refused("refused", driven, async (at) => {
    await at.branch({ l: "theirs\n" });
    await at.repo.commit("ours", { l: "ours\n" });
  });
  await refused("refused", /"m" goes through the merge driver "x"/, async (at) => {
    await at.repo.commit("long", { n: "1\n2\n3\n4\n5\n6\n" });
    await at.branch({ n: null, m: "1\n2\n3\n4\n5\nsix\n" });
    await at.repo.commit("ours", { n: "one\n2\n3\n4\n5\n6\n" });
  });
  await refused(
    "refused",
    /"bin" goes through the filter driver/,
    (at) => at.branch({ bin: "b\n" }),
  );
  await refused("refused", /"link" is a symbolic link/, async (at) => {
    await Deno.symlink("a", `${at.repo.path}/link`);
    await at.branch({});
  });
  await refused("refused", /"sub" is a submodule/, async (at) => {
    await at.repo.git("checkout", "--quiet", "-b", "svc/work");
    await submodule(at.repo);
    await at.repo.git("checkout", "--quiet", "main");
  });
  await refused("refused", /share no commit/, async (at) => {
    await at.repo.git("checkout", "--quiet", "--orphan", "svc/work");
    await at.repo.commit("orphan");
    await at.repo.git("checkout", "--quiet", "main");
  });
  await refused("conflict", /no branch "nowhere"/, (at) => at.branch({}), "nowhere");
  await refused("conflict", /a rebase of "main" is going on/, async (at) => {
    await at.branch({ b: "work\n" });
    await at.branch({ a: "other\n" }, "other");
    await at.repo.commit("main", { a: "main\n" });
    await at.repo.git("rebase", "other").catch(() => {});
  });
});

Deno.test("merge runs no hook and no driver of a hostile repo", async () => {
  await using at = await yard({ files: { a: "1\n2\n3\n4\n5\n" } });
  await using program = await evil();
  await at.branch({ a: "1\n2\n3\n4\nfive\n", n: "n\n" });
  await at.branch({ a: "1\n2\n3\n4\nsix\n" }, "svc/more");
  await at.repo.commit("main", { a: "one\n2\n3\n4\n5\n" });
  for (const hook of [...HOOKS, "pre-merge-commit", "prepare-commit-msg"]) {
    await Deno.copyFile(program.program, `${at.repo.path}/.git/hooks/${hook}`);
  }
  for (
    const key of [
      "core.fsmonitor",
      "merge.x.driver",
      "filter.x.smudge",
      "filter.x.clean",
      "gpg.program",
      "diff.external",
    ]
  ) await at.repo.git("config", key, program.program);
  await at.repo.git("config", "merge.default", "x");
  await at.repo.git("config", "commit.gpgSign", "true");
  await program.forget();
  await assert.rejects(
    at.worktrees.merge(at.place, PLAN),
    refusal("refused", /goes through the merge driver "x"/),
  );
  await at.repo.git("config", "--unset", "merge.default");
  assert.equal((await at.worktrees.merge(at.place, PLAN)).kind, "merged");
  await at.repo.write(".git/info/attributes", "* merge=x filter=x\n");
  await assert.rejects(
    at.worktrees.merge(at.place, { ...PLAN, from: "svc/more" }),
    refusal("refused", /"a" goes through/),
  );
  assert.equal(await program.fired(), false);
  await at.repo.git("merge", "svc/more").catch(() => {});
  assert.equal(await program.fired(), true, "plain git should run one of them");
});

for (
  const [word, when, landed] of [
    ["merge-tree", "before", false],
    ["update-ref", "before", false],
    ["update-ref", "after", true],
    ["update-index", "after", false],
  ] as const
) {
  Deno.test(`merge killed ${when} git's ${word} has ${landed ? "" : "not "}happened after recover`, async () => {
    await using at = await yard({ files: { a: "a\n", gone: "g\n", mine: "m\n" } });
    const work = await at.branch({ "a": "A\n", "gone": null, "d/n": "n\n" });
    await at.repo.write("mine", "changed\n");
    const before = await at.seen();
    {
      const script = new URL("../merge_until.ts", import.meta.url);
      await using doomed = startDoomed(script, at.repo.path, word, when);
      await doomed.printed(1);
      await doomed.kill();
    }
    // What the person commits now must not undo the merge: git refuses, or HEAD is where it was.
    const moved = (await at.seen()).head !== before.head;
    const commit = await plainGit(at.repo.path, ["commit", "--all", "--dry-run", "--short"]);
    assert.ok(!moved || /index\.lock/.test(commit.stderr), commit.stdout + commit.stderr);
    assert.deepEqual(await at.commits.recover(at.place, at.folder), []);
    const { status, head } = await at.seen();
    assert.equal(status, " M mine\n");
    assert.equal(await at.repo.read("mine"), "changed\n");
    assert.equal(head === before.head, !landed);
    assert.deepEqual(left(at), []);
    const outcome = await at.worktrees.merge(at.place, PLAN);
    assert.equal(outcome.kind, landed ? "nothing" : "merged");
    assert.equal(await at.repo.read("d/n"), "n\n");
    assert.equal((await at.repo.git("rev-parse", "HEAD^2")).trim(), work);
    assert.equal((await at.seen()).status, " M mine\n");
  });
}
