/** The work tree of a job: its own, or the checkout where nothing may change. */
import { Failure } from "svc/core/failure.ts";
import { slugOf } from "svc/features/tickets/ticket_draft.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { type Checkout, type CheckoutPorts, openCheckout } from "svc/platform/git/checkout.ts";
import type { Worktree, WorktreePlan } from "svc/platform/git/worktrees.ts";
import { type LeftoverPorts, saveLeftovers } from "./leftovers.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Repo } from "svc/features/repos/repo.ts";

type TreePorts = LeftoverPorts & CheckoutPorts & Pick<RuntimePorts, "home" | "signal">;

export interface JobTree extends Checkout {
  readonly ownBranch: string | undefined;
  /** HEAD at the start of the job; undefined before the first commit. */
  readonly given: string | undefined;
}

interface JobTreePlan {
  readonly jobId: string;
  readonly role: string;
  readonly ticket: Ticket | undefined;
  readonly branch?: string;
}

interface BranchTreePlan extends WorktreePlan {
  readonly branch: string;
}

export function worktreesOf(
  ports: TreePorts,
  { root, id }: Pick<Repo, "root" | "id">,
): string {
  const name = root.slice(root.lastIndexOf("/") + 1) || "root";
  return `${ports.home.worktrees}/${name}-${id}`;
}

/** Such as `svc/T-0007-reject-empty-names`; without a ticket, named after the job. */
export function branchFor({ ticket, branch, role, jobId }: JobTreePlan): string {
  if (ticket?.branch !== undefined) return ticket.branch;
  if (branch !== undefined) return branch;
  if (ticket === undefined) return `svc/${role}-${jobId.slice(-8)}`;
  const slug = slugOf(ticket.title);
  return slug === "" ? `svc/${ticket.id}` : `svc/${ticket.id}-${slug}`;
}

/** The checkout, for jobs that only read; disposing leaves it open. */
export async function checkoutAsTree(repo: Repo): Promise<JobTree> {
  const given = (await repo.git.log({ max: 1 }))[0]?.id;
  return { ...repo, ownBranch: undefined, given, [Symbol.dispose]() {} };
}

/**
 * The work tree of the branch: one that an earlier job had goes on, with its files as the branch says
 * and what its set-up made; else a new one. What an earlier job had not committed is kept (leftovers.ts).
 * @throws Failure `refused` for repos that cannot have one, `conflict`
 */
export async function ownTree(
  ports: TreePorts,
  repo: Repo,
  plan: JobTreePlan,
): Promise<JobTree> {
  const branch = branchFor(plan);
  if (!branch.startsWith("svc/")) {
    throw new Failure("refused", `Cannot work on branch "${branch}": svc uses svc/… alone`, {
      remedy: `Remove "branch" from the ticket, or rename the branch to svc/${branch}`,
    });
  }
  const path = `${worktreesOf(ports, repo)}/${plan.jobId}`;
  const doing = `make a work tree for ${plan.ticket?.id ?? plan.role}`;
  const found = await addedTree(ports, repo, { doing, path, branch, start: repo.baseBranch });
  const unborn = /^0*$/.test(found.head);
  const tree = await openCheckout(ports, found.path);
  return { ...tree, ownBranch: branch, given: unborn ? undefined : found.head };
}

/** Looks at another work tree of the branch only after git refused. */
async function addedTree(ports: TreePorts, repo: Repo, plan: BranchTreePlan): Promise<Worktree> {
  using _lock = await repo.lock(plan.doing);
  try {
    return await ports.worktrees.add(repo.git, plan);
  } catch (thrown) {
    if (Failure.from(thrown).code !== "conflict") throw thrown;
    const kept = await takenOver(ports, repo, plan);
    if (kept !== undefined) return await ports.worktrees.add(repo.git, { ...plan, path: kept });
    if (!await retireOthers(ports, repo, plan)) throw thrown;
  }
  return await ports.worktrees.add(repo.git, plan);
}

/** Call it with the lock. @returns path of the branch's tree, now this job's; undefined where none can be used */
async function takenOver(
  ports: TreePorts,
  repo: Repo,
  { doing, path: own, branch }: BranchTreePlan,
): Promise<string | undefined> {
  const job = own.slice(own.lastIndexOf("/") + 1);
  const folder = `${worktreesOf(ports, repo)}/`;
  const { git } = repo;
  for (const { path, branch: theirs, stale } of await ports.worktrees.list(git)) {
    if (theirs !== branch || stale || !path.startsWith(folder)) continue;
    const { holder } = await ports.worktrees.mark(git, path);
    // An attempt of this job before: its uncommitted changes are this one's.
    if (holder === job) return path;
    await saveLeftovers(ports, repo, path, holder);
    if (await ports.worktrees.reuse(git, { doing, path, branch, holder: job })) return path;
  }
  return undefined;
}

/**
 * Saves their uncommitted changes and removes them; call it with the lock. @returns false where no
 * other work tree of svc has the branch
 */
async function retireOthers(
  ports: TreePorts,
  { git }: Repo,
  { path, branch }: BranchTreePlan,
): Promise<boolean> {
  const others = (await ports.worktrees.list(git)).filter((old) =>
    old.branch === branch && old.path !== path && old.path.startsWith(`${ports.home.worktrees}/`)
  );
  for (const old of others) {
    const { holder } = await ports.worktrees.mark(git, old.path);
    await saveLeftovers(ports, { git }, old.path, holder);
    await ports.worktrees.remove(git, old.path, { discard: true });
  }
  return others.length > 0;
}

/**
 * Moves an interrupted job's work tree to the job that resumes it, with its uncommitted changes.
 * @param from jobs, any of which may have it
 */
export async function inheritTree(
  ports: TreePorts,
  repo: Repo,
  { from, to }: { readonly from: readonly string[]; readonly to: string },
): Promise<void> {
  const folder = worktreesOf(ports, repo);
  using _lock = await repo.lock("go on in a work tree");
  for (const { path, branch } of await ports.worktrees.list(repo.git)) {
    if (branch === undefined || !path.startsWith(`${folder}/`)) continue;
    const { holder } = await ports.worktrees.mark(repo.git, path);
    if (!from.includes(holder)) continue;
    await ports.worktrees.move(repo.git, path, `${folder}/${to}`);
    return;
  }
}
