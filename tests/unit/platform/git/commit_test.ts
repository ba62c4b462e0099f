import assert from "node:assert/strict";
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import type { Failure } from "svc/core/failure.ts";
import { treeOf } from "svc/platform/git/objects.ts";
import { denoProcesses, type Run } from "svc/platform/process/process.ts";
import { evil, HOOKS } from "tests/fault/hostile_parts.ts";
import { tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { commitPorts, ENV } from "tests/unit/platform/commit_ports.ts";

/** What the user sees of a repo: HEAD's files, index, and the state of each other file. */
async function seen(repo: TempRepo) {
  return {
    status: await repo.git("status", "--porcelain", "--untracked-files=all"),
    staged: await repo.git("diff", "--cached"),
    unstaged: await repo.git("diff"),
  };
}

const files = async (repo: TempRepo, commit = "HEAD") =>
  (await repo.git("ls-tree", "-r", "--name-only", commit)).trim().split("\n");

const refusal = (code: string, message: RegExp, remedy: RegExp) => (failure: Failure) => {
  assert.equal(failure.code, code, String(failure));
  assert.match(failure.message, message);
  assert.match(failure.remedy, remedy);
  return true;
};

const PLAN = { doing: "test", message: "chore: one" };

Deno.test("commitPaths takes these files only, and leaves a dirty checkout as it was", async () => {
  await using repo = await tempRepo({
    files: { "a": "a\n", "b": "b\n", "c": "c\n", "gone": "gone\n", "d/e": "e\n" },
    commit: true,
  });
  await repo.write("b", "staged\n");
  await repo.git("add", "b");
  await repo.write("b", "staged, then changed\n");
  await repo.write("c", "unstaged\n");
  await repo.git("rm", "--quiet", "d/e");
  await repo.write("untracked", "untracked\n");
  await repo.write("new/staged", "new\n");
  await repo.git("add", "new/staged");
  const before = await seen(repo);

  await repo.write("a", "A\n");
  await repo.write("deep/er/new", "new\n");
  await Deno.remove(`${repo.path}/gone`);
  using ports = await commitPorts(repo.path);
  const id = await ports.commits.commitPaths(ports.repo, ports.folder, {
    ...PLAN,
    paths: ["a", "deep/er/new", "gone"],
  });

  assert.equal((await repo.git("rev-parse", "HEAD")).trim(), id);
  assert.deepEqual(await seen(repo), before);
  assert.deepEqual(await files(repo), ["a", "b", "c", "d/e", "deep/er/new"]);
  assert.equal(await repo.git("show", "HEAD:a"), "A\n");
  assert.equal(
    await repo.git("log", "--format=%an <%ae>|%cn|%s", "-1"),
    "svc <svc@localhost>|svc|chore: one\n",
  );
  assert.match(await repo.git("reflog", "-1"), /commit: chore: one/);
  await repo.git("fsck", "--strict");
  const left = [...Deno.readDirSync(`${repo.path}/.git`)].map(({ name }) => name);
  assert.deepEqual(left.filter((name) => name.startsWith("svc")), []);
});

Deno.test("commit moves a file in work tree, index and history at once", async () => {
  await using repo = await tempRepo({ files: { "old/t.md": "one\n" }, commit: true });
  using ports = await commitPorts(repo.path);
  const { sha256 } = await ports.folder.read("old/t.md", { maxBytes: 100 });
  await ports.commits.commit(ports.repo, ports.folder, {
    ...PLAN,
    changes: [
      {
        path: "new/t.md",
        bytes: new TextEncoder().encode("two\n"),
        before: null,
        from: "old/t.md",
      },
      { path: "old/t.md", bytes: null, before: sha256 },
    ],
  });
  assert.deepEqual(await files(repo), ["new/t.md"]);
  assert.equal(await repo.read("new/t.md"), "two\n");
  assert.deepEqual(await seen(repo), { status: "", staged: "", unstaged: "" });
});

Deno.test("commitPaths makes the first commit, and none where nothing changed", async () => {
  await using repo = await tempRepo({ files: { a: "a\n", b: "b\n" } });
  await repo.git("add", "b");
  using ports = await commitPorts(repo.path);
  const plan = { ...PLAN, paths: ["a"] };
  const id = await ports.commits.commitPaths(ports.repo, ports.folder, plan);
  assert.deepEqual(await files(repo), ["a"]);
  assert.equal((await seen(repo)).status, "A  b\n");
  assert.equal(await ports.commits.commitPaths(ports.repo, ports.folder, plan), undefined);
  assert.equal(await ports.commits.tip(ports.repo), id);
});

Deno.test("what is too much at once leaves git's index free, also where nothing changed", async () => {
  const paths = ["a", "b", "c", "d"];
  const text = "x".repeat(FILE_WRITE_BYTES);
  const files = Object.fromEntries(paths.map((path) => [path, text]));
  await using repo = await tempRepo({ files, commit: true });
  using ports = await commitPorts(repo.path);
  const plan = { doing: "save", message: "m", paths };
  const refused = { code: "refused", message: /it is too much at once/ };
  await assert.rejects(ports.commits.commitPaths(ports.repo, ports.folder, plan), refused);
  await repo.git("reset", "--quiet");
  for (const path of paths) await repo.write(path, text.replace("x", "y"));
  await assert.rejects(ports.commits.commitPaths(ports.repo, ports.folder, plan), refused);
  await repo.git("add", "a");
});

Deno.test("commit names the user as git does", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await repo.git("config", "user.name", " Ada <evil>\tL. ");
  await repo.git("config", "user.email", "ada@example.org");
  using plain = await commitPorts(repo.path);
  await repo.write("a", "b\n");
  await plain.commits.commitPaths(plain.repo, plain.folder, { ...PLAN, paths: ["a"] });
  assert.equal(await repo.git("log", "-1", "--format=%an|%ae"), "Ada evilL|ada@example.org\n");
  await repo.write("a", "c\n");
  const env = { ...ENV, GIT_AUTHOR_NAME: "Bob", GIT_AUTHOR_EMAIL: "bob@example.org" };
  using other = await commitPorts(repo.path, { env });
  await other.commits.commitPaths(other.repo, other.folder, { ...PLAN, paths: ["a"] });
  assert.equal(await repo.git("log", "-1", "--format=%an|%cn"), "Bob|Ada evilL\n");
});

