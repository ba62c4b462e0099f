import assert from "node:assert/strict";
import { GREP_COUNTED } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { GrepQuery } from "svc/platform/git/grep.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";

async function found(repo: TempRepo, query: GrepQuery): Promise<string[]> {
  const { hits } = await (await gitOver(denoProcesses(), { PATH }).open(repo.path)).grep(query);
  return hits.map(({ path, line, column }) => `${path}:${line}:${column}`);
}

Deno.test("grep finds tracked files, even ignored ones, and new files that are not ignored", async () => {
  await using repo = await tempRepo({
    files: { ".gitignore": "*.log\n", a: "x\n needle\n" },
    commit: true,
  });
  await repo.write("kept.log", "needle\n");
  await repo.git("add", "--force", "kept.log");
  await repo.write("new/é b", "needle needle\n");
  await repo.write("-x", "needle\n");
  await repo.write("other.log", "needle\n");
  assert.deepEqual((await found(repo, { pattern: "needle" })).sort(), [
    "-x:1:1",
    "a:2:2",
    "kept.log:1:1",
    "new/é b:1:1",
  ]);
  assert.deepEqual(await found(repo, { pattern: "needle", paths: ["new"] }), ["new/é b:1:1"]);
  assert.deepEqual(await found(repo, { pattern: "needle", glob: "*.log" }), ["kept.log:1:1"]);
});

Deno.test("grep searches one file whatever it is to git, and by its name alone", async () => {
  await using repo = await tempRepo({
    files: { ".gitignore": "*.log\n", "d/a": "x\n needle\n", "d/b": "needle\n" },
    commit: true,
  });
  const files = {
    "d/new": "needle\n",
    "d/old.log": "needle\n",
    "d/*": "needle\n",
    "d/é b": "needle\n",
  };
  for (const [path, text] of Object.entries(files)) await repo.write(path, text);
  await Deno.symlink("/etc/passwd", `${repo.path}/d/link`);
  for (const [path, at] of [["d/a", "2:2"], ...Object.keys(files).map((path) => [path, "1:1"])]) {
    assert.deepEqual(await found(repo, { pattern: "needle", file: path! }), [`${path}:${at}`]);
  }
  assert.deepEqual(await found(repo, { pattern: "needle", file: "d/a", glob: "*.ts" }), []);
  for (const file of ["d/link", "d/none"]) {
    const hits = await found(repo, { pattern: ".", file }).catch(() => []);
    assert.deepEqual(hits, [], file);
  }
  await assert.rejects(found(repo, { pattern: "(", file: "d/a" }), { code: "usage" });
  await assert.rejects(found(repo, { pattern: ".", file: "../x" }), { code: "usage" });
});

Deno.test("grep does not tell what files hold that a link in place of a folder leads to", async () => {
  await using elsewhere = await tempFolder();
  await elsewhere.write("sub/a", "needle\n");
  await using repo = await tempRepo({
    files: { "d/sub/a": "x\n", "e/sub/a": "x\n", kept: "needle\n" },
    commit: true,
  });
  for (const [link, target] of [["d", elsewhere.path], ["e/sub", `${elsewhere.path}/sub`]]) {
    await Deno.remove(`${repo.path}/${link}`, { recursive: true });
    await Deno.symlink(target!, `${repo.path}/${link}`);
  }
  assert.match(await repo.git("grep", "needle"), /d\/sub\/a:needle/);
  assert.deepEqual(await found(repo, { pattern: "needle" }), ["kept:1:1"]);
  for (const query of [{ paths: ["d", "e"] }, { file: "d/sub/a" }, { file: "e/sub/a" }]) {
    assert.deepEqual(await found(repo, { pattern: "needle", ...query }), []);
  }
  const opened = await gitOver(denoProcesses(), { PATH }).open(repo.path);
  assert.deepEqual([...(await opened.wordCounts(["needle"])).counts.keys()], ["kept"]);
});

Deno.test("grep looks for all untracked files itself when there are many", async () => {
  await using repo = await tempRepo({ files: { a: "needle\n" }, commit: true });
  for (let at = 0; at < 250; at++) await repo.write(`new/${at}`, "needle\n");
  assert.equal((await found(repo, { pattern: "needle" })).length, 251);
  assert.equal(new Set(await found(repo, { pattern: "needle" })).size, 251);
});

