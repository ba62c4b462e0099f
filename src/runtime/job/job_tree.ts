/** The work tree of a job: its own, or the checkout where nothing may change. */
import { Failure } from "svc/core/failure.ts";
import { namedAfter } from "svc/core/path_parts.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { slugOf } from "svc/features/tickets/ticket_draft.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { type Checkout, type CheckoutPorts, openCheckout } from "svc/platform/git/checkout.ts";
import type { HeldTree, Worktree, WorktreePlan } from "svc/platform/git/worktrees.ts";
import { takeOver } from "./hand_over.ts";
import { type LeftoverPorts, saveLeftovers } from "./leftovers.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { needsOwnTree } from "./tree_need.ts";
import type { Repo } from "svc/features/repos/repo.ts";

type TreePorts =
  & LeftoverPorts
  & CheckoutPorts
  & Pick<RuntimePorts, "home" | "redact" | "remotes" | "signal">;

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
  ports: Pick<TreePorts, "home">,
  { root, id }: Pick<Repo, "root" | "id">,
): string {
  return `${ports.home.worktrees}/${namedAfter(root)}-${id}`;
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

/** The tree in which a role works; this is the checkout itself if the role may only read. @throws as `ownTree` */
export async function treeFor(
  ports: TreePorts & Pick<RuntimePorts, "profile">,
  repo: Repo,
  { job, definition, ticket }: {
    readonly job: Pick<Job, "id" | "payload" | "role">;
    readonly definition: Pick<ManifestRole, "tools">;
    readonly ticket: Ticket | undefined;
  },
): Promise<JobTree> {
  if (!needsOwnTree(ports.profile, definition.tools)) return await checkoutAsTree(repo);
  const { branch } = JSON.parse(job.payload) as { branch?: string };
  return await ownTree(ports, repo, {
    ...{ jobId: job.id, role: job.role, ticket },
    ...(branch !== undefined && { branch }),
  });
}

/**
 * The work tree of the branch. If an earlier job had one, it is used again, with the files of the branch and
 * with what its set-up made; otherwise a new one is made. What an earlier job had not committed is kept aside
 * (leftovers.ts).
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
  using parts = new DisposableStack();
  const asked = { doing, path, branch, start: repo.baseBranch };
  await takeOver(ports, repo, branch, () => retireOthers(ports, repo, { ...asked, path: "" }));
  const found = await addedTree(ports, repo, asked, parts);
  const unborn = /^0*$/.test(found.head);
  const tree = parts.use(await openCheckout(ports, found.path));
  const held = parts.move();
  return {
    ...tree,
    ownBranch: branch,
    given: unborn ? undefined : found.head,
    [Symbol.dispose]: () => held.dispose(),
  };
}

const jobOf = ({ path }: Pick<WorktreePlan, "path">) => path.slice(path.lastIndexOf("/") + 1);

/**
 * Takes a work tree for a job, or for what `job` says. If this database knows the job that holds it, that job's
 * lease decides and not its process, which may be suspended. Call it with the repo's lock.
 */
export async function holdTree(
  { db, worktrees }: Pick<TreePorts, "db" | "worktrees">,
  { id, git }: Pick<Repo, "id" | "git">,
  { path, job }: { readonly path: string; readonly job: string },
): Promise<HeldTree> {
  const held = await worktrees.hold(git, { path, job });
  if ("lock" in held || held.job === undefined) return held;
  const theirs = held.job === job ? undefined : await jobById(db, held.job);
  const over = held.job === job || (theirs?.repo_id === id && theirs.finished_at !== null);
  return over ? await worktrees.hold(git, { path, job, from: held.job }) : held;
}

/** @throws Failure `conflict` that `waits`, while another job works in it */
async function heldFor(
  ports: TreePorts,
  repo: Repo,
  plan: BranchTreePlan,
  path: string,
): Promise<Disposable> {
  const held = await holdTree(ports, repo, { path, job: jobOf(plan) });
  if ("lock" in held) return held.lock;
  throw new Failure(
    "conflict",
    `Cannot ${plan.doing}: another svc works on ${plan.branch} in ${quoted(path)} (${held.who})`,
    { remedy: "Wait until it is done, or stop that svc", waits: true },
  );
}

/**
 * Looks at another work tree of the branch only after git refused. @param held collects what is released at the
 * end
 */
async function addedTree(
  ports: TreePorts,
  repo: Repo,
  plan: BranchTreePlan,
  held: DisposableStack,
): Promise<Worktree> {
  using _lock = await repo.lock(plan.doing);
  const add = async (path: string) => await ports.worktrees.add(repo.git, { ...plan, path });
  try {
    const made = await add(plan.path);
    held.use(await heldFor(ports, repo, plan, made.path));
    return made;
  } catch (thrown) {
    const { code, detail } = Failure.from(thrown);
    if (code !== "conflict" || detail.waits) throw thrown;
    const kept = await takenOver(ports, repo, plan, held);
    if (kept !== undefined) return await add(kept);
    if (!await retireOthers(ports, repo, plan)) throw thrown;
  }
  const made = await add(plan.path);
  held.use(await heldFor(ports, repo, plan, made.path));
  return made;
}

/** Call it with the lock. @returns path of the branch's tree, now this job's; undefined where none can be used */
async function takenOver(
  ports: TreePorts,
  repo: Repo,
  plan: BranchTreePlan,
  held: DisposableStack,
): Promise<string | undefined> {
  const { doing, branch } = plan;
  const job = jobOf(plan);
  const folder = `${worktreesOf(ports, repo)}/`;
  const { git } = repo;
  for (const { path, branch: theirs, stale } of await ports.worktrees.list(git)) {
    if (theirs !== branch || stale || !path.startsWith(folder)) continue;
    using own = new DisposableStack();
    own.use(await heldFor(ports, repo, plan, path));
    const { holder } = await ports.worktrees.mark(git, path);
    // It belongs to an earlier attempt of the same job, so its uncommitted changes are this attempt's.
    if (holder !== job) {
      await saveLeftovers(ports, repo, path, holder);
      if (!await ports.worktrees.reuse(git, { doing, path, branch, holder: job })) continue;
    }
    held.use(own.move());
    return path;
  }
  return undefined;
}

/**
 * Saves their uncommitted changes and removes them; call it with the lock. @returns false where no
 * other work tree of svc has the branch
 */
async function retireOthers(
  ports: TreePorts,
  repo: Repo,
  plan: BranchTreePlan,
): Promise<boolean> {
  const { git } = repo;
  const others = (await ports.worktrees.list(git)).filter((old) =>
    old.branch === plan.branch && old.path !== plan.path &&
    old.path.startsWith(`${ports.home.worktrees}/`)
  );
  for (const old of others) {
    using _held = await heldFor(ports, repo, plan, old.path);
    const { holder } = await ports.worktrees.mark(git, old.path);
    await saveLeftovers(ports, repo, old.path, holder);
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