Deno.test("commit takes no name that would be another line of it", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  using ports = await commitPorts(repo.path);
  const head = await repo.git("rev-parse", "HEAD");
  await repo.write("a", "2\n");
  const email = "ada@example.org";
  for (
    const author of [{ name: "A\nparent 0", email }, { name: "A<b", email }, { name: "", email }]
  ) {
    await assert.rejects(
      ports.commits.commitPaths(ports.repo, ports.folder, { ...PLAN, author, paths: ["a"] }),
      refusal("refused", /^Cannot commit as "/, /without </),
    );
  }
  assert.equal(await repo.git("rev-parse", "HEAD"), head);
  assert.deepEqual((await seen(repo)).status, " M a\n");
});

Deno.test("commit takes from the user's settings what the repo's do not say", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await using home = await tempFolder();
  await home.write("config", '[user]\n\tname = User\n\temail = "old@example.org"\n');
  await home.write("config.d", "[user]\n\temail = user@example.org\n\tname\n");
  const env = { ...ENV, GIT_CONFIG_GLOBAL: `${home.path}/config` };
  using ports = await commitPorts(repo.path, { env });
  const author = async (text: string) => {
    await repo.write("a", text);
    await ports.commits.commitPaths(ports.repo, ports.folder, { ...PLAN, paths: ["a"] });
    return (await repo.git("log", "-1", "--format=%an|%ae")).trim();
  };
  let at = 0;
  const { now } = performance;
  using clock = new DisposableStack();
  clock.defer(() => performance.now = now);
  performance.now = () => at;
  assert.equal(await author("1"), "User|old@example.org");
  await repo.git("config", "user.name", "Mine\nand more");
  assert.equal(await author("2"), "Mineand more|old@example.org");
  await repo.git("config", "user.name", "<>");
  await repo.git("config", "--add", "user.email", "first@example.org");
  await repo.git("config", "--add", "user.email", "last@example.org");
  assert.equal(await author("3"), "User|last@example.org");
  // A setting without a value says nothing; who has no name commits as svc.
  await home.write("config", `[include]\n\tpath = config.d\n`);
  at = 4_999;
  assert.equal(await author("4"), "User|last@example.org", "remembered for five seconds");
  at = 5_000;
  assert.equal(await author("5"), "svc|svc@localhost");
});

Deno.test("commit names author and committer as git does where they have settings of their own", async () => {
  await using home = await tempFolder();
  const lines = ["[user]", "name = User", "email = user@example.org", "[author]", "name = Writer"];
  await home.write("config", `${lines.join("\n")}\n`);
  const env = { ...ENV, GIT_CONFIG_GLOBAL: `${home.path}/config` };
  await using repo = await tempRepo({ files: { a: "one" }, commit: true });
  await repo.git("config", "committer.email", "team@example.org");
  using ports = await commitPorts(repo.path, { env });
  await repo.write("a", "two");
  await ports.commits.commitPaths(ports.repo, ports.folder, { ...PLAN, paths: ["a"] });
  const said = () => repo.git("log", "-1", "--format=%an|%ae|%cn|%ce");
  assert.equal(await said(), "Writer|user@example.org|User|team@example.org\n");
  const ours = await said();
  const plain = { env: { ...env, LC_ALL: "C" }, clearEnv: true, cwd: repo.path };
  const args = ["commit", "--quiet", "--allow-empty", "--message", "by git"];
  assert.ok((await new Deno.Command("git", { ...plain, args }).output()).success);
  assert.equal(await said(), ours);
});

