/** Keeps what a job did not commit, before its work tree goes to another job or is removed. */
import { Failure } from "svc/core/failure.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import type { Leftovers } from "svc/platform/git/leftovers.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

export type LeftoverPorts = Pick<RuntimePorts, "db" | "log" | "worktrees">;

/**
 * This never holds up the next job: files beyond the limit are left out, and the ref says so.
 * @param job that left them
 * @returns undefined when everything was committed
 */
export async function saveLeftovers(
  { db, log, worktrees }: LeftoverPorts,
  { git }: Pick<Repo, "git">,
  path: string,
  job: string,
): Promise<Leftovers | undefined> {
  const role = (await jobById(db, job))?.role ?? "a role";
  const kept = await worktrees.keep(git, { path, job, role });
  if (kept === undefined) return undefined;
  const { ref, files, notes } = kept;
  log.write("info", "kept what was not committed", { path, ref, files: files.length, notes });
  return kept;
}

/**
 * Removes what `work` leaves in the tree, except for ignored files; otherwise the next job would take it for
 * something that a role left.
 */
export async function tracelessly<T>(
  { worktrees, log }: LeftoverPorts,
  repo: Pick<Repo, "git" | "lock">,
  tree: Pick<Checkout, "git" | "root">,
  work: () => Promise<T>,
): Promise<T> {
  const before = (await tree.git.status()).changes.map(({ path }) => path);
  const done = await work();
  try {
    using _lock = await repo.lock("tidy up a work tree");
    await worktrees.putBack(repo.git, tree.root, before);
  } catch (thrown) {
    const { code, message } = Failure.from(thrown);
    if (code !== "environment") throw thrown;
    log.write("warn", message, { path: tree.root }); // such as a folder that cannot be written
  }
  return done;
}
