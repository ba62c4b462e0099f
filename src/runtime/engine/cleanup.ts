/** Removes work trees that have been kept long enough, where the database proves that they are svc's. */
import { Failure } from "svc/core/failure.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import type { Worktree } from "svc/platform/git/worktrees.ts";
import { saveLeftovers } from "svc/runtime/job/leftovers.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { RepoView } from "svc/runtime/repo_view.ts";
import { worktreesOf } from "svc/runtime/job/worksite.ts";

type Ports = Pick<
  RuntimePorts,
  | ("clock" | "commits" | "db" | "files" | "folder" | "git" | "home")
  | ("lockRepo" | "log" | "readTree" | "signal" | "worktrees")
>;

/**
 * What was not committed in one is kept as a patch first; a branch goes with its work tree when all its
 * commits are merged, and stays otherwise.
 * @returns paths that were removed
 */
export async function cleanUp(ports: Ports, view: RepoView, keepMs: number): Promise<string[]> {
  using checkout = await openCheckout(ports, view.root);
  const ours = `${worktreesOf(ports, view)}/`;
  const removed: string[] = [];
  for (const tree of await ports.worktrees.list(checkout.git)) {
    if (!tree.path.startsWith(ours) || !await isOver(ports, view, tree, keepMs)) continue;
    ports.signal.throwIfAborted();
    const { clock, signal, log } = ports;
    using _lock = await ports.lockRepo(checkout.git, {
      doing: "tidy up work trees",
      clock,
      signal,
    });
    try {
      await remove(ports, checkout.git, view, tree);
      removed.push(tree.path);
    } catch (thrown) {
      // Too much to keep as a patch, or a branch that is used elsewhere: it stays for a person.
      const { code, message } = Failure.from(thrown);
      if (code === "internal" || code === "interrupted") throw thrown;
      log.write("warn", message, { path: tree.path });
    }
  }
  return removed;
}

/** Named after a job of this database and repo that ended so long ago. */
async function isOver(
  { db, clock }: Ports,
  view: RepoView,
  { path }: Worktree,
  keepMs: number,
): Promise<boolean> {
  const job = await jobById(db, path.slice(path.lastIndexOf("/") + 1));
  if (job?.repo_id !== view.id || job.finished_at === null) return false;
  return clock.now() - job.finished_at >= keepMs;
}

async function remove(
  ports: Ports,
  repo: Parameters<Ports["worktrees"]["remove"]>[0],
  view: RepoView,
  { path, branch, stale }: Worktree,
): Promise<void> {
  if (!stale) await saveLeftovers(ports, path);
  await ports.worktrees.remove(repo, path, { discard: true });
  if (branch?.startsWith("svc/")) await ports.worktrees.deleteMerged(repo, branch, view.branch);
}
