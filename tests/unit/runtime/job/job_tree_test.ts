/** The work tree that a job gets, and what it finds there. */
import assert from "node:assert/strict";
import type { Failure } from "svc/core/failure.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { inheritTree, ownTree } from "svc/runtime/job/job_tree.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { enginePorts } from "tests/unit/runtime/engine_place.ts";

async function place() {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await tempRepo({ files: { "app.txt": "one\n" }, commit: true }));
  const base = parts.use(await tempFolder());
  const ports = {
    ...parts.use(await enginePorts(base.path)),
    signal: new AbortController().signal,
  };
  const facts = { id: "demo", path: repo.path, branch: "main", remote: null, host: null };
  const opened = parts.use(await new RepoOpener(ports).open(facts, ports));
  const treeOf = async (jobId: string, branch?: string) =>
    parts.use(
      await ownTree(ports, opened, {
        ...{ jobId, role: "engineer", ticket: undefined },
        ...(branch && { branch }),
      }),
    );
  return { parts, repo, base, ports, opened, treeOf };
}

Deno.test("a job gets the work tree of an ended one on its branch, whose leftovers are kept aside", async () => {
  const { parts, repo, treeOf } = await place();
  await using _parts = parts;
  const first = await treeOf("job-1");
  assert.equal(first.given, (await repo.git("rev-parse", "main")).trim());
  await plainGit(first.root, ["commit", "--quiet", "--allow-empty", "--message", "work"]);
  await Deno.writeTextFile(`${first.root}/app.txt`, "not committed\n");
  const again = await treeOf("job-1", first.ownBranch);
  assert.equal(again.root, first.root);
  assert.equal(await Deno.readTextFile(`${first.root}/app.txt`), "not committed\n");

  for (const ended of [first, again]) ended[Symbol.dispose]();
  const second = await treeOf("job-2", first.ownBranch);
  assert.equal(second.ownBranch, first.ownBranch);
  assert.equal(second.given, (await repo.git("rev-parse", first.ownBranch!)).trim());
  assert.equal(second.given, again.given);
  assert.equal(second.root, first.root);
  assert.equal(await Deno.readTextFile(`${second.root}/app.txt`), "one\n");
  const kept = (job: string) => repo.git("show", `refs/svc/leftovers/${job}:app.txt`);
  assert.equal(await kept("job-1"), "not committed\n");

  // Its own changes stay for another attempt of it, and are kept under its name for the next job.
  await Deno.writeTextFile(`${first.root}/app.txt`, "of the second\n");
  second[Symbol.dispose]();
  const anew = await treeOf("job-2", first.ownBranch);
  assert.equal(await Deno.readTextFile(`${second.root}/app.txt`), "of the second\n");
  anew[Symbol.dispose]();
  await treeOf("job-3", first.ownBranch);
  assert.equal(await kept("job-2"), "of the second\n");
  assert.equal(await kept("job-1"), "not committed\n");
});

Deno.test("a tree that cannot go on is replaced, and its leftovers are kept", async () => {
  const { parts, repo, treeOf } = await place();
  await using _parts = parts;
  const first = await treeOf("job-1");
  await Deno.writeTextFile(`${first.root}/app.txt`, "amid a merge\n");
  await Deno.writeTextFile(
    `${repo.path}/.git/worktrees/job-1/MERGE_HEAD`,
    await repo.git("rev-parse", "main"),
  );
  first[Symbol.dispose]();
  const second = await treeOf("job-2", first.ownBranch);
  assert.notEqual(second.root, first.root);
  await assert.rejects(Deno.stat(first.root), Deno.errors.NotFound);
  assert.equal(await repo.git("show", "refs/svc/leftovers/job-1:app.txt"), "amid a merge\n");
});

Deno.test("a resumed job takes the tree of the one before it along, from whichever job it has the name", async () => {
  const { parts, opened, ports, treeOf } = await place();
  await using _parts = parts;
  const { ownBranch, ...first } = await treeOf("job-1");
  first[Symbol.dispose]();
  const { root, ...second } = await treeOf("job-2", ownBranch);
  await Deno.writeTextFile(`${root}/app.txt`, "half\n");
  second[Symbol.dispose]();
  await inheritTree(ports, opened, { from: ["job-2"], to: "job-3" });
  const third = await treeOf("job-3", ownBranch);
  assert.equal(await Deno.readTextFile(`${third.root}/app.txt`), "half\n");
  const { holder } = await ports.worktrees.mark(opened.git, third.root);
  assert.equal(holder, "job-3");
});

Deno.test("a job does not take a branch that somebody has checked out elsewhere", async () => {
  const { parts, repo, base, treeOf } = await place();
  await using _parts = parts;
  const mine = `${base.path}/mine`;
  await repo.git("worktree", "add", "--quiet", "-b", "svc/mine", mine);
  await assert.rejects(treeOf("job-1", "svc/mine"), (failure: Failure) => {
    assert.equal(failure.code, "conflict");
    assert.match(failure.message, /"svc\/mine" is checked out in ".*\/mine"/);
    return true;
  });
  assert.equal((await Deno.stat(mine)).isDirectory, true);
});

for (
  const [whose, id, inTheirs] of [
    ["of another database", "demo", false],
    ["of another work tree of the repo", "linked", true],
  ] as const
) {
  Deno.test(`the tree of a job ${whose} is left as it is while that job lives, and taken then`, async () => {
    const { parts, repo, base, treeOf } = await place();
    await using _parts = parts;
    const first = await treeOf("job-1");
    await Deno.writeTextFile(`${first.root}/app.txt`, "not committed\n");
    const path = inTheirs ? `${base.path}/linked` : repo.path;
    if (inTheirs) await repo.git("worktree", "add", "--quiet", "-b", "linked", path);
    const other = await enginePorts(base.path, { database: `${base.path}/other.db` });
    await using _other = other;
    const ports = { ...other, signal: new AbortController().signal };
    const facts = { id, path, branch: "main", remote: null, host: null };
    using opened = await new RepoOpener(ports).open(facts, ports);
    const asked = { jobId: "job-2", role: "engineer", ticket: undefined };
    const take = () => ownTree(ports, opened, { ...asked, branch: first.ownBranch! });
    await assert.rejects(take(), (failure: Failure) => {
      assert.deepEqual([failure.code, failure.detail.waits], ["conflict", true]);
      const said = /another svc works on svc\/engineer-job-1 in ".*job-1" \(process \d+, since /;
      assert.match(failure.message, said);
      return true;
    });
    assert.equal(await Deno.readTextFile(`${first.root}/app.txt`), "not committed\n");
    first[Symbol.dispose]();
    using second = await take();
    assert.equal(second.root === first.root, !inTheirs);
    assert.equal(await Deno.readTextFile(`${second.root}/app.txt`), "one\n");
    const kept = await repo.git("show", "refs/svc/leftovers/job-1:app.txt");
    assert.equal(kept, "not committed\n");
  });
}
