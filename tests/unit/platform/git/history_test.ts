import assert from "node:assert/strict";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { plainGit, tempRepo } from "tests/kit/temp_repo.ts";

const git = gitOver(denoProcesses(), { PATH: "/usr/local/bin:/usr/bin:/bin" });
const day = (text: string) => Date.parse(`${text}T00:00:00Z`);

/** Commits everything as of a day. */
async function commitOn(path: string, date: string) {
  const env = { GIT_AUTHOR_DATE: `${date}T00:00:00Z`, GIT_COMMITTER_DATE: `${date}T00:00:00Z` };
  await plainGit(path, ["add", "--all"]);
  const { code, stderr } = await plainGit(path, ["commit", "--quiet", "--message", date], { env });
  assert.equal(code, 0, stderr);
}

Deno.test("changes counts the commits of each path since a time", async () => {
  await using repo = await tempRepo({ files: { "é b": "1\n", old: "1\n" } });
  await commitOn(repo.path, "2025-01-01");
  for (const date of ["2025-06-01", "2025-07-01"]) {
    await repo.write("é b", `${date}\n`);
    await commitOn(repo.path, date);
  }
  await repo.git("mv", "old", "new");
  await commitOn(repo.path, "2025-08-01");
  const opened = await git.open(repo.path);
  assert.deepEqual(await opened.changes({ since: day("2025-03-01") }), {
    counts: new Map([["new", 1], ["é b", 2]]),
    complete: true,
    added: new Map(), // "new" was moved, and is as old as "old"
  });
  assert.equal((await opened.changes({ since: 0 })).counts.get("é b"), 3);
});

Deno.test("changes is empty before the first commit", async () => {
  await using repo = await tempRepo({ files: { a: "1" } });
  const opened = await git.open(repo.path);
  assert.deepEqual(await opened.changes({ since: 0 }), {
    counts: new Map(),
    complete: true,
    added: new Map(),
  });
});

Deno.test("changes tells what one commit added and none changed since, as lineTimes dates it", async () => {
  await using repo = await tempRepo({ files: { first: "1\n2\n" } });
  await commitOn(repo.path, "2025-01-01");
  await repo.write("é b.ts", "1\n");
  await repo.write("later", "1\n");
  await commitOn(repo.path, "2025-02-01");
  await repo.write("later", "2\n");
  await commitOn(repo.path, "2025-03-01");
  await repo.git("mv", "first", "moved");
  await repo.write("beside", "1\n");
  await commitOn(repo.path, "2025-04-01");
  const opened = await git.open(repo.path);
  const { added } = await opened.changes({ since: 0 });
  // "first" is gone from HEAD, where whoever asks looks for the content.
  assert.deepEqual([...added.keys()].sort(), ["first", "é b.ts"]);
  const { oid, time } = added.get("é b.ts")!;
  assert.equal(oid, (await repo.git("rev-parse", "HEAD:é b.ts")).trim());
  assert.equal(time, day("2025-02-01"));
  const times = await opened.lineTimes("é b.ts", { lines: [1], since: 0 });
  assert.deepEqual(times, new Map([[1, time]]));
  // In a window that begins after the file was added, nothing is known of it.
  assert.deepEqual((await opened.changes({ since: day("2025-02-15") })).added, new Map());
});

Deno.test("lineTimes dates lines, and puts those from before its time before it", async () => {
  await using repo = await tempRepo({ files: { "é b": "one\ntwo\nthree\n" } });
  await commitOn(repo.path, "2025-01-01");
  await repo.write("é b", "one\ntwo\n3\n");
  await commitOn(repo.path, "2025-06-01");
  await repo.write("é b", "one\n2\n3\n");
  const opened = await git.open(repo.path);
  const since = day("2025-03-01");
  const times = await opened.lineTimes("é b", { lines: [1, 2, 3, 3], since });
  assert.deepEqual([...times.keys()].sort(), [1, 2, 3]);
  assert.ok(times.get(1)! < since);
  assert.equal(times.get(3), day("2025-06-01"));
  assert.ok(times.get(2)! > day("2026-01-01"), "not committed yet: of today");
  assert.deepEqual(await opened.lineTimes("é b", { lines: [], since }), new Map());
});

Deno.test("lineTimes refuses what git does not track, and paths that leave the repo", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.write("new", "1\n");
  const opened = await git.open(repo.path);
  const query = { lines: [1], since: 0 };
  await assert.rejects(opened.lineTimes("new", query), { code: "environment" });
  await assert.rejects(opened.lineTimes("a", { lines: [9], since: 0 }), { code: "environment" });
  await assert.rejects(opened.lineTimes("../a", query), { code: "usage" });
  await assert.rejects(opened.lineTimes("--contents=/etc/passwd", query), { code: "usage" });
});

Deno.test("recentCommits tells subjects and files up to HEAD, and nothing of what came later", async () => {
  await using repo = await tempRepo({ files: { "é b": "1\n", "c.ts": "1\n" }, commit: true });
  await repo.commit("fix: one\n\nbody", { "é b": "2\n", "c.ts": "2\n" });
  const past = (await repo.git("rev-parse", "HEAD")).trim();
  await repo.commit("feat: the future", { "c.ts": "3\n", "later.ts": "1\n" });
  const opened = await git.open(repo.path);
  const all = await opened.recentCommits();
  assert.deepEqual(all, [
    { subject: "feat: the future", files: ["c.ts", "later.ts"] },
    { subject: "fix: one", files: ["c.ts", "é b"] },
  ]);
  await repo.git("checkout", "--quiet", "--detach", past);
  assert.deepEqual(await opened.recentCommits(), all.slice(1));
  await repo.git("checkout", "--quiet", "main");
  assert.equal(await opened.recentCommits(), all, "each HEAD is read once");
});

Deno.test("recentCommits leaves out commits of many files, and is empty before the first", async () => {
  await using repo = await tempRepo({});
  const opened = await git.open(repo.path);
  assert.deepEqual(await opened.recentCommits(), []);
  await repo.commit("first", { a: "1\n" });
  const many = Array.from({ length: 51 }, (_, at) => [`f${at}`, "1\n"]);
  await repo.commit("format all", Object.fromEntries(many));
  await repo.commit("", { a: "2\n" }).catch(() => repo.commit("two", { a: "3\n" }));
  assert.deepEqual((await opened.recentCommits()).map(({ files }) => files), [["a"]]);
});
