import assert from "node:assert/strict";
import type { Failure } from "svc/core/failure.ts";
import { denoProcesses, type Processes } from "svc/platform/process/process.ts";
import { evil, HOOKS, submodule } from "tests/fault/hostile_parts.ts";
import { plainGit, tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import { yard } from "tests/unit/platform/worktree_ports.ts";

const refusal = (code: string, message: RegExp) => (failure: Failure) => {
  assert.equal(failure.code, code, String(failure));
  assert.match(failure.message, message);
  return true;
};

const plan = (home: string, more: Partial<Record<"branch" | "start" | "path", string>> = {}) => ({
  doing: "start T-0001",
  path: `${home}/demo/job-1`,
  branch: "svc/T-0001-one",
  start: "main",
  ...more,
});

/** A commit of one empty file, of a name that git would not take itself. */
async function oddCommit(repo: TempRepo, name: string): Promise<string> {
  await using folder = await tempFolder();
  await folder.write("blob", "");
  const blob = await repo.git("hash-object", "-w", `${folder.path}/blob`);
  const entry = new TextEncoder().encode(`100644 ${name}\0`);
  await folder.write("tree", new Uint8Array([...entry, ...Uint8Array.fromHex(blob.trim())]));
  const raw = ["hash-object", "-t", "tree", "-w", "--literally", `${folder.path}/tree`];
  const tree = (await repo.git(...raw)).trim();
  return (await repo.git("commit-tree", "-m", name, tree)).trim();
}

Deno.test("add makes a work tree on a new branch, for its owner only, and takes it again as it is", async () => {
  await using at = await yard({ files: { a: "a\n", "d/b.sh": "b\n", "eol.txt": "x\ny\n" } });
  await at.repo.write(".gitattributes", "eol.txt text eol=crlf\n");
  await Deno.chmod(`${at.repo.path}/d/b.sh`, 0o755);
  const head = await at.repo.commit("more");
  const before = await at.repo.read(".git/config");
  const made = await at.worktrees.add(at.place, plan(at.home));
  const path = `${at.home}/demo/job-1`;
  assert.deepEqual(made, { path, branch: "svc/T-0001-one", head, stale: false });
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o700);
  assert.equal((await Deno.stat(`${at.home}/demo`)).mode! & 0o777, 0o700);
  assert.equal((await plainGit(path, ["status", "--porcelain"])).stdout, "");
  assert.equal(await Deno.readTextFile(`${path}/eol.txt`), "x\r\ny\r\n");
  assert.equal((await Deno.stat(`${path}/d/b.sh`)).mode! & 0o100, 0o100);
  assert.equal(await at.repo.read(".git/config"), before);
  await Deno.writeTextFile(`${path}/a`, "work of an agent\n");
  assert.deepEqual(await at.worktrees.add(at.place, plan(at.home)), made);
  assert.equal(await Deno.readTextFile(`${path}/a`), "work of an agent\n");
  assert.deepEqual(await at.worktrees.list(at.place), [made]);
});

Deno.test("add without a branch holds a commit, as often as asked for, and no ref is made", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  const start = (await at.repo.git("rev-parse", "HEAD")).trim();
  await at.repo.commit("more", { a: "b\n" });
  const refs = await at.repo.git("for-each-ref");
  for (const name of ["one.base", "two.base"]) {
    const path = `${at.home}/demo/${name}`;
    const made = await at.worktrees.add(at.place, {
      ...{ doing: "look at a commit", path, branch: undefined, start },
    });
    assert.deepEqual(made, { path, branch: undefined, head: start, stale: false });
    assert.equal(await Deno.readTextFile(`${path}/a`), "a\n");
    // It is cleaned with the trees of the job that made it.
    assert.equal((await at.worktrees.mark(at.place, path)).holder, name.slice(0, 3));
  }
  assert.equal(await at.repo.git("for-each-ref"), refs);
  const gone = plan(at.home, { path: `${at.home}/demo/three`, start: "0".repeat(40) });
  await assert.rejects(at.worktrees.add(at.place, { ...gone, branch: undefined }));
  await assert.rejects(Deno.stat(gone.path), Deno.errors.NotFound);
});

Deno.test("add checks out a branch that exists, but not one that is checked out elsewhere", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  const id = await at.branch({ b: "b\n" });
  const made = await at.worktrees.add(at.place, plan(at.home, { branch: "svc/work" }));
  assert.equal(made.head, id);
  assert.equal(await Deno.readTextFile(`${made.path}/b`), "b\n");
  const elsewhere = { branch: "svc/work", path: `${at.home}/demo/job-2` };
  await assert.rejects(
    at.worktrees.add(at.place, plan(at.home, elsewhere)),
    refusal("conflict", /"svc\/work" is checked out in .*job-1/),
  );
  await assert.rejects(
    at.worktrees.add(at.place, plan(at.home, { branch: "main", path: `${at.home}/x` })),
    refusal("conflict", /"main" is checked out/),
  );
  await assert.rejects(
    at.worktrees.add(at.place, plan(at.home, { branch: "svc/other" })),
    refusal("conflict", /job-1" holds "svc\/work" already/),
  );
});

