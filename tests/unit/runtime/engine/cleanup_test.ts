import { RepoOpener } from "svc/features/repos/repo.ts";
import assert from "node:assert/strict";
import { newSettlement, recordSettlement, settle } from "svc/features/routing/settlement_store.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
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
  ticketed,
  ticketsOf,
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
  const tree = async (role: string, ended: boolean, ticket?: Ticket): Promise<JobTree> => {
    const job = await queued(ports, id, role, ticket?.id);
    if (ended) {
      const mine = await claimNext(ports.db, { owner: "x", now: ports.clock.now(), jobId: job.id });
      await finish(ports.db, mine!, { disposition: "submitted" }, ports.clock.now());
    }
    const made = parts.use(await ownTree(ports, opened, { jobId: job.id, role, ticket }));
    if (ended) made[Symbol.dispose]();
    return made;
  };
  const commit = async (at: string) => {
    await Deno.writeTextFile(`${at}/work.txt`, "work\n");
    await plainGit(at, ["add", "--all"]);
    await plainGit(at, ["commit", "--quiet", "--message", "work"]);
  };
  /** A ticket whose engineer committed, and ended. */
  const worked = async (state: "done" | "blocked") => {
    const ticket = await ticketed(ports, repo.path);
    const [facts] = await ticketsOf(ports, repo.path);
    const made = await tree("engineer", true, facts!);
    await commit(made.root);
    const unblock = { owner: "ada", action: "Say which" };
    const to = state === "done" ? ["review", "done"] as const : ["blocked"] as const;
    const more = state === "blocked" ? { unblock } : {};
    const move = { reason: "so", actor: "ada" };
    await opened.tickets.move(ticket, { ...move, to: "in-progress" });
    for (const one of to) await opened.tickets.move(ticket, { ...move, to: one, ...more });
    return { root: made.root, branch: made.ownBranch! };
  };
  /** As svc notes a merge that it made, or that a person made another way. */
  const noted = async (branch: string) => {
    const tip = (await repo.git("rev-parse", branch)).trim();
    const now = ports.clock.now();
    const owed = newSettlement({
      ...{ repoId: id, reason: "approved", actor: "agent:qa" },
      merge: { from: branch, into: "main", commit: tip },
    }, now);
    await recordSettlement(ports.db, owed);
    await settle(ports.db, owed.id, { state: "done", outcome: "merged", now });
  };
  const branches = async () => (await repo.git("branch", "--list", "svc/*")).trim();
  return { parts, repo, base, ports, opened, tree, commit, worked, noted, branches };
}

const LONG_MS = 72 * 3_600_000;

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

