/** The work tree of one job: its own, on its ticket's branch, or the checkout where nothing may change. */
import { Failure } from "svc/core/failure.ts";
import { slugOf } from "svc/features/tickets/ticket_draft.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { OpenFolder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import type { Worktree, WorktreePlan } from "svc/platform/git/worktrees.ts";
import { saveLeftovers } from "./leftovers.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { RepoView } from "svc/runtime/repo_view.ts";

export interface Worksite extends Disposable {
  readonly root: string;
  readonly repo: GitRepo;
  readonly folder: OpenFolder;
  /** Of a work tree of its own; undefined on the checkout. */
  readonly branch: string | undefined;
  /** HEAD when the job began; undefined before the first commit. */
  readonly given: string | undefined;
}

type Ports = Pick<
  RuntimePorts,
  | ("clock" | "commits" | "files" | "folder" | "git" | "home")
  | ("lockRepo" | "log" | "signal" | "worktrees")
>;

export interface SitePlan {
  readonly jobId: string;
  readonly role: string;
  readonly ticket: Ticket | undefined;
  /** Of work without a ticket that an earlier job did. */
  readonly branch?: string;
}

/** Of all work trees of one repo. */
export function worktreesOf(ports: Pick<Ports, "home">, { root, id }: RepoView): string {
  const name = root.slice(root.lastIndexOf("/") + 1) || "root";
  return `${ports.home.worktrees}/${name}-${id}`;
}

/** `svc/T-0007-reject-empty-names`; without a ticket, after the job. */
export function branchFor({ ticket, branch, role, jobId }: SitePlan): string {
  if (ticket?.branch !== undefined) return ticket.branch;
  if (branch !== undefined) return branch;
  if (ticket === undefined) return `svc/${role}-${jobId.slice(-8)}`;
  const slug = slugOf(ticket.title);
  return slug === "" ? `svc/${ticket.id}` : `svc/${ticket.id}-${slug}`;
}

/** The checkout as it is, for jobs that only look. */
export async function checkoutSite(ports: Ports, { root }: RepoView): Promise<Worksite> {
  const site = await siteAt(ports, root);
  const given = (await site.repo.log({ max: 1 }))[0]?.id;
  return { ...site, branch: undefined, given };
}

async function siteAt(ports: Ports, root: string) {
  const repo = await ports.git.open(root, { signal: ports.signal });
  const folder = await ports.folder(root);
  return { root, repo, folder, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/**
 * A work tree for this job alone. One that an ended job left on the same branch is removed first;
 * what was not committed in it is kept as a patch.
 * @throws Failure `refused` for repos that cannot have one, `conflict`
 */
export async function ownSite(ports: Ports, view: RepoView, plan: SitePlan): Promise<Worksite> {
  const branch = branchFor(plan);
  if (!branch.startsWith("svc/")) {
    throw new Failure("refused", `Cannot work on branch "${branch}": svc uses svc/… alone`, {
      remedy: `Remove "branch" from the ticket, or rename the branch to svc/${branch}`,
    });
  }
  const path = `${worktreesOf(ports, view)}/${plan.jobId}`;
  const doing = `make a work tree for ${plan.ticket?.id ?? plan.role}`;
  const repo = await ports.git.open(view.root, { signal: ports.signal });
  const { head } = await treeOf(ports, repo, { doing, path, branch, start: view.branch });
  const unborn = /^0*$/.test(head);
  return { ...await siteAt(ports, path), branch, given: unborn ? undefined : head };
}

/** Looks for who is in the way only where somebody is. */
async function treeOf(ports: Ports, repo: GitRepo, plan: WorktreePlan): Promise<Worktree> {
  const { clock, signal, worktrees } = ports;
  using _lock = await ports.lockRepo(repo, { doing: plan.doing, clock, signal });
  try {
    return await worktrees.add(repo, plan);
  } catch (thrown) {
    const taken = Failure.from(thrown).code === "conflict";
    if (!taken || !await retireOthers(ports, repo, plan)) throw thrown;
  }
  return await worktrees.add(repo, plan);
}

/** @returns false where no work tree of svc but the one at `path` holds the branch. The lock is held. */
async function retireOthers(
  ports: Ports,
  repo: GitRepo,
  { path, branch }: WorktreePlan,
): Promise<boolean> {
  const others = (await ports.worktrees.list(repo)).filter((old) =>
    old.branch === branch && old.path !== path && old.path.startsWith(`${ports.home.worktrees}/`)
  );
  for (const old of others) await retire(ports, repo, old.path);
  return others.length > 0;
}

/**
 * The work tree of a job that was cut off becomes the one of the job that goes on with it: what it had
 * not committed is part of what its conversation tells.
 * @param from jobs, any of which may have it
 */
export async function inheritSite(
  ports: Ports,
  view: RepoView,
  { from, to }: { readonly from: readonly string[]; readonly to: string },
): Promise<void> {
  const folder = worktreesOf(ports, view);
  const old = new Set(from.map((job) => `${folder}/${job}`));
  const { clock, signal } = ports;
  const repo = await ports.git.open(view.root, { signal });
  using _lock = await ports.lockRepo(repo, { doing: "go on in a work tree", clock, signal });
  const found = (await ports.worktrees.list(repo)).find(({ path }) => old.has(path));
  if (found !== undefined) await ports.worktrees.move(repo, found.path, `${folder}/${to}`);
}

/** Saves what was not committed, then removes the work tree; the branch stays. The lock is held. */
async function retire(ports: Ports, repo: GitRepo, path: string): Promise<void> {
  await saveLeftovers(ports, path);
  await ports.worktrees.remove(repo, path, { discard: true });
}
