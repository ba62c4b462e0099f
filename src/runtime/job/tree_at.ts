/** A work tree at a commit, on no branch, for commands that look at that commit; gone afterwards. */
import { type CheckoutPorts, openCheckout } from "svc/platform/git/checkout.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { type JobTree, worktreesOf } from "./job_tree.ts";

/** Milliseconds to wait for the lock when the tree is removed; the user may be waiting for a cancelled job. */
const REMOVE_LOCK_MS = 5_000;

export interface TreeAtPlan {
  /** Its processes and leavings are this job's. */
  readonly job: string;
  /** What the tree is for, as part of its path; two trees at a time need two names. */
  readonly name: string;
  readonly commit: string;
  /** Without what a set-up in the pool made. */
  readonly bare?: true;
}

type TreeAtPorts =
  & CheckoutPorts
  & Pick<RuntimePorts, "home" | "worktrees" | "log" | "signal">;

/** Holds the repo's lock to make it and to remove it, not while `work` runs. @throws Failure as `Worktrees.add` */
export async function atCommit<T>(
  ports: TreeAtPorts,
  repo: Pick<Repo, "root" | "id" | "git" | "lock">,
  { job, name, commit, bare }: TreeAtPlan,
  work: (tree: JobTree) => Promise<T>,
): Promise<T> {
  using held = new DisposableStack();
  const made = await make();
  try {
    using tree = await openCheckout(ports, made);
    return await work({ ...tree, ownBranch: undefined, given: commit });
  } finally {
    held.dispose();
    await takeAway(ports, repo, made);
  }

  async function make(): Promise<string> {
    const path = `${worktreesOf(ports, repo)}/${job}.${name}`;
    const doing = `make a work tree at ${commit.slice(0, 12)}`;
    using _lock = await repo.lock(doing);
    const listed = await ports.worktrees.list(repo.git);
    // A killed run may have left one; an empty folder is no obstacle.
    if (listed.some((left) => left.path === path)) {
      await ports.worktrees.remove(repo.git, path, { discard: true });
    }
    const plan = { doing, path, branch: undefined, start: commit, ...(bare && { bare }) };
    const tree = (await ports.worktrees.add(repo.git, plan)).path;
    // The job may have ended, and the clean-up only looks at jobs, so this name is not a job's.
    const hold = await ports.worktrees.hold(repo.git, { path: tree, job: `${job}.${name}` });
    if ("lock" in hold) held.use(hold.lock);
    return tree;
  }
}

/**
 * The job's own signal may have ended the work, so it cannot be used here. What is left is cleaned up with the
 * job's trees.
 */
async function takeAway(
  ports: TreeAtPorts,
  repo: Pick<Repo, "root" | "id" | "git" | "lock">,
  path: string,
): Promise<void> {
  try {
    using _lock = await repo.lock("remove a work tree", AbortSignal.timeout(REMOVE_LOCK_MS));
    await ports.worktrees.retire(repo.git, path);
  } catch (thrown) {
    ports.log.write("warn", "a work tree stays", { repo: repo.root, cause: thrown });
  }
}
