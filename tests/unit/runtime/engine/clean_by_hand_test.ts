/** `svc cleanup`: what nothing needs goes, and what a person, a ticket, a job or a work tree needs stays. */
import assert from "node:assert/strict";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { claimNext, finish } from "svc/features/jobs/job_store.ts";
import { removeUnneeded, unneededIn } from "svc/runtime/engine/clean_by_hand.ts";
import { ownTree } from "svc/runtime/job/job_tree.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  reposIn,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";

const LONG_MS = 72 * 3_600_000;

async function place() {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const { signal } = new AbortController();
  const ports = { ...parts.use(await enginePorts(base.path)), signal };
  const id = await registered(ports, repo.path);
  const [row] = await reposIn(ports)();
  const opened = parts.use(await new RepoOpener(ports).open(row!, ports));
  const branches = async () =>
    (await repo.git("branch", "--list", "--format=%(refname:short)")).trim().split("\n");
  /** A branch with a commit, which a person may merge. */
  const branch = async (name: string, merged: boolean) => {
    await repo.git("checkout", "--quiet", "-b", name);
    await repo.commit(`work of ${name}`, { [`${name.replaceAll("/", "_")}.txt`]: "x\n" });
    await repo.git("checkout", "--quiet", "main");
    if (merged) await repo.git("merge", "--quiet", "--no-ff", "--no-edit", name);
  };
  return { parts, repo, ports, id, opened, branches, branch };
}

Deno.test("merged svc branches go, also those that a person merged; others and unmerged work stay", async () => {
  const { parts, ports, opened, branches, branch } = await place();
  await using _parts = parts;
  await branch("svc/merged-by-hand", true);
  await branch("svc/unmerged", false);
  await branch("feature/mine", true);
  const before = await branches();
  const found = await unneededIn(ports, opened, LONG_MS);
  assert.deepEqual(found, {
    trees: [],
    branches: ["svc/merged-by-hand"],
    remote: [],
    kept: [{ branch: "svc/unmerged", why: "not in main: 1" }],
  });
  assert.deepEqual(await branches(), before, "looking changes nothing");
  assert.deepEqual(await removeUnneeded(ports, opened, LONG_MS), found);
  assert.deepEqual(await branches(), ["feature/mine", "main", "svc/unmerged"]);
});

Deno.test("a merged branch stays while a work tree, an open ticket or a job needs it", async () => {
  const { parts, repo, ports, id, opened, branches, branch } = await place();
  await using _parts = parts;
  await branch("svc/in-a-tree", true);
  const elsewhere = parts.use(await tempFolder());
  await repo.git("worktree", "add", "--quiet", `${elsewhere.path}/tree`, "svc/in-a-tree");
  await branch("svc/of-a-ticket", true);
  const ticket = await ticketed(ports, repo.path);
  const move = { to: "in-progress", actor: "ada", reason: "so" } as const;
  await opened.tickets.move(ticket, { ...move, branch: "svc/of-a-ticket" });
  const { kept, branches: going } = await removeUnneeded(ports, opened, LONG_MS);
  assert.deepEqual(going, []);
  assert.match(kept.map(({ why }) => why).join("; "), /tree has it; T-\d{4} is in-progress/);

  await branch("svc/free", true);
  const job = await queued(ports, id, "qa");
  const waiting = await removeUnneeded(ports, opened, LONG_MS);
  assert.deepEqual(waiting.branches, []);
  assert.match(waiting.kept[0]!.why, /jobs of the repo wait or run/);
  const mine = await claimNext(ports.db, { owner: "x", now: ports.clock.now(), jobId: job.id });
  await finish(ports.db, mine!, { disposition: "submitted" }, ports.clock.now());
  assert.deepEqual((await removeUnneeded(ports, opened, LONG_MS)).branches, ["svc/free"]);
  assert.deepEqual(await branches(), ["main", "svc/in-a-tree", "svc/of-a-ticket"]);
});

Deno.test("a work tree whose time is over goes with its merged branch", async () => {
  const { parts, repo, ports, id, opened, branches } = await place();
  await using _parts = parts;
  const job = await queued(ports, id, "engineer");
  const mine = await claimNext(ports.db, { owner: "x", now: ports.clock.now(), jobId: job.id });
  await finish(ports.db, mine!, { disposition: "submitted" }, ports.clock.now());
  const tree = await ownTree(ports, opened, { jobId: job.id, role: "engineer", ticket: undefined });
  await Deno.writeTextFile(`${tree.root}/work.txt`, "work\n");
  await plainGit(tree.root, ["add", "--all"]);
  await plainGit(tree.root, ["commit", "--quiet", "--message", "work"]);
  tree[Symbol.dispose]();
  await repo.git("merge", "--quiet", tree.ownBranch!);
  const found = await unneededIn(ports, opened, 0);
  assert.deepEqual([found.trees, found.branches], [[tree.root], [tree.ownBranch]]);
  const gone = await removeUnneeded(ports, opened, 0);
  assert.deepEqual([gone.trees, gone.branches], [[tree.root], [tree.ownBranch]]);
  assert.deepEqual(await branches(), ["main"]);
});
