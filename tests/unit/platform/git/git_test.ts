import assert from "node:assert/strict";
import { type Blob, gitOver } from "svc/platform/git/git.ts";
import { gitIn } from "svc/platform/git/call.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { plainGit, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const processes = denoProcesses();
const git = gitOver(processes, { PATH });

const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

/** Creates a file whose name is not UTF-8, which Deno's own calls cannot. */
async function notUtf8(repo: TempRepo) {
  const script = `printf x >"$(printf 'bad\\377')"`;
  const made = new Deno.Command("/bin/sh", { args: ["-c", script], cwd: repo.path });
  assert.equal((await made.output()).code, 0);
}

Deno.test("version is git's own", async () => {
  const { stdout } = await plainGit("/", ["--version"]);
  assert.ok(stdout.startsWith(`git version ${await git.version()}`));
});

Deno.test("version needs git", async () => {
  await using folder = await tempFolder();
  await assert.rejects(gitOver(denoProcesses(), { PATH: folder.path }).version(), {
    code: "environment",
    message: 'Cannot run "git": no such program on PATH',
  });
});

Deno.test("trackedFiles lists each file of the index once, and counts what cannot be opened", async () => {
  await using repo = await tempRepo({ files: { "a b": "1", "é/\n": "2" }, commit: true });
  await notUtf8(repo);
  await repo.git("checkout", "--quiet", "-b", "side");
  await repo.commit("side", { "a b": "side" });
  await repo.git("checkout", "--quiet", "main");
  await repo.commit("main", { "a b": "main" });
  await plainGit(repo.path, ["merge", "side"]);
  const opened = await git.open(repo.path);
  assert.deepEqual(
    (await opened.indexEntries()).filter(({ path }) => path === "a b").map(({ stage }) => stage),
    [1, 2, 3],
  );
  const { paths, skipped } = await opened.trackedFiles();
  assert.deepEqual([paths, skipped], [["a b", "é/\n"], ["bad\ufffd"]]);
});

Deno.test("trackedFiles does not believe the names in a forged index", async () => {
  await using repo = await tempRepo({ files: { "xx/passwd": "1", "a/yyyy/config": "2" } });
  await repo.git("add", "--all");
  const index = latin1(
    [...await Deno.readFile(`${repo.path}/.git/index`)].map((byte) => String.fromCharCode(byte))
      .join("").replace("xx/passwd", "../passwd").replace("xx/", "../").replace("yyyy", ".git"),
  );
  const body = index.subarray(0, -20);
  index.set(new Uint8Array(await crypto.subtle.digest("SHA-1", body)), body.length);
  await Deno.writeFile(`${repo.path}/.git/index`, index);
  const { paths, skipped } = await (await git.open(repo.path)).trackedFiles();
  assert.deepEqual(paths, []);
  assert.deepEqual(skipped.toSorted(), ["../passwd", "a/.git/config"]);
});

Deno.test("listFiles adds what is untracked and not ignored", async () => {
  await using repo = await tempRepo({ files: { a: "1", ".gitignore": "*.log\n" }, commit: true });
  await repo.write("x.log", "");
  await repo.write("new/b", "");
  await repo.git("init", "--quiet", "nested");
  await repo.write("nested/inner", "");
  await notUtf8(repo);
  const { paths, skipped } = await (await git.open(repo.path)).listFiles();
  assert.deepEqual(paths, [".gitignore", "a", "new/b"]);
  assert.deepEqual(skipped.toSorted(), ["bad\ufffd", "nested/"]);
});

Deno.test("stagedFiles lists what the next commit adds or changes", async () => {
  await using repo = await tempRepo({ files: { a: "1", b: "2", c: "3" } });
  const opened = await git.open(repo.path);
  assert.deepEqual((await opened.stagedFiles()).paths, []);
  await repo.git("add", "--all");
  assert.deepEqual((await opened.stagedFiles()).paths, ["a", "b", "c"], "before any commit");
  await repo.commit("first");
  assert.deepEqual((await opened.stagedFiles()).paths, []);
  await repo.write("a", "changed");
  await repo.git("add", "a");
  await repo.write("b", "not staged");
  await repo.git("mv", "c", "renamed");
  await repo.git("rm", "--quiet", "--cached", "b");
  assert.deepEqual((await opened.stagedFiles()).paths, ["a", "renamed"]);
});

