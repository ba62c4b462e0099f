import { RepoOpener } from "svc/features/repos/repo.ts";
import assert from "node:assert/strict";
import { claimNext, finish } from "svc/features/jobs/job_store.ts";
import { cleanUp } from "svc/runtime/engine/cleanup.ts";
import { type JobTree, ownTree } from "svc/runtime/job/job_tree.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  reposIn,
} from "tests/unit/runtime/engine_place.ts";

/** A repo with a work tree of a job that has ended. */
async function place() {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const ports = {
    ...parts.use(await enginePorts(base.path)),
    signal: new AbortController().signal,
  };
  const id = await registered(ports, repo.path);
  const [row] = await reposIn(ports)();
  const opened = parts.use(await new RepoOpener(ports).open(row!, ports));
  const tree = async (role: string, ended: boolean): Promise<JobTree> => {
    const job = await queued(ports, id, role);
    if (ended) {
      const mine = await claimNext(ports.db, { owner: "x", now: ports.clock.now(), jobId: job.id });
      await finish(ports.db, mine!, { disposition: "submitted" }, ports.clock.now());
    }
    return parts.use(await ownTree(ports, opened, { jobId: job.id, role, ticket: undefined }));
  };
  const commit = async (at: string) => {
    await Deno.writeTextFile(`${at}/work.txt`, "work\n");
    await plainGit(at, ["add", "--all"]);
    await plainGit(at, ["commit", "--quiet", "--message", "work"]);
  };
  return { parts, repo, base, ports, opened, tree, commit };
}

Deno.test("cleanUp removes a work tree that was kept long enough, and its merged branch", async () => {
  const { parts, repo, ports, opened, tree, commit } = await place();
  await using _parts = parts;
  const { root, ownBranch: branch } = await tree("engineer", true);
  await commit(root);
  await repo.git("merge", "--quiet", branch!);
  assert.deepEqual(await cleanUp(ports, opened, 3_600_000), []);
  assert.deepEqual(await cleanUp(ports, opened, 0), [root]);
  assert.equal(await repo.git("branch", "--list", "svc/*"), "");
});

Deno.test("cleanUp keeps a branch that is not merged, and what was not committed", async () => {
  const { parts, repo, ports, opened, tree, commit } = await place();
  await using _parts = parts;
  const { root, ownBranch: branch } = await tree("engineer", true);
  await commit(root);
  await Deno.writeTextFile(`${root}/app.txt`, "not committed\n");
  assert.deepEqual(await cleanUp(ports, opened, 0), [root]);
  assert.equal(await repo.git("show", `${branch}:work.txt`), "work\n");
  const name = root.slice(root.lastIndexOf("/") + 1);
  const kept = `refs/svc/leftovers/${name}`;
  assert.equal(await repo.git("show", `${kept}:app.txt`), "not committed\n");
  assert.match(await repo.git("log", "-1", "--format=%B", kept), /^Svc-Role: engineer$/m);
});

Deno.test("cleanUp leaves work trees of jobs that go on, and those it cannot prove its own", async () => {
  const { parts, repo, base, ports, opened, tree } = await place();
  await using _parts = parts;
  await tree("engineer", false);
  const strange = `${base.path}/home/worktrees/strange`;
  await repo.git("worktree", "add", "--quiet", "-b", "mine", strange);
  const own = (await tree("qa", true)).root;
  const twin = own.replace(/[^/]+$/, "01a1fe93-0000-7000-8000-000000000000");
  await repo.git("worktree", "add", "--quiet", "-b", "svc/twin", twin);
  assert.deepEqual(await cleanUp(ports, opened, 0), [own]);
  assert.equal((await repo.git("worktree", "list")).trim().split("\n").length, 4);
});

Deno.test("cleanUp leaves a work tree in which a later job of its branch works", async () => {
  const { parts, ports, opened, tree } = await place();
  await using _parts = parts;
  const { root, ownBranch: branch } = await tree("engineer", true);
  const { id: jobId } = await queued(ports, opened.id, "qa");
  using taken = await ownTree(ports, opened, {
    ...{ jobId, role: "qa", ticket: undefined, branch: branch! },
  });
  assert.equal(taken.root, root);
  assert.deepEqual(await cleanUp(ports, opened, 0), []);
});