Deno.test("commit asks git five times, however deep the file lies", async () => {
  await using repo = await tempRepo({ files: { "a/b/c": "1\n" }, commit: true });
  await repo.git("config", "user.name", "Ada");
  await repo.git("config", "user.email", "ada@example.org");
  const real = denoProcesses();
  const asked: string[] = [];
  const processes: typeof real = {
    ...real,
    run(command) {
      asked.push(command.args[1]!);
      return real.run(command);
    },
  };
  using ports = await commitPorts(repo.path, { processes });
  await repo.write("a/b/c", "2\n");
  asked.length = 0;
  await ports.commits.commitPaths(ports.repo, ports.folder, { ...PLAN, paths: ["a/b/c"] });
  assert.deepEqual(asked.toSorted(), [
    ...["cat-file", "check-attr", "unpack-objects", "update-index", "update-ref"],
  ]);
});

Deno.test("commit stores many files, new, changed and gone", async () => {
  const names = Array.from({ length: 130 }, (_, at) => `f/${at}`);
  await using repo = await tempRepo({
    files: Object.fromEntries(names.slice(0, 60).map((name) => [name, "old\n"])),
    commit: true,
  });
  for (const name of names.slice(30)) await repo.write(name, `${name}\n`);
  for (const name of names.slice(0, 30)) await Deno.remove(`${repo.path}/${name}`);
  using ports = await commitPorts(repo.path);
  await ports.commits.commitPaths(ports.repo, ports.folder, { ...PLAN, paths: names });
  assert.deepEqual(await seen(repo), { status: "", staged: "", unstaged: "" });
  assert.equal(await repo.git("show", "HEAD:f/129"), "f/129\n");
  assert.equal((await files(repo)).length, 100);
});

Deno.test("commit runs no hook and no driver of a hostile repo", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await using program = await evil();
  for (const hook of HOOKS) {
    await Deno.copyFile(program.program, `${repo.path}/.git/hooks/${hook}`);
  }
  await repo.git("config", "core.fsmonitor", program.program);
  await repo.git("config", "commit.gpgSign", "true");
  await repo.git("config", "gpg.program", program.program);
  await repo.git("config", "filter.x.clean", program.program);
  await repo.git("config", "filter.x.smudge", program.program);
  await repo.write("a", "b\n");
  using ports = await commitPorts(repo.path);
  await ports.commits.commitPaths(ports.repo, ports.folder, { ...PLAN, paths: ["a"] });
  await repo.write(".gitattributes", "* filter=x\n");
  await repo.write("a", "c\n");
  await assert.rejects(
    ports.commits.commitPaths(ports.repo, ports.folder, { ...PLAN, paths: ["a"] }),
    refusal("refused", /"a" goes through the filter driver "x"/, /git itself/),
  );
  assert.equal(await program.fired(), false);
});

Deno.test("commit keeps line ends as the repo's attributes say", async () => {
  await using repo = await tempRepo({ files: { ".gitattributes": "*.md text\n" }, commit: true });
  await repo.write("t.md", "a\r\nb\r\n");
  using ports = await commitPorts(repo.path);
  await ports.commits.commitPaths(ports.repo, ports.folder, { ...PLAN, paths: ["t.md"] });
  assert.equal(await repo.git("show", "HEAD:t.md"), "a\nb\n");
  assert.equal(await repo.read("t.md"), "a\r\nb\r\n");
  assert.equal((await seen(repo)).status, "");
});

Deno.test("commit loses cleanly against another commit", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  const real = denoProcesses();
  let theirs = "";
  // The other commit comes right before HEAD is moved, from a program that needs no index.
  const processes: typeof real = {
    ...real,
    async run(command) {
      if (command.args.includes("update-ref")) {
        const made = await repo.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "theirs");
        theirs = made.trim();
        await repo.git("update-ref", "HEAD", theirs);
      }
      return await real.run(command);
    },
  };
  using ports = await commitPorts(repo.path, { processes });
  const bytes = new TextEncoder().encode("new\n");
  await assert.rejects(
    ports.commits.commit(ports.repo, ports.folder, {
      ...PLAN,
      changes: [{ path: "n", bytes, before: null }],
    }),
    refusal("conflict", /another commit came first/, /again/),
  );
  assert.equal((await repo.git("rev-parse", "HEAD")).trim(), theirs);
  assert.deepEqual(await seen(repo), { status: "", staged: "", unstaged: "" });
  assert.deepEqual(await ports.commits.recover(ports.repo, ports.folder), []);
  assert.equal((await seen(repo)).status, "");
});

