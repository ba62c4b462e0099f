/** The work of a ticket that a person may judge: its commit, and what it changes. */
import { Failure } from "svc/core/failure.ts";
import { checksTold } from "svc/features/routing/checked_work.ts";
import { checksOfJob } from "svc/features/routing/decision_store.ts";
import { newestJobsOf } from "svc/features/jobs/job_views.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { teamTip } from "svc/runtime/job/hand_over.ts";
import { boundedDiff, type Diff } from "svc/runtime/views/job_diff.ts";

interface ReviewedWork {
  readonly ticket: string;
  readonly title: string;
  readonly branch: string;
  readonly into: string;
  /** Full; the approval names it. */
  readonly commit: string;
  readonly diff: Diff;
  /** What svc saw of the checks on this very commit, such as "passed". */
  readonly checks: string | undefined;
  /** What the role said that did the work. */
  readonly said: string | undefined;
}

const JOBS_LOOKED_AT = 20;

/** @throws Failure `not_found` for no such ticket; `conflict` where there is nothing to judge */
export async function reviewWork(
  ports: Pick<RuntimePorts, "db" | "remotes" | "worktrees">,
  repo: Repo,
  id: string,
): Promise<ReviewedWork> {
  const { ticket } = await repo.tickets.find(id);
  const { branch, state, title } = ticket;
  const refuse = (why: string) =>
    new Failure("conflict", `Cannot show the work of ${id}: ${why}`, {
      remedy: `svc tickets show ${id}`,
    });
  if (state !== "review") throw refuse(`it is ${state}, and not in review`);
  const commit = branch === undefined ? undefined : await teamTip(ports, repo, branch);
  if (branch === undefined || commit === undefined) throw refuse("its branch is gone");
  const jobs = await newestJobsOf(ports.db, repo.id, id, JOBS_LOOKED_AT);
  const work = jobs.find((job) => job.disposition === "submitted" && job.head_commit === commit);
  const seen = work && await checksOfJob(ports.db, work.id);
  return {
    ...{ ticket: id, title, branch, into: repo.baseBranch, commit },
    diff: boundedDiff(await ports.worktrees.patch(repo.git, commit, repo.baseBranch)),
    checks: seen && checksTold(seen),
    said: work?.reason ?? undefined,
  };
}