Deno.test("catFiles visits objects in order, and bounds what it holds", async () => {
  const large = new Uint8Array(300_000).fill(7);
  await using repo = await tempRepo({ files: { a: "one\n\0two", b: "", large }, commit: true });
  const opened = await git.open(repo.path);
  const oids = (await opened.indexEntries()).map(({ oid }) => oid);
  const seen: Blob[] = [];
  await opened.catFiles([...oids, "0".repeat(40), oids[0]!], async (blob) => {
    await Promise.resolve();
    seen.push(blob);
  }, 200_000);
  const a = { oid: oids[0]!, state: "read", bytes: new TextEncoder().encode("one\n\0two") };
  assert.deepEqual(seen, [
    a,
    { oid: oids[1]!, state: "read", bytes: new Uint8Array() },
    { oid: oids[2]!, state: "too_large", size: 300_000 },
    { oid: "0".repeat(40), state: "unreadable" },
    a,
  ]);
  await assert.rejects(opened.catFiles(oids, () => Promise.reject(new Error("stop"))), /stop/);
  await assert.rejects(opened.catFiles(["HEAD:a"], () => {}), { code: "usage" });
});

Deno.test("status tells branch, head and every change", async () => {
  await using repo = await tempRepo({ files: { a: "1", b: "2", c: "3" } });
  const before = await (await git.open(repo.path)).status();
  assert.deepEqual([before.branch, before.head, before.changes.length], ["main", undefined, 3]);
  const head = await repo.commit("first");
  await repo.write("a", "changed");
  await repo.git("rm", "--quiet", "b");
  await repo.write("new dir/d", "");
  assert.deepEqual(await (await git.open(repo.path)).status(), {
    branch: "main",
    head,
    changes: [
      { kind: "tracked", staged: ".", unstaged: "M", path: "a", usable: true },
      { kind: "tracked", staged: "D", unstaged: ".", path: "b", usable: true },
      { kind: "untracked", staged: ".", unstaged: "?", path: "new dir/d", usable: true },
    ],
  });
});

Deno.test("status does not write the index", async () => {
  await using repo = await tempRepo({ files: { a: "1" }, commit: true });
  await Deno.utime(`${repo.path}/a`, 1, 1); // same content, other time
  const index = () => Deno.readFile(`${repo.path}/.git/index`);
  const before = await index();
  await (await git.open(repo.path)).status();
  assert.deepEqual(await index(), before);
  await repo.git("status");
  assert.notDeepEqual(await index(), before, "plain git does");
});

Deno.test("diff compares work tree, index and a commit", async () => {
  await using repo = await tempRepo({ files: { a: "one\n", b: "1\n" }, commit: true });
  await repo.git("config", "diff.noprefix", "true");
  await repo.git("config", "color.ui", "always");
  await repo.write("a", "staged\n");
  await repo.git("add", "a");
  await repo.write("a", "work\n");
  await repo.write("b", "2\n");
  const opened = await git.open(repo.path);
  const changed = async (query: Parameters<typeof opened.diff>[0]) =>
    (await opened.diff(query)).text.split("\n").filter((line) => /^[-+]\w|^\+\+\+ /.test(line));
  assert.deepEqual(await changed({ paths: ["a"] }), ["+++ b/a", "-staged", "+work"]);
  assert.deepEqual(await changed({ staged: true }), ["+++ b/a", "-one", "+staged"]);
  assert.deepEqual(await changed({ since: "HEAD", paths: ["b"] }), ["+++ b/b", "-1", "+2"]);
  assert.deepEqual((await opened.diffPaths({ since: "HEAD" })).paths, ["a", "b"]);
  assert.deepEqual((await opened.diffPaths({ staged: true })).paths, ["a"]);
  await assert.rejects(opened.diff({ since: "gone" }), { code: "environment" });
});

Deno.test("a diff names a file with the letters that it has", async () => {
  await using repo = await tempRepo({ files: { "über.md": "1\n" }, commit: true });
  await repo.write("über.md", "2\n");
  const { text } = await (await git.open(repo.path)).diff();
  assert.ok(text.startsWith("diff --git a/über.md b/über.md\n"), text);
});