Deno.test("add refuses places outside, and folders that hold something else", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  await Deno.symlink(at.repo.path, `${at.home}/link`);
  const places = [at.home, `${at.home}/../out`, "/tmp/svc-out", `${at.home}/link/x`, "job", ""];
  for (const path of places) {
    await assert.rejects(
      at.worktrees.add(at.place, plan(at.home, { path })),
      refusal("refused", /no place for a work tree/),
    );
  }
  await Deno.mkdir(`${at.home}/demo/job-1`, { recursive: true });
  await Deno.writeTextFile(`${at.home}/demo/job-1/note`, "mine");
  await assert.rejects(
    at.worktrees.add(at.place, plan(at.home)),
    refusal("conflict", /is something else/),
  );
  assert.equal(await Deno.readTextFile(`${at.home}/demo/job-1/note`), "mine");
});

Deno.test("add refuses filters, odd names, conditional settings and a branch svc, and leaves nothing behind", async () => {
  const refused = async (
    prepare: (at: Awaited<ReturnType<typeof yard>>) => Promise<unknown>,
    message: RegExp,
  ) => {
    await using at = await yard({ files: { a: "a\n" } });
    await prepare(at);
    await assert.rejects(at.worktrees.add(at.place, plan(at.home)), refusal("refused", message));
    assert.deepEqual([...Deno.readDirSync(at.home)], []);
    assert.equal(await at.repo.git("branch", "--list", "svc/*"), "");
    assert.deepEqual(await at.worktrees.list(at.place), []);
  };
  await refused(
    async (at) => {
      const sub = await submodule(at.repo);
      await at.repo.git("update-index", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
      await at.repo.git("commit", "--quiet", "--message", "bump");
      assert.match(await at.repo.git("-C", sub, "log", "--format=%s"), /sub/);
    },
    /its submodule "sub" lacks the commit 111111111111/,
  );
  await refused((at) => at.repo.git("branch", "svc"), /its branch "svc" leaves git no room/);
  await refused(
    (at) => at.repo.commit("crypt", { ".gitattributes": "*.bin filter=crypt\n", "x.bin": "x" }),
    /"x.bin" goes through the filter "crypt"/,
  );
  await refused(async (at) => {
    await at.repo.commit("binary", { "x.bin": "x" });
    await at.repo.write(".git/info/attributes", "*.bin filter=crypt\n");
  }, /"x.bin" goes through the filter "crypt"/);
  await refused(
    (at) => at.repo.commit("deep", { "d/.gitattributes": "a filter=crypt\n", "d/a": "x" }),
    /"d\/a" goes through the filter "crypt"/,
  );
  await refused(
    async (at) => at.repo.git("update-ref", "HEAD", await oddCommit(at.repo, ".git")),
    /"\.git" is a name that svc cannot check/,
  );
  await refused(
    (at) => at.repo.git("config", "includeIf.onbranch:svc/**.path", "/tmp/none"),
    /includes settings by condition/,
  );
});

Deno.test("add takes back what it made when git does not write the files", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  const id = await oddCommit(at.repo, "git~1");
  await at.repo.git("update-ref", "refs/heads/main", id);
  await at.repo.git("branch", "svc/old", id);
  const invalid = refusal("environment", /invalid path 'git~1'/);
  await assert.rejects(at.worktrees.add(at.place, plan(at.home)), invalid);
  const old = plan(at.home, { branch: "svc/old" });
  await assert.rejects(at.worktrees.add(at.place, old), invalid);
  assert.deepEqual(await at.worktrees.list(at.place), []);
  assert.deepEqual([...Deno.readDirSync(`${at.home}/demo`)], []);
  assert.equal(await at.repo.git("branch", "--list", "svc/*"), "  svc/old\n");
});

