/** What a work tree has not committed is kept whole under `refs/svc/leftovers/`; plain git reads it back. */
import assert from "node:assert/strict";
import { within } from "svc/platform/git/leftovers.ts";
import { plainGit } from "tests/kit/temp_repo.ts";
import { yard } from "tests/unit/platform/worktree_ports.ts";

const BRANCH = "svc/T-0001-one";
const LATIN1 = new Uint8Array([0x67, 0x72, 0xfc, 0xdf, 0x65, 0x0a]);
const BINARY = Uint8Array.from({ length: 5 * 1024 * 1024 }, (_, at) => (at * 31) % 256);

const FILES = {
  ".gitignore": "*.log\n",
  "a.txt": "a\n",
  "b.txt": "b\n",
  "gone.txt": "gone\n",
  "flagged.txt": "flagged\n",
  "sub/was-a-file": "x\n",
};

async function site(files: Readonly<Record<string, string>> = FILES) {
  const at = await yard({ files });
  const path = `${at.home}/demo/job-1`;
  await at.worktrees.add(at.place, { doing: "start", path, branch: BRANCH, start: "main" });
  const git = async (...args: string[]) => {
    const { code, stdout, stderr } = await plainGit(path, args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const write = async (name: string, content: string | Uint8Array) => {
    await Deno.mkdir(`${path}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeFile(
      `${path}/${name}`,
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
  };
  const keep = (job = "job-1") => at.worktrees.keep(at.place, { path, job, role: "engineer" });
  const show = async (name: string, ref = "refs/svc/leftovers/job-1") => {
    const { stdout } = await new Deno.Command("git", {
      ...{ args: ["cat-file", "blob", `${ref}:${name}`], cwd: path, stderr: "null" },
    }).output();
    return stdout;
  };
  const text = async (name: string, ref?: string) =>
    new TextDecoder().decode(await show(name, ref));
  return { at, path, git, write, keep, show, text };
}

Deno.test("every sort of change is kept byte for byte, and the tree and its index stay as they are", async () => {
  const { at, path, git, write, keep, show, text } = await site();
  await using _at = at;
  await git("config", "user.name", "Ada");
  await git("config", "commit.gpgSign", "true");
  const hook = `${at.repo.path}/.git/hooks/reference-transaction`;
  await Deno.writeTextFile(hook, `#!/bin/sh\necho ran >> ${at.home}/hooked\n`, { mode: 0o755 });
  await write("a.txt", LATIN1);
  await write("new/binary", BINARY);
  await write("new/run.sh", "#!/bin/sh\n");
  await Deno.chmod(`${path}/new/run.sh`, 0o755);
  await write("odd\nname", "odd\n");
  await Deno.symlink("/etc/hostname", `${path}/link`);
  await Deno.remove(`${path}/gone.txt`);
  await Deno.remove(`${path}/sub`, { recursive: true });
  await write("sub", "a file in place of a folder\n");
  await git("update-index", "--assume-unchanged", "flagged.txt");
  await write("flagged.txt", "edited unseen\n");
  await write("build.log", "ignored\n");
  await write("b.txt", "staged\n");
  await write("only-staged.txt", "only staged\n");
  // The person's hook has to be out of the way of what the test itself does.
  await git("-c", "core.hooksPath=/dev/null", "add", "b.txt", "only-staged.txt");
  await write("b.txt", "then edited\n");
  await Deno.remove(`${path}/only-staged.txt`);
  // Git's own notes about an index change with each look at it.
  const before = [await git("ls-files", "--stage", "-v"), await git("status", "--porcelain")];
  const [index, head] = [
    await Deno.readFile(`${at.repo.path}/.git/worktrees/job-1/index`),
    await git("rev-parse", "HEAD"),
  ];

  const kept = await keep();
  assert.equal(kept!.ref, "refs/svc/leftovers/job-1");
  assert.equal(kept!.base, head.trim());
  assert.deepEqual(await show("a.txt"), LATIN1);
  assert.deepEqual(await show("new/binary"), BINARY);
  assert.equal(await text("odd\nname"), "odd\n");
  assert.equal(await text("link"), "/etc/hostname");
  assert.equal(await text("flagged.txt"), "edited unseen\n");
  assert.equal(await text("b.txt"), "then edited\n");
  assert.equal(await text("b.txt", `${kept!.ref}~1`), "staged\n");
  assert.equal(await text("only-staged.txt", `${kept!.ref}~1`), "only staged\n");
  assert.deepEqual(
    kept!.files.map(({ letter, path }) => `${letter} ${path}`).sort(),
    [
      ...["A link", "A new/binary", "A new/run.sh", "A odd\nname", "A sub", "D gone.txt"],
      ...["D sub/was-a-file", "M a.txt", "M b.txt", "M flagged.txt"],
    ],
  );
  assert.deepEqual(kept!.notes, [
    '"b.txt": staged otherwise; refs/svc/leftovers/job-1~1 has it as staged',
    '"only-staged.txt": staged otherwise; refs/svc/leftovers/job-1~1 has it as staged',
  ]);
  const modes = await git("ls-tree", "-r", kept!.ref);
  assert.match(modes, /^100755 blob \w+\tnew\/run\.sh$/m);
  assert.match(modes, /^120000 blob \w+\tlink$/m);
  assert.doesNotMatch(modes, /build\.log/);
  assert.equal(
    await git("log", "-1", "--format=%an <%ae> %cn <%ce> %G?", kept!.ref),
    "svc <svc@localhost> svc <svc@localhost> N\n",
  );
  await assert.rejects(Deno.stat(`${at.home}/hooked`), Deno.errors.NotFound);
  assert.deepEqual(await Deno.readFile(`${at.repo.path}/.git/worktrees/job-1/index`), index);
  assert.deepEqual(
    [await git("ls-files", "--stage", "-v"), await git("status", "--porcelain")],
    before,
  );
  assert.equal(await git("rev-parse", "HEAD"), head);
});

Deno.test("the files of a nested repo are kept without its history and what it ignores", async () => {
  const { at, path, git, write, keep, text } = await site();
  await using _at = at;
  await write("nested/deep/x.txt", "x\n");
  await write("nested/.gitignore", "*.tmp\n");
  await write("nested/y.tmp", "y\n");
  await git("init", "--quiet", "nested");
  await plainGit(`${path}/nested`, ["add", "--all"]);
  await plainGit(`${path}/nested`, ["commit", "--quiet", "--message", "theirs"]);
  const kept = await keep();
  assert.equal(await text("nested/deep/x.txt"), "x\n");
  assert.deepEqual(kept!.files.map(({ path }) => path), ["nested/.gitignore", "nested/deep/x.txt"]);
  assert.deepEqual(kept!.notes, [
    '"nested": a repo of its own; its files are kept, its history is not',
  ]);
});

Deno.test("a name that is not UTF-8 is kept as it is", async () => {
  const { at, path, git, keep } = await site();
  await using _at = at;
  const script = "printf content > \"$(printf 'gr\\374n')\"";
  await new Deno.Command("sh", { args: ["-c", script], cwd: path }).output();
  const kept = await keep();
  assert.equal(kept!.files.length, 1);
  assert.equal(kept!.files[0]!.usable, false);
  assert.match(await git("ls-tree", kept!.ref), /"gr\\374n"/);
});

Deno.test("what is too much or cannot be read is left out and said; the rest is kept", async () => {
  const { at, path, write, keep, text } = await site();
  await using _at = at;
  await write("a.txt", "edited\n");
  await write("small.txt", "small\n");
  await write("secret.txt", "mode 0\n");
  await Deno.chmod(`${path}/secret.txt`, 0);
  await Deno.truncate(await Deno.makeTempFile({ dir: path, prefix: "huge-" }), 65 * 1024 * 1024);
  const kept = await keep();
  assert.equal(await text("a.txt"), "edited\n");
  assert.equal(await text("small.txt"), "small\n");
  const [huge, unread] = kept!.notes;
  assert.match(
    huge!,
    /^"huge-\w+", 68157440 bytes: 5000 files and 67108864 bytes are kept at most$/,
  );
  // Root reads everything.
  if (Deno.uid() !== 0) assert.equal(unread, '"secret.txt", 7 bytes: git cannot read it');
});

Deno.test("of too many files the changed ones are kept, then the smallest", () => {
  const file = (path: string, size: number, tracked = false) => ({
    ...{ path, usable: true, name: new TextEncoder().encode(path), size, tracked },
  });
  const many = Array.from({ length: 5_000 }, (_, at) => file(`new-${at}`, 10 + at));
  const [kept, over] = within([...many, file("changed", 1_000_000, true)]);
  assert.equal(kept.length, 5_000);
  assert.equal(kept[0]!.path, "changed");
  assert.deepEqual(over.map(({ path }) => path), ["new-4999"]);
});

Deno.test("line ends and encodings that git would refuse to store do not lose a file", async () => {
  const { at, git, write, keep, text } = await site();
  await using _at = at;
  await git("config", "core.autocrlf", "true");
  await git("config", "core.safecrlf", "true");
  await write(".gitattributes", "wide.txt working-tree-encoding=UTF-16\n");
  await write("wide.txt", "not UTF-16\n");
  await write("mixed.txt", "one\r\ntwo\n");
  const kept = await keep();
  assert.deepEqual(kept!.notes, []);
  assert.equal(await text("wide.txt"), "not UTF-16\n");
  assert.equal(await text("mixed.txt"), "one\ntwo\n");
});

Deno.test("nothing to keep makes no ref; the same again makes no second one; something else does", async () => {
  const { at, git, write, keep, text } = await site();
  await using _at = at;
  assert.equal(await keep(), undefined);
  assert.equal(await git("for-each-ref", "refs/svc"), "");
  await write("a.txt", "first\n");
  assert.equal((await keep())!.ref, "refs/svc/leftovers/job-1");
  assert.equal((await keep())!.ref, "refs/svc/leftovers/job-1");
  await write("a.txt", "second\n");
  assert.equal((await keep())!.ref, "refs/svc/leftovers/job-1-2");
  assert.equal(await text("a.txt"), "first\n");
  assert.equal(await text("a.txt", "refs/svc/leftovers/job-1-2"), "second\n");
});

Deno.test("leftovers are found by the branch and the commit at which it ended", async () => {
  const { at, git, write, keep } = await site();
  await using _at = at;
  await write("a.txt", "edited\n");
  const kept = await keep();
  const base = kept!.base!;
  assert.deepEqual(await at.worktrees.leftovers(at.place, { branch: BRANCH, base }), [kept]);
  assert.deepEqual(await at.worktrees.leftovers(at.place, { branch: "svc/other", base }), []);
  await git("commit", "--quiet", "--all", "--message", "on");
  const moved = (await git("rev-parse", "HEAD")).trim();
  assert.deepEqual(await at.worktrees.leftovers(at.place, { branch: BRANCH, base: moved }), []);
});

Deno.test("amid a conflict, and with an index that git cannot read, the files are kept", async () => {
  const { at, git, write, keep, text } = await site();
  await using _at = at;
  await write("a.txt", "ours\n");
  await git("commit", "--quiet", "--all", "--message", "ours");
  await git("checkout", "--quiet", "-b", "other", "HEAD~1");
  await write("a.txt", "theirs\n");
  await git("commit", "--quiet", "--all", "--message", "theirs");
  await git("checkout", "--quiet", BRANCH);
  assert.equal((await plainGit(`${at.home}/demo/job-1`, ["merge", "other"])).code, 1);
  await keep();
  assert.match(await text("a.txt"), /^<<<<<<< HEAD\nours\n=======\ntheirs\n/);

  await Deno.writeTextFile(`${at.repo.path}/.git/worktrees/job-1/index`, "no index");
  await write("b.txt", "after it\n");
  assert.equal((await keep("job-2"))!.ref, "refs/svc/leftovers/job-2");
  assert.equal(await text("b.txt", "refs/svc/leftovers/job-2"), "after it\n");
});

Deno.test("a tree that lost its .git file keeps its files all the same", async () => {
  const { at, path, write, keep } = await site();
  await using _at = at;
  await write("a.txt", "edited\n");
  await Deno.remove(`${path}/.git`);
  assert.deepEqual((await keep())!.files.map(({ path }) => path), ["a.txt"]);
});

Deno.test("putBack leaves the commit, what is ignored, and what was there before", async () => {
  const { at, path, git, write } = await site();
  await using _at = at;
  await write("b.txt", "of the role\n");
  await write("out/kept [1].txt", "of the role\n");
  const spared = ["b.txt", "out/kept [1].txt"];
  await write("a.txt", "by a check\n");
  await write("out/by-a-check", "x\n");
  await write("build.log", "x\n");
  await Deno.remove(`${path}/gone.txt`);
  await write("staged", "x\n");
  await git("add", "staged");
  await git("init", "--quiet", "made-by-a-check");
  await at.worktrees.putBack(at.place, path, spared);
  assert.equal(await git("status", "--porcelain", "-uall"), ' M b.txt\n?? "out/kept [1].txt"\n');
  assert.equal(await Deno.readTextFile(`${path}/build.log`), "x\n");
  await at.worktrees.putBack(at.place, path, []);
  assert.equal(await git("status", "--porcelain"), "");
});

Deno.test("uncommit takes the last commit back and leaves its files, but no other commit", async () => {
  const { at, git, write } = await site();
  await using _at = at;
  const base = await git("rev-parse", "HEAD");
  await write("a.txt", "unfinished\n");
  await git("commit", "--quiet", "--all", "--message", "wip: one");
  const tip = (await git("rev-parse", "HEAD")).trim();
  const path = `${at.home}/demo/job-1`;
  assert.equal(await at.worktrees.uncommit(at.place, path, base.trim()), false);
  assert.equal(await at.worktrees.uncommit(at.place, path, tip), true);
  assert.equal(await git("rev-parse", BRANCH), base);
  assert.equal(await git("diff", "HEAD", "--name-only"), "a.txt\n");
});