Deno.test("commit refuses a detached HEAD, a rebase, and a file that changed", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await repo.git("checkout", "--quiet", "-b", "side");
  await repo.commit("side", { a: "side\n" });
  await repo.git("checkout", "--quiet", "main");
  await repo.commit("main", { a: "main\n" });
  await repo.git("rebase", "side").catch(() => {});
  using ports = await commitPorts(repo.path);
  const plan = { ...PLAN, paths: ["a"] };
  const commit = () => ports.commits.commitPaths(ports.repo, ports.folder, plan);
  await assert.rejects(commit, refusal("conflict", /a rebase is going on/, /rebase --abort/));
  await repo.git("rebase", "--abort");
  await repo.git("checkout", "--quiet", "--detach");
  await assert.rejects(commit, refusal("conflict", /on no branch/, /switch main/));
  await repo.git("checkout", "--quiet", "main");
  const changes = [{ path: "a", bytes: new Uint8Array(), before: "00" }];
  await assert.rejects(
    ports.commits.commit(ports.repo, ports.folder, { ...PLAN, changes }),
    refusal("conflict", /"a" changed since/, /again/),
  );
});

Deno.test("namesEverAdded finds files of all branches, and afterwards only what is new", async () => {
  await using repo = await tempRepo({ files: { "t/one": "1\n", "other": "" }, commit: true });
  await repo.git("mv", "t/one", "t/moved");
  await repo.commit("moved");
  await repo.git("checkout", "--quiet", "-b", "side");
  await repo.commit("side", { "t/side é": "2\n" });
  await repo.git("checkout", "--quiet", "main");
  using ports = await commitPorts(repo.path);
  const first = await ports.commits.namesEverAdded(ports.repo, "t", []);
  assert.deepEqual(first.names.toSorted(), ["t/moved", "t/one", "t/side é"]);
  await repo.commit("more", { "t/more": "3\n" });
  const second = await ports.commits.namesEverAdded(ports.repo, "t", [
    ...first.tips,
    "0123456789012345678901234567890123456789",
  ]);
  assert.deepEqual(second.names, ["t/more"]);
});

Deno.test("commitPaths looks for drivers at every file of many", async () => {
  await using repo = await tempRepo({ files: { ".gitattributes": "z filter=x\n" }, commit: true });
  const paths = [...Array.from({ length: 100 }, (_, at) => `f${at}`), "z"];
  for (const path of paths) await repo.write(path, path);
  using ports = await commitPorts(repo.path);
  const commit = (paths: string[]) =>
    ports.commits.commitPaths(ports.repo, ports.folder, { ...PLAN, paths });
  await assert.rejects(commit(paths), refusal("refused", /"z" goes through/, /git itself/));
  await commit(paths.slice(0, 100));
  assert.equal((await files(repo)).length, 101);
  assert.equal((await seen(repo)).status, "?? z\n");
});

Deno.test("the tree of a commit that svc made is known; that of another is asked for", async () => {
  await using repo = await tempRepo({ files: { "a": "a\n" }, commit: true });
  const real = denoProcesses();
  const asked: string[] = [];
  const processes = {
    ...real,
    run(run: Run) {
      asked.push(...run.args.filter((arg) => arg.endsWith("^{tree}")));
      return real.run(run);
    },
  };
  using ports = await commitPorts(repo.path, { processes });
  const commit = async (content: string) => {
    await repo.write("a", content);
    return await ports.commits.commitPaths(ports.repo, ports.folder, { ...PLAN, paths: ["a"] });
  };
  const tree = (of: string | undefined) =>
    treeOf({ processes, env: { PATH: Deno.env.get("PATH")! } }, ports.repo, "look", of);
  const gits = async (of: string) => (await repo.git("rev-parse", `${of}^{tree}`)).trim();
  const second = (await commit("b\n"))!;
  assert.equal(await tree(second), await gits(second));
  assert.notEqual(await commit("c\n"), second);
  assert.equal(await commit("c\n"), undefined, "nothing changed");
  assert.equal(await tree(second), await gits(second));
  assert.equal(await tree(undefined), undefined);
  assert.deepEqual(asked, []);

  const other = (await repo.commit("a person's")).trim();
  assert.equal(await tree(other), await gits(other));
  assert.deepEqual(asked, [`${other}^{tree}`]);
});