Deno.test("add begins at a branch, a tag or a commit, and says when there is none", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  const first = (await at.seen()).head;
  await at.repo.git("tag", "--annotate", "--message", "x", "v1");
  await at.repo.git("tag", "main");
  const second = await at.repo.commit("second");
  const starts = [["main", second], ["v1", first], [first, first], ["HEAD~1", first]] as const;
  for (const [index, [start, head]] of starts.entries()) {
    const named = { start, branch: `svc/${index}`, path: `${at.home}/${index}` };
    assert.equal((await at.worktrees.add(at.place, plan(at.home, named))).head, head);
  }
  await assert.rejects(
    at.worktrees.add(at.place, plan(at.home, { start: "gone" })),
    refusal("conflict", /there is no branch or commit "gone"/),
  );
  const taken = plan(at.home, { start: "gone", branch: "svc/0" });
  await assert.rejects(at.worktrees.add(at.place, taken), refusal("conflict", /is checked out in/));
});

Deno.test("add runs no hook and no filter of a hostile repo", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  await using program = await evil();
  for (const hook of HOOKS) {
    await Deno.copyFile(program.program, `${at.repo.path}/.git/hooks/${hook}`);
  }
  for (const key of ["core.fsmonitor", "filter.x.smudge", "filter.x.process", "hook.x.command"]) {
    await at.repo.git("config", key, program.program);
  }
  await at.repo.git("config", "hook.x.event", "reference-transaction");
  await program.forget();
  const { path } = await at.worktrees.add(at.place, plan(at.home));
  await at.worktrees.remove(at.place, path);
  assert.equal(await program.fired(), false);
  await at.repo.git("worktree", "add", "--quiet", `${at.home}/plain`);
  assert.equal(await program.fired(), true, "plain git should run one of them");
});

Deno.test("add completes what git itself left locked and half made", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  const path = `${at.home}/demo/job-1`;
  const admin = `${at.repo.path}/.git/worktrees/job-1`;
  await Deno.mkdir(admin, { recursive: true });
  await Deno.mkdir(path, { recursive: true });
  await Deno.writeTextFile(`${admin}/locked`, "initializing\n");
  await Deno.writeTextFile(`${admin}/gitdir`, `${path}/.git\n`);
  await Deno.writeTextFile(`${admin}/HEAD`, `${"0".repeat(40)}\n`);
  await Deno.writeTextFile(`${admin}/commondir`, "../..\n");
  await Deno.writeTextFile(`${path}/.git`, `gitdir: ${admin}\n`);
  const made = await at.worktrees.add(at.place, plan(at.home));
  assert.deepEqual(await at.worktrees.list(at.place), [made]);
  assert.equal(await Deno.readTextFile(`${path}/a`), "a\n");
});

Deno.test("remove takes only work trees of svc, and none with work that is not committed", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  const { path } = await at.worktrees.add(at.place, plan(at.home));
  await Deno.writeTextFile(`${path}/new`, "new\n");
  await assert.rejects(
    at.worktrees.remove(at.place, path),
    refusal("conflict", /"new" is not committed/),
  );
  await Deno.remove(`${path}/.git`);
  await assert.rejects(at.worktrees.remove(at.place, path), refusal("conflict", /\.git file/));
  await assert.rejects(
    at.worktrees.add(at.place, plan(at.home)),
    refusal("conflict", /lost its \.git file/),
  );
  await at.worktrees.remove(at.place, path, { discard: true });
  assert.deepEqual(await at.worktrees.list(at.place), []);
  await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  assert.match(await at.repo.git("branch", "--list", "svc/*"), /svc\/T-0001-one/);
  await at.worktrees.remove(at.place, path);

  await at.repo.git("worktree", "add", "--quiet", `${at.repo.path}/mine`);
  for (const other of [`${at.repo.path}/mine`, at.repo.path]) {
    await assert.rejects(
      at.worktrees.remove(at.place, other, { discard: true }),
      refusal("refused", /no place for a work tree/),
    );
  }
  await Deno.mkdir(`${at.home}/stranger`);
  await assert.rejects(
    at.worktrees.remove(at.place, `${at.home}/stranger`, { discard: true }),
    refusal("refused", /has no such work tree/),
  );
});

Deno.test("move takes along what is not committed, and only what is whole, below svc's own folder", async () => {
  await using at = await yard({ files: { a: "a\n", b: "b\n" } });
  const asked = plan(at.home);
  const { path } = await at.worktrees.add(at.place, asked);
  await Deno.writeTextFile(`${path}/a`, "edited\n");
  await Deno.writeTextFile(`${path}/new`, "new\n");
  await Deno.remove(`${path}/b`);
  const to = `${path}-on`;
  await assert.rejects(
    at.worktrees.move(at.place, path, `${at.repo.path}/mine`),
    refusal("refused", /no place for a work tree/),
  );
  assert.equal(await at.worktrees.move(at.place, path, to), true);
  const moved = await at.worktrees.add(at.place, { ...asked, path: to });
  assert.equal(moved.branch, asked.branch);
  assert.deepEqual((await at.worktrees.list(at.place)).map((one) => one.path), [to]);
  assert.equal(await Deno.readTextFile(`${to}/a`), "edited\n");
  assert.equal(await Deno.readTextFile(`${to}/new`), "new\n");
  await assert.rejects(Deno.stat(`${to}/b`), Deno.errors.NotFound);
  await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  // Nothing that is broken or gone is moved.
  assert.equal(await at.worktrees.move(at.place, path, `${path}-2`), false);
  await Deno.remove(`${to}/.git`);
  assert.equal(await at.worktrees.move(at.place, to, path), false);
});

