/** Removes work trees and branches that have done their work, if the database proves that they are svc's. */
import { Failure } from "svc/core/failure.ts";
import { together } from "svc/core/together.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { mergedAt } from "svc/features/routing/settlement_store.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Worktree } from "svc/platform/git/worktrees.ts";
import { holdTree, worktreesOf } from "svc/runtime/job/job_tree.ts";
import { saveLeftovers } from "svc/runtime/job/leftovers.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

/** Holds a tree while it is removed, as a job would. */
const CLEANER = "clean-up";

/** Branch and the approved commit of its last merge. */
type Merged = ReadonlyMap<string, string>;

/**
 * Trees of tickets that are done go at once, others when nobody worked in them for `keepMs`; what is not
 * committed is kept. A branch goes when all its commits are merged.
 * @returns paths of trees that were removed
 */
export async function cleanUp(ports: RuntimePorts, repo: Repo, keepMs: number): Promise<string[]> {
  const [branches, trees] = await together(
    ports.worktrees.branches(repo.git),
    ports.worktrees.list(repo.git),
  );
  const merged = await mergedAt(ports.db, repo.id, branches.map(({ name }) => name));
  const removed: string[] = [];
  for (const tree of ownOf(ports, repo, trees)) {
    if (await unlessStuck(ports, tree.path, () => retired(ports, repo, { tree, merged, keepMs }))) {
      removed.push(tree.path);
    }
  }
  const current = await repo.branch();
  // The tree was removed, and its branch too where that was possible.
  const settled = [current, ...trees.map(({ branch }) => branch)];
  for (const [branch, commit] of merged) {
    if (settled.includes(branch)) continue;
    await unlessStuck(ports, branch, () => dropBranch(ports, repo, branch, commit));
  }
  const kept = trees.filter(({ path }) => !removed.includes(path)).map(({ branch }) => branch);
  const used = [current, ...kept];
  await unlessStuck(ports, repo.root, () => withdrawMerged(ports, repo, used));
  return removed;
}

/** From the remote of a shared repo. @param used stay */
async function withdrawMerged(
  ports: RuntimePorts,
  repo: Repo,
  used: readonly (string | undefined)[],
): Promise<void> {
  const { shared } = repo;
  if (shared === undefined || ports.remotes === undefined) return;
  const names = (await ports.remotes.handed(repo.git)).filter((name) => !used.includes(name));
  const merged = await mergedAt(ports.db, repo.id, names);
  if (merged.size === 0) return;
  const asked = Array.from(merged, ([name, commit]) => ({ name, merged: commit }));
  for (const { name, why } of await ports.remotes.withdraw(repo.git, shared.remote, asked)) {
    if (why === undefined) continue;
    ports.log.write("warn", `${name} stays at the remote: ${why}`, { repo: repo.root });
  }
}

function ownOf(ports: RuntimePorts, repo: Repo, trees: readonly Worktree[]): Worktree[] {
  const ours = `${worktreesOf(ports, repo)}/`;
  return trees.filter(({ path }) => path.startsWith(ours));
}

/** Work trees that `cleanUp` would remove and in which nobody works; changes nothing. */
export async function overTrees(
  ports: RuntimePorts,
  repo: Repo,
  keepMs: number,
): Promise<string[]> {
  const names = (await ports.worktrees.branches(repo.git)).map(({ name }) => name);
  const merged = await mergedAt(ports.db, repo.id, names);
  const over: string[] = [];
  for (const tree of ownOf(ports, repo, await ports.worktrees.list(repo.git))) {
    if (await isOver(ports, repo, { tree, merged, keepMs })) over.push(tree.path);
  }
  return over;
}

/** Called at the end of a job, which does not fail when the clean-up does: the hourly round tries again. */
export async function cleanUpAfter(
  ports: RuntimePorts,
  repo: Repo,
  keepMs: number,
): Promise<string[]> {
  try {
    return await cleanUp(ports, repo, keepMs);
  } catch (thrown) {
    if (ports.signal.aborted) return [];
    const why = Failure.from(thrown).message;
    ports.log.write("warn", "work trees were not cleaned up", { why, cause: thrown });
    return [];
  }
}

/**
 * If a person must act first, for example on a branch that they have checked out, the other branches are still
 * cleaned up.
 */
async function unlessStuck<T>(
  { signal, log }: RuntimePorts,
  what: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  signal.throwIfAborted();
  try {
    return await work();
  } catch (thrown) {
    const { code, message } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted") throw thrown;
    log.write("warn", message, { what });
    return undefined;
  }
}

interface Candidate {
  readonly tree: Worktree;
  readonly merged: Merged;
  readonly keepMs: number;
}

async function retired(ports: RuntimePorts, repo: Repo, asked: Candidate): Promise<boolean> {
  if (!await isOver(ports, repo, asked)) return false;
  const { path, branch, stale } = asked.tree;
  using _lock = await repo.lock("tidy up work trees");
  const held = await holdTree(ports, repo, { path, job: CLEANER });
  if (!("lock" in held)) return false;
  using _held = held.lock;
  // Another job may have taken it meanwhile.
  if (!await isOver(ports, repo, asked)) return false;
  const { holder } = await ports.worktrees.mark(repo.git, path);
  if (!stale) await saveLeftovers(ports, repo, path, holder);
  await ports.worktrees.retire(repo.git, path);
  if (branch?.startsWith("svc/")) {
    const commit = asked.merged.get(branch);
    await ports.worktrees.deleteMerged(repo.git, branch, repo.baseBranch, commit);
  }
  return true;
}

/** True when its last job has ended, and its ticket is done, its work merged, or its time over. */
async function isOver(
  { db, clock, worktrees }: RuntimePorts,
  repo: Repo,
  { tree: { path, branch, head }, merged, keepMs }: Candidate,
): Promise<boolean> {
  const job = await jobById(db, (await worktrees.mark(repo.git, path)).holder);
  if (job?.repo_id !== repo.id || job.finished_at === null) return false;
  if (clock.now() - job.finished_at >= keepMs) return true;
  // The tree is on no branch: tree_at.ts made it for commands that look at a commit, unless a role left its
  // branch.
  if (branch === undefined) {
    return (await worktrees.ahead(repo.git, head, repo.baseBranch)).length === 0;
  }
  if (job.ticket_id === null) return merged.get(branch) === head;
  const { tickets } = await repo.tickets.list();
  return tickets.some(({ id, state }) => id === job.ticket_id && state === "done");
}

/** Where all its commits are merged. @param commit the one that was merged another way, such as by a squash */
export async function dropBranch(
  { worktrees }: RuntimePorts,
  repo: Repo,
  branch: string,
  commit: string | undefined,
): Promise<void> {
  using _lock = await repo.lock("tidy up branches");
  await worktrees.deleteMerged(repo.git, branch, repo.baseBranch, commit);
}
