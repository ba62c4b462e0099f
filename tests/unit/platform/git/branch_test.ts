import assert from "node:assert/strict";
import { leftAt } from "svc/platform/git/branch.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { plainGit, repoIn, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

const git = gitOver(denoProcesses(), { PATH: "/usr/local/bin:/usr/bin:/bin" });
const [SVC, MAIN] = ["refs/heads/svc/x", "refs/heads/main"];

Deno.test("commitsSince tells of each commit who made it and what it left", async () => {
  await using repo = await tempRepo({ files: { a: "1\n", gone: "1\n" }, commit: true });
  await repo.git("switch", "--quiet", "-c", "svc/x");
  await Deno.remove(`${repo.path}/gone`);
  const odd = "é\n:100644 000000 x";
  const first = await repo.commit("two: é\n\n:100644\n\nSvc-Job: j1\nSvc-Role: engineer", {
    a: "2\n",
    [odd]: "1\n",
  });
  const empty = await repo.commit("nothing");
  const commits = await (await git.open(repo.path)).commitsSince(SVC, MAIN);
  assert.deepEqual(commits.map(({ id }) => id), [empty, first]);
  const [last, two] = commits;
  assert.deepEqual([last!.jobs, last!.roles, last!.changed, last!.parents], [[], [], [], [first]]);
  assert.deepEqual([two!.jobs, two!.roles, two!.author], [["j1"], ["engineer"], "Ada"]);
  assert.match(two!.message, /^two: é\n\n:100644\n\nSvc-Job: j1\n/);
  const oid = async (path: string) => (await repo.git("rev-parse", `HEAD:${path}`)).trim();
  assert.deepEqual(
    two!.changed.map((file) => [file.path, file.oid]).sort(),
    [["a", await oid("a")], ["gone", undefined], [odd, await oid(odd)]].sort(),
  );
  assert.deepEqual(await (await git.open(repo.path)).commitsSince(MAIN, SVC), []);
});

Deno.test("commitsSince sees each move of the other branch, be it packed or a symbolic ref", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  const start = (await repo.git("rev-parse", "HEAD")).trim();
  const next = await repo.commit("next", { a: "2\n" });
  const opened = await git.open(repo.path);
  const since = async () => (await opened.commitsSince(next, MAIN)).map(({ id }) => id);
  assert.deepEqual(await since(), []);
  await repo.git("pack-refs", "--all");
  assert.deepEqual(await since(), []);
  await repo.git("update-ref", MAIN, start);
  assert.deepEqual(await since(), [next]);
  await repo.git("update-ref", "refs/heads/other", next);
  await repo.git("symbolic-ref", MAIN, "refs/heads/other");
  assert.deepEqual(await since(), []);
  await repo.git("update-ref", "refs/heads/other", start);
  assert.deepEqual(await since(), [next]);
});

Deno.test("commitsSince tells of a merge only what is like neither side", async () => {
  await using repo = await tempRepo({ files: { a: "1\n", b: "1\n" }, commit: true });
  await repo.git("switch", "--quiet", "-c", "svc/x");
  await repo.commit("ours", { a: "2\n" });
  await repo.git("switch", "--quiet", "main");
  await repo.commit("theirs", { b: "2\n", c: "2\n" });
  await repo.git("switch", "--quiet", "svc/x");
  await repo.git("merge", "--quiet", "--no-commit", "main");
  const merge = await repo.commit("merged", { a: "3\n", d: "3\n" });
  const opened = await git.open(repo.path);
  const [found, ours] = await opened.commitsSince(SVC, MAIN);
  assert.deepEqual([found!.id, found!.parents.length], [merge, 2]);
  const oid = (await repo.git("rev-parse", "HEAD:d")).trim();
  const own = ["a", "d"].map((path) => ({ path, usable: true, oid, mode: "100644" }));
  assert.deepEqual(found!.changed, own);
  assert.deepEqual(ours!.changed.map(({ path }) => path), ["a"]);
  const since = await opened.pathsSince(SVC, MAIN);
  assert.deepEqual(since, [{ path: "a", usable: true }, { path: "d", usable: true }]);
});