Deno.test("a folder that somebody removed is stale, and add makes it again", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  const { path } = await at.worktrees.add(at.place, plan(at.home));
  await Deno.remove(path, { recursive: true });
  assert.equal((await at.worktrees.list(at.place))[0]?.stale, true);
  await at.worktrees.add(at.place, plan(at.home));
  assert.equal(await Deno.readTextFile(`${path}/a`), "a\n");
});

Deno.test("deleteMerged asks for the branch and for what it is merged into at once", async () => {
  const real = denoProcesses();
  const verbs: (string | undefined)[] = [];
  const run: Processes["run"] = (call) => {
    verbs.push(call.args.find((arg) => /^[a-z]+(-|$)/.test(arg)));
    return real.run(call);
  };
  await using at = await yard({ files: { a: "a\n" } }, { ...real, run });
  await at.repo.git("branch", "svc/work");
  await at.worktrees.list(at.place);
  verbs.length = 0;
  assert.equal(await at.worktrees.deleteMerged(at.place, "svc/work", "main"), true);
  assert.deepEqual(verbs, ["merge-base", "update-ref"]);
  await at.repo.git("branch", "svc/work");
  await assert.rejects(
    at.worktrees.deleteMerged(at.place, "svc/work", "nowhere"),
    refusal("conflict", /no branch or commit "nowhere"/),
  );
});

Deno.test("ahead, patch and deleteMerged tell what a branch holds", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  const id = await at.branch({ b: "b\n" });
  await at.repo.commit("on main", { c: "c\n" });
  const { worktrees, place } = at;
  assert.deepEqual(await worktrees.ahead(place, "svc/work", "main"), [id]);
  await at.repo.git("tag", "release", "main");
  assert.deepEqual(await worktrees.ahead(place, "svc/work", "release"), [id]);
  assert.deepEqual(await worktrees.ahead(place, id, "HEAD"), [id]);
  const patch = await worktrees.patch(place, "svc/work", "main");
  assert.match(patch, /^diff --git a\/b b\/b\n[^]*\+b\n$/);
  assert.doesNotMatch(patch, /a\/c/);
  assert.equal(await worktrees.patch(place, id, "release"), patch);
  assert.equal(await worktrees.deleteMerged(place, "svc/work", "main"), false);
  await at.repo.git("merge", "--quiet", "--no-edit", "svc/work");
  assert.deepEqual(await worktrees.ahead(place, "svc/work", "main"), []);
  await assert.rejects(
    worktrees.deleteMerged(place, "main", "main"),
    refusal("refused", /not one/),
  );
  const made = await worktrees.add(place, plan(at.home, { branch: "svc/work" }));
  await assert.rejects(
    worktrees.deleteMerged(place, "svc/work", "main"),
    refusal("conflict", /job-1" has it checked out/),
  );
  await worktrees.remove(place, made.path);
  assert.equal(await worktrees.deleteMerged(place, "svc/work", "main"), true);
  assert.equal(await at.repo.git("branch", "--list", "svc/*"), "");
  await assert.rejects(
    worktrees.ahead(place, "svc/work", "main"),
    refusal("conflict", /no branch/),
  );
});

Deno.test("tip and addsNothing tell whether anything is left to merge", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  const id = await at.branch({ b: "b\n" });
  const { worktrees, place } = at;
  assert.equal(await worktrees.tip(place, "svc/work"), id);
  assert.equal(await worktrees.tip(place, "svc/none"), undefined);
  assert.equal(await worktrees.addsNothing(place, id, "main"), false);
  await at.repo.git("merge", "--quiet", "--squash", "svc/work");
  await at.repo.git("commit", "--quiet", "-m", "squashed");
  await at.repo.commit("on main", { c: "c\n" });
  assert.equal((await worktrees.ahead(place, id, "main")).length, 1);
  assert.equal(await worktrees.addsNothing(place, id, "main"), true);
  await at.repo.commit("on main", { b: "b\nother\n" });
  const other = await at.branch({ b: "mine\n" }, "svc/other");
  await at.repo.commit("on main", { b: "theirs\n" });
  assert.equal(await worktrees.addsNothing(place, other, "main"), false, "it conflicts");
});
