/** The work trees of a repo that was moved, or copied; git itself reads what was mended. */
import assert from "node:assert/strict";
import type { Failure } from "svc/core/failure.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { ownTree } from "svc/runtime/job/job_tree.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { worktreePorts, yard } from "tests/unit/platform/worktree_ports.ts";
import { enginePorts } from "tests/unit/runtime/engine_place.ts";

const plan = (home: string) => ({
  ...{ doing: "start T-0001", path: `${home}/demo/job-1` },
  ...{ branch: "svc/T-0001-one", start: "main" },
});

async function copied(from: string, to: string): Promise<void> {
  const { success } = await new Deno.Command("cp", { args: ["-a", from, to] }).output();
  assert.ok(success);
}

Deno.test("the trees of a repo that was moved are its own again, with what is in them", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  await using elsewhere = await tempFolder();
  const { path } = await at.worktrees.add(at.place, plan(at.home));
  await Deno.writeTextFile(`${path}/a`, "work of an agent\n");
  const moved = `${elsewhere.path}/renamed`;
  await Deno.rename(at.repo.path, moved);
  using there = await worktreePorts(moved, at.home);
  await there.worktrees.list(there.repo);
  const status = await plainGit(path, ["status", "--porcelain"]);
  assert.equal(status.stdout, " M a\n", status.stderr);
  assert.equal((await plainGit(path, ["branch", "--show-current"])).stdout, "svc/T-0001-one\n");
  const mended = await Deno.readTextFile(`${path}/.git`);
  await plainGit(moved, ["worktree", "repair"]);
  assert.equal(await Deno.readTextFile(`${path}/.git`), mended);
  await Deno.rename(moved, at.repo.path);
});

Deno.test("a copy of a repo does not take the trees of the original", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  await using elsewhere = await tempFolder();
  const { path } = await at.worktrees.add(at.place, plan(at.home));
  const before = await Deno.readTextFile(`${path}/.git`);
  await copied(at.repo.path, `${elsewhere.path}/copy`);
  using there = await worktreePorts(`${elsewhere.path}/copy`, at.home);
  await there.worktrees.list(there.repo);
  assert.equal(await Deno.readTextFile(`${path}/.git`), before);
  await assert.rejects(there.worktrees.add(there.repo, plan(at.home)), (failure: Failure) => {
    assert.equal(failure.code, "conflict");
    return true;
  });
});

Deno.test("a job in a repo that was moved gets its branch", async () => {
  await using repo = await tempRepo({ files: { "app.txt": "one\n" }, commit: true });
  await using base = await tempFolder();
  await using parts = await enginePorts(base.path);
  const ports = { ...parts, signal: new AbortController().signal };
  const treeAt = async (path: string, id: string, jobId: string) => {
    const facts = { id, path, branch: "main", remote: null, host: null };
    using opened = await new RepoOpener(ports).open(facts, ports);
    using tree = await ownTree(ports, opened, {
      ...{ jobId, role: "engineer", ticket: undefined, branch: "svc/T-0001-one" },
    });
    return tree.root;
  };
  const first = await treeAt(repo.path, "before", "job-1");
  await plainGit(first, ["commit", "--quiet", "--allow-empty", "--message", "work"]);
  await Deno.writeTextFile(`${first}/app.txt`, "not committed\n");
  const moved = `${base.path}/renamed`;
  await Deno.rename(repo.path, moved);
  const second = await treeAt(moved, "after", "job-2");
  assert.equal((await plainGit(second, ["log", "-1", "--format=%s"])).stdout, "work\n");
  await Deno.rename(moved, repo.path);
});
