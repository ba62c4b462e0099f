/** Finds work that is lost: a branch that somebody deleted while its ticket was in progress or in review. */
import { Failure } from "svc/core/failure.ts";
import { jobsOf } from "svc/features/jobs/job_views.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Ticket, TicketList } from "svc/features/tickets/ticket_list.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

export interface LostWork {
  readonly ticket: string;
  readonly branch: string;
  readonly commit: string | undefined;
}

type LookPorts = Pick<RuntimePorts, "db" | "worktrees">;

/** States in which somebody works on a ticket or judges it. */
export const activeIn = ({ tickets }: Pick<TicketList, "tickets">) =>
  tickets.filter(({ state }) => state === "in-progress" || state === "review");

/** Active tickets whose branch is gone, unless it was never made or its work is merged. */
export async function lostWork(
  ports: LookPorts,
  repo: Pick<Repo, "baseBranch" | "git" | "id">,
  active: readonly Ticket[],
): Promise<LostWork[]> {
  const lost: LostWork[] = [];
  if (active.length === 0) return lost;
  // Mostly answers without starting git, since a board asks this for each of its tickets.
  const there = new Set((await ports.worktrees.branches(repo.git)).map(({ name }) => name));
  for (const { id, branch } of active) {
    if (branch === undefined || there.has(branch)) continue;
    if (await lacking(ports, repo, branch, branch) === 0) continue;
    const jobs = await jobsOf(ports.db, repo.id, id);
    const commit = jobs.findLast(({ head_commit }) => head_commit !== null)?.head_commit;
    if (jobs.length > 0 && !commit) continue;
    if (commit && await lacking(ports, repo, commit, repo.baseBranch) === 0) continue;
    lost.push({ ticket: id, branch, commit: commit ?? undefined });
  }
  return lost;
}

/** Number of commits that `into` lacks; undefined when there is no such branch or commit. */
async function lacking(
  { worktrees }: LookPorts,
  { git }: Pick<Repo, "git">,
  from: string,
  into: string,
): Promise<number | undefined> {
  try {
    return (await worktrees.ahead(git, from, into)).length;
  } catch (thrown) {
    if (Failure.from(thrown).code === "conflict") return undefined;
    throw thrown;
  }
}