Deno.test("grep takes patterns for what they are, whatever they look like", async () => {
  await using repo = await tempRepo({
    files: { a: "--untracked\n$(x)\na.b\naxb\n" },
    commit: true,
  });
  assert.deepEqual(await found(repo, { pattern: "--untracked", fixed: true }), ["a:1:1"]);
  assert.deepEqual(await found(repo, { pattern: "$(x)", fixed: true }), ["a:2:1"]);
  assert.deepEqual(await found(repo, { pattern: "a.b", fixed: true }), ["a:3:1"]);
  assert.deepEqual(await found(repo, { pattern: "a.b" }), ["a:3:1", "a:4:1"]);
  assert.deepEqual(await found(repo, { pattern: "A(?=\\.)", ignoreCase: true }), ["a:3:1"]);
  await assert.rejects(found(repo, { pattern: "x", paths: ["--untracked"] }), Failure);
  assert.deepEqual(
    await found(repo, { pattern: "a.b", paths: ["*"] }),
    [],
    "wildcards are literal",
  );
});

Deno.test("grep tells a pattern that is not valid, or takes too long, from other trouble", async () => {
  await using repo = await tempRepo({ files: { a: `${"a".repeat(60)}!\n` }, commit: true });
  const fault = async (pattern: string) => {
    const thrown = await found(repo, { pattern }).catch((thrown) => thrown);
    assert.ok(thrown instanceof Failure);
    return `${thrown.code}: ${thrown.message}`;
  };
  assert.equal(
    await fault("'x': ("),
    `usage: Cannot search for "'x': (": missing closing parenthesis`,
  );
  assert.match(await fault("a\0b"), /usage: Cannot search for a text of several lines/);
  assert.match(await fault("^(a+)+$"), /failed: .* takes too long to match/);
});

Deno.test("grep is not led astray by settings of the repo", async () => {
  await using repo = await tempRepo({ files: { a: "one\n" }, commit: true });
  const settings = { patternType: "fixed", threads: "100000", column: "false", fullName: "false" };
  for (const [key, value] of Object.entries({ ...settings, fallbackToNoIndex: "true" })) {
    await repo.git("config", `grep.${key}`, value);
  }
  await repo.git("config", "color.grep", "always");
  await repo.git("config", "color.ui", "always");
  assert.deepEqual(await found(repo, { pattern: "o.e$" }), ["a:1:1"]);
  assert.deepEqual(await found(repo, { pattern: "o.e$", file: "a" }), ["a:1:1"]);
  assert.deepEqual(await found(repo, { pattern: "o.e$", paths: ["a"] }), ["a:1:1"]);
});

Deno.test("grep counts no further than its bound", async () => {
  await using repo = await tempRepo({
    files: { a: "x\n".repeat(GREP_COUNTED + 5), b: "x\n" },
    commit: true,
  });
  const git = await gitOver(denoProcesses(), { PATH }).open(repo.path);
  const { hits, complete } = await git.grep({ pattern: "x" });
  assert.deepEqual([hits.length, complete], [GREP_COUNTED, false]);
  assert.equal((await git.grep({ pattern: "x", glob: "b" })).complete, true);
});

Deno.test("grep does without PCRE where git has none", async () => {
  await using repo = await tempRepo({ files: { a: "one\n" }, commit: true });
  await using bin = await tempFolder();
  const fatal = "fatal: cannot use Perl-compatible regexes when not compiled with USE_LIBPCRE";
  const script =
    `#!/bin/sh\nfor word; do [ "$word" = --perl-regexp ] && { echo "${fatal}" >&2; exit 128; }; done\nPATH=${PATH} exec git "$@"\n`;
  await bin.write("git", script, { executable: true });
  const git = await gitOver(denoProcesses(), { PATH: `${bin.path}:${PATH}` }).open(repo.path);
  const { hits, perl } = await git.grep({ pattern: "(one|two)" });
  assert.deepEqual([hits.length, perl], [1, false]);
});
