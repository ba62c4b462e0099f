/** Removes work trees that were kept long enough, if the database proves that they are svc's. */
import { Failure } from "svc/core/failure.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import type { Worktree } from "svc/platform/git/worktrees.ts";
import { saveLeftovers } from "svc/runtime/job/leftovers.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { worktreesOf } from "svc/runtime/job/job_tree.ts";

/**
 * Keeps what is not committed; deletes the branch too when all its commits are merged.
 * @returns paths that were removed
 */
export async function cleanUp(ports: RuntimePorts, repo: Repo, keepMs: number): Promise<string[]> {
  const ours = `${worktreesOf(ports, repo)}/`;
  const removed: string[] = [];
  for (const tree of await ports.worktrees.list(repo.git)) {
    if (!tree.path.startsWith(ours) || !await isOver(ports, repo, tree, keepMs)) continue;
    ports.signal.throwIfAborted();
    using _lock = await repo.lock("tidy up work trees");
    // Another job may have taken it meanwhile.
    if (!await isOver(ports, repo, tree, keepMs)) continue;
    try {
      await remove(ports, repo, tree);
      removed.push(tree.path);
    } catch (thrown) {
      // A person must act: git cannot read the tree, or the branch is in use elsewhere.
      const { code, message } = Failure.from(thrown);
      if (code === "internal" || code === "interrupted") throw thrown;
      ports.log.write("warn", message, { path: tree.path });
    }
  }
  return removed;
}

/** True when the job that had it last ended `keepMs` ago. */
async function isOver(
  { db, clock, worktrees }: RuntimePorts,
  repo: Repo,
  { path }: Worktree,
  keepMs: number,
): Promise<boolean> {
  const job = await jobById(db, (await worktrees.mark(repo.git, path)).holder);
  if (job?.repo_id !== repo.id || job.finished_at === null) return false;
  return clock.now() - job.finished_at >= keepMs;
}

async function remove(
  ports: RuntimePorts,
  repo: Repo,
  { path, branch, stale }: Worktree,
): Promise<void> {
  const { holder } = await ports.worktrees.mark(repo.git, path);
  if (!stale) await saveLeftovers(ports, repo, path, holder);
  await ports.worktrees.remove(repo.git, path, { discard: true });
  if (branch?.startsWith("svc/")) {
    await ports.worktrees.deleteMerged(repo.git, branch, repo.baseBranch);
  }
}
