/** The work tree of one job: its own, on its ticket's branch, or the checkout where nothing may change. */
import { Failure } from "svc/core/failure.ts";
import { slugOf } from "svc/features/tickets/ticket_draft.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { type Checkout, openCheckout } from "svc/platform/git/checkout.ts";
import type { Worktree, WorktreePlan } from "svc/platform/git/worktrees.ts";
import { type LeftoverPorts, saveLeftovers } from "./leftovers.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Repo } from "svc/features/repos/repo.ts";

/** What making and removing work trees takes. */
export type TreePorts = LeftoverPorts & Pick<RuntimePorts, "worktrees">;

export interface JobTree extends Checkout {
  /** The branch of a work tree of its own; undefined on the checkout. */
  readonly ownBranch: string | undefined;
  /** HEAD when the job began; undefined before the first commit. */
  readonly given: string | undefined;
}

export interface JobTreePlan {
  readonly jobId: string;
  readonly role: string;
  readonly ticket: Ticket | undefined;
  /** Of work without a ticket that an earlier job did. */
  readonly branch?: string;
}

/** Of all work trees of one repo. */
export function worktreesOf(
  ports: Pick<TreePorts, "home">,
  { root, id }: Pick<Repo, "root" | "id">,
): string {
  const name = root.slice(root.lastIndexOf("/") + 1) || "root";
  return `${ports.home.worktrees}/${name}-${id}`;
}

/** `svc/T-0007-reject-empty-names`; without a ticket, after the job. */
export function branchFor({ ticket, branch, role, jobId }: JobTreePlan): string {
  if (ticket?.branch !== undefined) return ticket.branch;
  if (branch !== undefined) return branch;
  if (ticket === undefined) return `svc/${role}-${jobId.slice(-8)}`;
  const slug = slugOf(ticket.title);
  return slug === "" ? `svc/${ticket.id}` : `svc/${ticket.id}-${slug}`;
}

/** The checkout as it is, for jobs that only look; it stays open when this is disposed. */
export async function checkoutAsTree(repo: Repo): Promise<JobTree> {
  const given = (await repo.git.log({ max: 1 }))[0]?.id;
  return { ...repo, ownBranch: undefined, given, [Symbol.dispose]() {} };
}

/**
 * A work tree for this job alone. One that an ended job left on the same branch is removed first;
 * what was not committed in it is kept as a patch.
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
  const { head } = await addedTree(ports, repo, { doing, path, branch, start: repo.baseBranch });
  const unborn = /^0*$/.test(head);
  const tree = await openCheckout(ports, path);
  return { ...tree, ownBranch: branch, given: unborn ? undefined : head };
}

/** Looks for who is in the way only where somebody is. */
async function addedTree(ports: TreePorts, repo: Repo, plan: WorktreePlan): Promise<Worktree> {
  using _lock = await repo.lock(plan.doing);
  try {
    return await ports.worktrees.add(repo.git, plan);
  } catch (thrown) {
    const taken = Failure.from(thrown).code === "conflict";
    if (!taken || !await retireOthers(ports, repo, plan)) throw thrown;
  }
  return await ports.worktrees.add(repo.git, plan);
}

/**
 * Saves what was not committed in them, then removes them; the branch stays. The lock is held.
 * @returns false where no work tree of svc but the one at `path` holds the branch
 */
async function retireOthers(
  ports: TreePorts,
  { git }: Repo,
  { path, branch }: WorktreePlan,
): Promise<boolean> {
  const others = (await ports.worktrees.list(git)).filter((old) =>
    old.branch === branch && old.path !== path && old.path.startsWith(`${ports.home.worktrees}/`)
  );
  for (const old of others) {
    await saveLeftovers(ports, old.path);
    await ports.worktrees.remove(git, old.path, { discard: true });
  }
  return others.length > 0;
}

/**
 * The work tree of a job that was cut off becomes the one of the job that goes on with it: what it had
 * not committed is part of what its conversation tells.
 * @param from jobs, any of which may have it
 */
export async function inheritTree(
  ports: Pick<TreePorts, "home" | "worktrees">,
  repo: Repo,
  { from, to }: { readonly from: readonly string[]; readonly to: string },
): Promise<void> {
  const folder = worktreesOf(ports, repo);
  const old = new Set(from.map((job) => `${folder}/${job}`));
  using _lock = await repo.lock("go on in a work tree");
  const found = (await ports.worktrees.list(repo.git)).find(({ path }) => old.has(path));
  if (found !== undefined) await ports.worktrees.move(repo.git, found.path, `${folder}/${to}`);
}