Deno.test("leftAt is the one best common commit, or leaves it to git", async () => {
  await using repo = await tempRepo({ files: { a: "1" }, commit: true });
  const tree = (await repo.git("rev-parse", "HEAD^{tree}")).trim();
  const ids = [(await repo.git("rev-parse", "HEAD")).trim()];
  // Every third joins two; the others begin at one of the newest.
  for (let nth = 1; nth < 24; nth++) {
    const parents = [ids[ids.length - 1 - (nth * 7) % Math.min(4, ids.length)]!];
    const other = ids[(nth * 5) % ids.length]!;
    if (nth % 3 === 0 && other !== parents[0]) parents.push(other);
    const args = parents.flatMap((parent) => ["-p", parent]);
    ids.push((await repo.git("commit-tree", "-m", `c${nth}`, ...args, tree)).trim());
  }
  // Two that join the same two, which both are best.
  const [one, two] = [ids[5]!, ids[7]!];
  for (const [first, other] of [[one, two], [two, one]]) {
    const args = ["-p", first!, "-p", other!];
    ids.push((await repo.git("commit-tree", "-m", "join", ...args, tree)).trim());
  }
  const opened = await git.open(repo.path);
  const joined = await opened.commitsSince(ids.at(-1)!, ids.at(-2)!);
  assert.equal(joined.length, 1);
  assert.equal(leftAt(joined), undefined);
  let told = 0;
  for (const [at, from] of ids.entries()) {
    for (const into of ids.filter((_, nth) => (nth + at) % 5 === 0)) {
      const commits = await opened.commitsSince(from, into);
      const base = leftAt(commits);
      if (commits.length === 0 || base === undefined) continue;
      const all = await repo.git("merge-base", "--all", from, into);
      assert.equal(`${base}\n`, all, `${from} and ${into}`);
      told++;
    }
  }
  assert.ok(told > 30, `${told}`);
  assert.equal(leftAt([]), undefined);
});

Deno.test("mergeBase is the commit at which a branch left another, or nothing", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  const left = (await repo.git("rev-parse", "HEAD")).trim();
  await repo.git("switch", "--quiet", "-c", "svc/x");
  const tip = await repo.commit("ours", { a: "2\n" });
  await repo.git("switch", "--quiet", "main");
  await repo.commit("theirs", { b: "2\n" });
  await repo.git("switch", "--quiet", "--orphan", "alone");
  await repo.commit("alone", { c: "2\n" });
  const opened = await git.open(repo.path);
  assert.equal(await opened.mergeBase(SVC, MAIN), left);
  assert.equal(await opened.mergeBase(tip, tip), tip);
  assert.equal(await opened.mergeBase("refs/heads/alone", MAIN), undefined);
  await assert.rejects(opened.mergeBase("--all", MAIN), /as an option/);
});

Deno.test("forkPoint also knows what a rewritten branch was", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  const left = await repo.commit("ours", { a: "2\n" });
  await repo.git("switch", "--quiet", "-c", "svc/x");
  await repo.commit("a job's", { b: "2\n" });
  await repo.git("switch", "--quiet", "main");
  await repo.git("commit", "--quiet", "--amend", "--message", "ours, amended");
  const opened = await git.open(repo.path);
  assert.equal(await opened.forkPoint(SVC, MAIN), left);
  assert.notEqual(await opened.mergeBase(SVC, MAIN), left);
  assert.equal(await opened.forkPoint(SVC, "refs/heads/none"), undefined);
  await assert.rejects(opened.forkPoint("--all", MAIN), /as an option/);
});

Deno.test("filesAt gives the files of a branch by path, and nothing for others", async () => {
  await using repo = await tempRepo({
    files: { a: "1\n", "d/b": "2\n", "*": "3\n", "x y\té": "4\n", ":(top)a": "5\n" },
    commit: true,
  });
  await Deno.symlink("a", `${repo.path}/link`);
  await repo.commit("link");
  const opened = await git.open(repo.path);
  const asked = ["a", "d/b", "d", "*", "x y\té", ":(top)a", "link", "none", "d/none"];
  const found = await opened.filesAt(MAIN, asked);
  assert.deepEqual(found.map(({ path }) => path).sort(), ["*", ":(top)a", "a", "d/b", "x y\té"]);
  for (const { path, oid } of found) {
    assert.equal(oid, (await repo.git("rev-parse", `HEAD:${path}`)).trim());
  }
  assert.deepEqual(await opened.filesAt("refs/heads/none", ["a"]), []);
  assert.deepEqual(await opened.filesAt(MAIN, []), []);
});