Deno.test("log gives the newest first", async () => {
  await using repo = await tempRepo();
  const opened = await git.open(repo.path);
  assert.deepEqual(await opened.log(), []);
  const first = await repo.commit("feat: é\n\nbody", { a: "1" });
  const second = await repo.commit("second", { b: "1" });
  await repo.git("config", "i18n.logOutputEncoding", "ISO-8859-1");
  const entry = (id: string, subject: string) => ({
    id,
    author: "Ada",
    email: "ada@example.org",
    authored_at: Date.UTC(2026, 0, 2, 3, 4, 5),
    subject,
  });
  assert.deepEqual(await opened.log(), [entry(second, "second"), entry(first, "feat: é")]);
  assert.deepEqual(await opened.log({ max: 1 }), [entry(second, "second")]);
  assert.deepEqual(await opened.log({ ref: "HEAD~1" }), [entry(first, "feat: é")]);
  assert.deepEqual(await opened.log({ paths: ["a"] }), [entry(first, "feat: é")]);
  await assert.rejects(opened.log({ ref: "gone" }), { code: "environment" });
});

Deno.test("remoteUrls tells those of all remotes, however they are called", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  const opened = await git.open(repo.path);
  assert.deepEqual(await opened.remoteUrls(), []);
  await repo.git("remote", "add", "origin", "https://git.example/o/r.git");
  await repo.git("config", "--add", "remote.origin.url", "https://git.example/o/second.git");
  await repo.git("config", "remote.Up.Stream.pushUrl", "ssh://git.example/o/r.git");
  await repo.git("config", "branch.url.remote", "origin");
  assert.deepEqual((await opened.remoteUrls()).toSorted(), [
    "https://git.example/o/r.git",
    "https://git.example/o/second.git",
    "ssh://git.example/o/r.git",
  ]);
});

Deno.test("configGet reads the repo's own value, not the one that svc runs git with", async () => {
  await using repo = await tempRepo();
  const opened = await git.open(repo.path);
  assert.equal(await opened.configGet("core.hooksPath"), undefined);
  await repo.git("config", "core.hooksPath", "my hooks\nsecond line");
  assert.equal(await opened.configGet("core.hooksPath"), "my hooks\nsecond line");
});

Deno.test("every verb refuses a value that git would take for something else", async () => {
  await using repo = await tempRepo({ files: { a: "1" }, commit: true });
  const opened = await git.open(repo.path);
  for (const value of ["--output=/tmp/x", "-n", "a\nb", "ext::sh -c id", "../x", ""]) {
    const calls = [
      () => opened.log({ ref: value }),
      () => opened.log({ paths: [value] }),
      () => opened.diff({ since: value }),
      () => opened.diff({ paths: [value] }),
      () => opened.diffPaths({ since: value }),
      () => opened.forkFrom(value),
      () => opened.configGet(value),
      () => opened.catFiles([value], () => {}),
    ];
    for (const call of calls) await assert.rejects(call, { code: "usage" }, value);
  }
});

Deno.test("a path is never a pattern", async () => {
  await using repo = await tempRepo({ files: { a: "1\n", "*": "1\n" }, commit: true });
  await repo.write("a", "2\n");
  await repo.write("*", "2\n");
  const { text } = await (await git.open(repo.path)).diff({ paths: ["*"] });
  assert.deepEqual(text.match(/^diff .*/gm), ["diff --git a/* b/*"]);
});

Deno.test("a verb is cancelled by its signal", async () => {
  await using repo = await tempRepo();
  const abort = new AbortController();
  const opened = await git.open(repo.path, { signal: abort.signal });
  abort.abort();
  await assert.rejects(opened.status(), { code: "interrupted" });
});