Deno.test("cleanUp asks once for each branch whether it can go", async () => {
  const { parts, repo, ports, opened, tree, noted, branches } = await place();
  await using _parts = parts;
  const { root, ownBranch: branch } = await tree("engineer", true);
  await repo.git("branch", "svc/alone");
  for (const name of [branch!, "svc/alone"]) await noted(name);
  const asked: string[] = [];
  const { deleteMerged } = ports.worktrees;
  const worktrees = {
    ...ports.worktrees,
    deleteMerged: (...args: Parameters<typeof deleteMerged>) => {
      asked.push(args[1]);
      return deleteMerged(...args);
    },
  };
  assert.deepEqual(await cleanUp({ ...ports, worktrees }, opened, 0), [root]);
  assert.deepEqual(asked, [branch, "svc/alone"]);
  assert.equal(await branches(), "");
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

Deno.test("cleanUp removes no branch that is not svc's with the tree in which a person began it", async () => {
  const { parts, repo, ports, opened, tree } = await place();
  await using _parts = parts;
  const { root } = await tree("engineer", true);
  await plainGit(root, ["switch", "--quiet", "-c", "mine"]);
  assert.deepEqual(await cleanUp(ports, opened, 0), [root]);
  assert.equal((await repo.git("branch", "--list", "mine")).trim(), "mine");
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

Deno.test("the tree of a ticket that is done goes at once, its branch only when svc is known to have merged it", async () => {
  const { parts, repo, ports, opened, worked, branches } = await place();
  await using _parts = parts;
  const { root, branch } = await worked("done");
  assert.deepEqual(await cleanUp(ports, opened, LONG_MS), [root]);
  assert.equal(await branches(), branch);
  await repo.git("merge", "--quiet", branch);
  // Nothing in the database says that svc merged it, and no tree is left that proves it to be svc's.
  assert.deepEqual(await cleanUp(ports, opened, LONG_MS), []);
  assert.equal(await branches(), branch);
});

Deno.test("a branch that a settlement merged goes with the tree or later, as a merge or as a squash", async () => {
  const { parts, repo, ports, opened, worked, noted, branches } = await place();
  await using _parts = parts;
  const { root, branch } = await worked("done");
  await repo.git("merge", "--quiet", "--squash", branch);
  await repo.commit("squashed");
  await noted(branch);
  await repo.git("branch", "svc/other", "main");
  assert.deepEqual(await cleanUp(ports, opened, LONG_MS), [root]);
  assert.equal(await branches(), "svc/other");
  // One that a person had checked out while it was merged.
  await repo.git("switch", "--quiet", "-c", branch);
  await noted(branch);
  await cleanUp(ports, opened, LONG_MS);
  assert.match(await branches(), /svc\/T-0001/);
  await repo.git("switch", "--quiet", "main");
  await cleanUp(ports, opened, LONG_MS);
  assert.equal(await branches(), "svc/other");
});

Deno.test("a branch that went on after its merge stays, with all that is nowhere else", async () => {
  const { parts, repo, ports, opened, worked, noted, commit, branches } = await place();
  await using _parts = parts;
  const { root, branch } = await worked("done");
  await repo.git("merge", "--quiet", branch);
  await noted(branch);
  await Deno.writeTextFile(`${root}/app.txt`, "more\n");
  await commit(root);
  assert.deepEqual(await cleanUp(ports, opened, LONG_MS), [root]);
  assert.equal(await branches(), branch);
  assert.equal(await repo.git("show", `${branch}:app.txt`), "more\n");
});

Deno.test("a tree without a ticket goes once its last commit is merged, and not before", async () => {
  const { parts, ports, opened, tree, noted, commit } = await place();
  await using _parts = parts;
  const { root, ownBranch: branch } = await tree("gardener", true);
  await commit(root);
  await noted(branch!);
  await Deno.writeTextFile(`${root}/app.txt`, "more\n");
  await commit(root);
  assert.deepEqual(await cleanUp(ports, opened, LONG_MS), []);
  await noted(branch!);
  assert.deepEqual(await cleanUp(ports, opened, LONG_MS), [root]);
});

Deno.test("a ticket that is blocked keeps branch and tree, and a tree in use is left to its job", async () => {
  const { parts, ports, opened, worked, branches } = await place();
  await using _parts = parts;
  const { root, branch } = await worked("blocked");
  assert.deepEqual(await cleanUp(ports, opened, LONG_MS), []);
  const held = await ports.worktrees.hold(opened.git, { path: root, job: "of another database" });
  assert.deepEqual(await cleanUp(ports, opened, 0), []);
  assert.ok("lock" in held);
  held.lock[Symbol.dispose]();
  assert.deepEqual(await cleanUp(ports, opened, 0), [root]);
  assert.match(await branches(), new RegExp(branch));
});

Deno.test("cleanUp removes what a killed job left beside its own tree, once that job has ended", async () => {
  const { parts, repo, ports, opened, tree, commit } = await place();
  await using _parts = parts;
  const beside = async (root: string) => {
    const plan = { doing: "look at the base", branch: undefined, start: "main" };
    return await ports.worktrees.add(opened.git, { ...plan, path: `${root}.base` });
  };
  await beside((await tree("engineer", false)).root);
  const over = await beside((await tree("qa", true)).root);
  const alone = await beside((await tree("gardener", true)).root);
  await commit(alone.path); // on no branch, so nowhere else
  assert.deepEqual(await cleanUp(ports, opened, LONG_MS), [over.path]);
  assert.equal((await repo.git("worktree", "list")).trim().split("\n").length, 6);
});