Deno.test("commitsSince is misled by no tag, graft, replacement or setting of the repo", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.git("switch", "--quiet", "-c", "svc/x");
  const hidden = await repo.commit("hidden", { key: "1\n" });
  await Deno.remove(`${repo.path}/key`);
  const last = await repo.commit("last", { a: "2\n" });
  await repo.git("tag", "main", last);
  await repo.git("replace", "--graft", last, "refs/heads/main");
  const first = (await repo.git("rev-parse", MAIN)).trim();
  await repo.write(".git/info/grafts", `${last} ${first}\n`);
  const settings = {
    ...{ "log.showRoot": "false", "diff.relative": "true", "diff.renames": "copies" },
    ...{ "log.diffMerges": "off", "diff.noprefix": "true", "log.follow": "true" },
  };
  for (const [key, value] of Object.entries(settings)) await repo.git("config", key, value);
  const commits = await (await git.open(repo.path)).commitsSince(last, MAIN);
  assert.deepEqual(commits.map(({ id }) => id), [last, hidden]);
  assert.deepEqual(commits[1]!.changed.map(({ path }) => path), ["key"]);
});

Deno.test("commitsSince refuses a history that .git/shallow cuts off within the branch, and reads a shallow clone", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.commit("two", { a: "2\n" });
  await using beside = await tempFolder();
  await repo.git("clone", "--quiet", "--depth", "1", `file://${repo.path}`, beside.path);
  const clone = repoIn(beside);
  await clone.git("switch", "--quiet", "-c", "svc/x");
  for (const message of ["hidden", "last"]) await clone.commit(message, { [message]: "1\n" });
  const opened = await git.open(clone.path);
  assert.equal((await opened.commitsSince(SVC, MAIN)).length, 2);
  const last = (await clone.git("rev-parse", "HEAD")).trim();
  const shallow = await Deno.readTextFile(`${clone.path}/.git/shallow`);
  await clone.write(".git/shallow", `${shallow}${last}\n`);
  assert.equal((await clone.git("rev-list", "svc/x", "^main")).trim(), last, "as git sees it");
  await assert.rejects(opened.commitsSince(SVC, MAIN), {
    message: new RegExp(`the history ends early, at commit ${last.slice(0, 12)}$`),
  });
});

/** Lets the graph say that `child` comes from `parent` (gitformat-commit-graph(5)). */
async function forgeGraph(path: string, child: string, parent: string): Promise<void> {
  const bytes = await Deno.readFile(path);
  const view = new DataView(bytes.buffer);
  const chunk = (name: string) => {
    for (let at = 8;; at += 12) {
      if (new TextDecoder().decode(bytes.subarray(at, at + 4)) === name) {
        return Number(view.getBigUint64(at + 4));
      }
    }
  };
  const [ids, data] = [chunk("OIDL"), chunk("CDAT")];
  const positionOf = (id: string) => {
    for (let at = 0;; at++) {
      if (bytes.subarray(ids + at * 20, ids + at * 20 + 20).toHex() === id) return at;
    }
  };
  view.setUint32(data + positionOf(child) * 36 + 20, positionOf(parent));
  await Deno.chmod(path, 0o644);
  await Deno.writeFile(path, bytes);
}

Deno.test("commitsSince believes no commit graph", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  const first = (await repo.git("rev-parse", "HEAD")).trim();
  await repo.git("switch", "--quiet", "-c", "svc/x");
  const hidden = await repo.commit("hidden", { key: "1\n" });
  const last = await repo.commit("last", { a: "2\n" });
  await repo.git("commit-graph", "write", "--reachable");
  await forgeGraph(`${repo.path}/.git/objects/info/commit-graph`, last, first);
  assert.equal((await repo.git("rev-list", "svc/x", "^main")).trim(), last, "as git sees it");
  const commits = await (await git.open(repo.path)).commitsSince(SVC, MAIN);
  assert.deepEqual(commits.map(({ id }) => id), [last, hidden]);
});

Deno.test("commitsSince counts a submodule as a change without content", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.git("switch", "--quiet", "-c", "svc/x");
  const id = (await repo.git("rev-parse", "HEAD")).trim();
  await repo.git("update-index", "--add", "--cacheinfo", `160000,${id},sub`);
  await plainGit(repo.path, ["commit", "--quiet", "--message", "sub"]);
  const [commit] = await (await git.open(repo.path)).commitsSince(SVC, MAIN);
  assert.deepEqual(commit!.changed, [
    { path: "sub", usable: true, oid: undefined, mode: "160000" },
  ]);
});