Deno.test("a broken repo is a failure in git's own words, fit to be shown", async () => {
  await using repo = await tempRepo({ files: { a: "1" }, commit: true });
  const opened = await git.open(repo.path);
  await repo.write(".git/index", "no index");
  await assert.rejects(opened.trackedFiles(), {
    code: "environment",
    message: /^Cannot list the files of "[^"]+": git ended with exit code 128: fatal: .*index file/,
  });
  await repo.write(".git/config", '[core "\x1b[31m\n');
  await assert.rejects(opened.status(), (thrown) => {
    assert.match(String(thrown), /^Failure: Cannot read the git settings of /);
    // deno-lint-ignore no-control-regex -- a repo must not reach the terminal
    assert.doesNotMatch(String(thrown), /[\x00-\x1f]/);
    return true;
  });
});

Deno.test("a mutating call refuses folders and files that a filter applies to", async () => {
  await using repo = await tempRepo({
    files: {
      ".gitattributes":
        "*.bin filter=lfs diff=lfs merge=lfs -text\n*.txt text merge=union\n*.m merge=own\n",
      "dir/a.txt": "1",
    },
    commit: true,
  });
  const opened = await git.open(repo.path);
  const call = gitIn({ processes, env: { PATH } }, opened);
  const add = (...paths: string[]) =>
    call({ doing: "add", args: ["add", "--", ...paths], mutates: paths });
  for (const file of ["b.txt", "c.bin", "d.m", "dir/e.bin"]) await repo.write(file, "x");
  const refused = async (message: RegExp, ...paths: string[]) =>
    await assert.rejects(add(...paths), { code: "refused", message });
  await refused(/"c.bin" goes through the filter driver "lfs"$/, "b.txt", "c.bin");
  await refused(/"dir" is a folder$/, "dir");
  await refused(/"\." is a folder$/, ".");
  await assert.rejects(add("../x"), { code: "usage" });
  assert.deepEqual((await opened.stagedFiles()).paths, []);
  // A merge driver has no part in what is stored.
  await add("b.txt", "d.m");
  assert.deepEqual((await opened.stagedFiles()).paths, ["b.txt", "d.m"]);
});

Deno.test("userSetting reads the user's settings, and never a repo's", async () => {
  await using home = await tempFolder();
  await home.write(".gitconfig", "[core]\n\thooksPath = ~/hooks\n");
  const env = { PATH, HOME: home.path };
  const mine = gitOver(denoProcesses(), env);
  assert.equal(await mine.userSetting("core.hooksPath"), `${home.path}/hooks`);
  assert.equal(await mine.userSetting("core.editor"), undefined);
  const none = gitOver(denoProcesses(), { ...env, GIT_CONFIG_GLOBAL: "/dev/null" });
  assert.equal(await none.userSetting("core.hooksPath"), undefined);
});

Deno.test("open with another index reads that one, and refuses one that lies elsewhere", async () => {
  await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  await Deno.copyFile(`${repo.path}/.git/index`, `${repo.path}/.git/next-index-1.lock`);
  await repo.write("b.txt", "b");
  await repo.git("add", "b.txt");
  const own = await git.open(repo.path);
  const other = await git.open(repo.path, { index: ".git/next-index-1.lock" });
  assert.deepEqual((await own.stagedFiles()).paths, ["b.txt"]);
  assert.deepEqual((await other.stagedFiles()).paths, []);
  for (const index of ["/tmp/index", "../index", ".git/../index", "index"]) {
    await assert.rejects(git.open(repo.path, { index }), { code: "refused" });
  }
});

Deno.test("outgoing lists the blobs that no branch of the remote has", async () => {
  await using repo = await tempRepo({ files: { "old.txt": "old" }, commit: true });
  await using bare = await tempFolder();
  await repo.git("init", "--quiet", "--bare", bare.path);
  await repo.git("remote", "add", "origin", bare.path);
  await repo.git("push", "--quiet", "origin", "main");
  await repo.commit("added", { "new dir/ü.txt": "new" });
  const tip = await repo.commit("gone again", { "new dir/ü.txt": "newer" });
  const opened = await git.open(repo.path);
  const found = await opened.outgoing([tip.trim()], "origin");
  assert.deepEqual(found.map(({ path }) => path), ["new dir/ü.txt", "new dir/ü.txt"]);
  assert.equal((await opened.outgoing([tip.trim()], "https://example.invalid/x")).length, 2);
  assert.deepEqual(await opened.outgoing([], "origin"), []);
  await assert.rejects(opened.outgoing(["--all"], "origin"), { code: "usage" });
});
