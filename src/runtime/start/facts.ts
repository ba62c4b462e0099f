/** Reads all that decides how `start` goes on with a repo: jobs, tickets, decisions, branches, the checkout. */
import { JOB_CRASHES, START_DECISIONS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Profile, TrustLevel } from "svc/core/permission.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobById, jobsOf, lastEndOf, liveJobs, recentJobs } from "svc/features/jobs/job_views.ts";
import { parseOwner } from "svc/features/jobs/owner.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import { recentDecisions } from "svc/features/routing/decision_store.ts";
import type { Decision } from "svc/features/routing/decision_table.ts";
import { pendingSettlements } from "svc/features/routing/settlement_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Ticket, TicketList } from "svc/features/tickets/ticket_list.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import type { GitOperation } from "svc/platform/git/git.ts";
import type { Identities, Life } from "svc/platform/process/identity.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

/** A decision whose next job was never queued is followed by `start` for so long. */
const START_DECISION_MS = 7 * 24 * 60 * 60 * 1000;

export interface StartFlags {
  /** A fresh lifecycle, whatever is there. */
  readonly newLifecycle: boolean;
  /** What blocked tickets waited for has happened. */
  readonly force: boolean;
}

export interface StandingJob
  extends Pick<Job, "id" | "role" | "ticket_id" | "status" | "trigger" | "unique_key"> {
  /** The process that runs it; `none` while it waits. */
  readonly owner: Life | "none";
}

/** A decision whose next job was never queued, such as after `svc run`. */
export interface Unfollowed
  extends Pick<Decision, "id" | "at" | "role" | "ticket_id" | "disposition"> {
  readonly next_role: string;
  /** Where the ticket went by it; undefined when it stayed. */
  readonly to: TicketState | undefined;
  /** It moved nothing. */
  readonly rehearsal: boolean;
  /** Ticket that an orchestrator chose. */
  readonly chosen: string | undefined;
  /** Of work without a ticket that is not merged yet. */
  readonly branch: string | undefined;
  readonly source_trust: TrustLevel;
}

/** A ticket's work that is nowhere to be found. */
export interface LostWork {
  readonly ticket: string;
  readonly branch: string;
  /** Where it ended when svc last saw it. */
  readonly commit: string | undefined;
}

export interface StartFacts extends TicketList {
  /** Epoch ms. */
  readonly now: number;
  readonly profile: Profile;
  readonly flags: StartFlags;
  readonly repo: Pick<Repo, "id" | "root"> & { readonly branch: string };
  readonly manifest: Manifest | undefined;
  /** Why the manifest as it is now does not count. */
  readonly problem: string | undefined;
  readonly checkout: {
    /** Undefined when HEAD is on none. */
    readonly branch: string | undefined;
    readonly operation: GitOperation | undefined;
    /** Paths with changes that nobody committed. */
    readonly uncommitted: number;
  };
  /** Names the process that runs this repo's jobs already. */
  readonly otherStart: string | undefined;
  /** Why no job is claimed now. */
  readonly paused: string | undefined;
  /** Pending and running, oldest first; without those that end as soon as they are taken back. */
  readonly jobs: readonly StandingJob[];
  readonly settlements: readonly Pick<
    Settlement,
    "id" | "ticket_id" | "to_state" | "waits_for" | "merge_from"
  >[];
  /** When the newest job of a ticket in progress ended, epoch ms. */
  readonly lastJobAt: ReadonlyMap<string, number>;
  readonly lost: readonly LostWork[];
  /** Newest first. */
  readonly unfollowed: readonly Unfollowed[];
}

type Ports = RuntimePorts & { readonly identities: Identities };

/** @param asked.otherStart as the caller knows it, such as from a lock that it could not take */
export async function gatherStartFacts(
  ports: Ports,
  repo: Repo,
  asked: { readonly flags: StartFlags; readonly otherStart?: string },
): Promise<StartFacts> {
  const { db, clock, profile } = ports;
  const list = await repo.tickets.list();
  const running = await liveJobs(db, repo.id);
  const jobs: StandingJob[] = [];
  for (const job of running) {
    const one = await standing(ports, job);
    if (one.owner !== "dead" || isRecoverable(job)) jobs.push(one);
  }
  const active = list.tickets.filter(({ state }) => state === "in-progress" || state === "review");
  const lastJobAt = new Map<string, number>();
  for (const { id } of active) {
    const at = await lastEndOf(db, repo.id, id);
    if (at !== undefined) lastJobAt.set(id, at);
  }
  const now = clock.now();
  const claims = await claimState(db);
  const { id, root, baseBranch: branch, git } = repo;
  const { manifest, problem } = await repo.manifest();
  return {
    now,
    profile,
    flags: asked.flags,
    repo: { id, root, branch },
    manifest,
    problem,
    jobs,
    ...list,
    checkout: {
      branch: await git.branchNow(),
      operation: await git.operationNow(),
      uncommitted: (await git.status()).changes.length,
    },
    paused: claims.paused ? claims.reason : undefined,
    otherStart: asked.otherStart ?? await otherEngine(ports, running),
    settlements: await pendingSettlements(db, repo.id),
    lastJobAt,
    lost: await lostWork(ports, repo, active),
    unfollowed: await unfollowedOf(ports, repo, now),
  };
}

async function standing(ports: Ports, job: Job): Promise<StandingJob> {
  const { id, role, ticket_id, status, trigger, unique_key, lease_owner } = job;
  const owner = lease_owner === null ? "none" : await lifeOfOwner(ports, lease_owner);
  return { id, role, ticket_id, status, trigger, unique_key, owner };
}

/** Whether it waits for another attempt once its dead worker is noticed. */
function isRecoverable({ attempt, max_attempts, crashes, cancel_requested }: Job): boolean {
  return cancel_requested === 0 && attempt < max_attempts && crashes + 1 < JOB_CRASHES;
}

async function lifeOfOwner({ identities }: Ports, owner: string): Promise<Life> {
  const process = parseOwner(owner);
  return process === undefined ? "unknown" : await identities.life(process);
}

/** Workers of an engine are named `w1`, `w2`, …; a manual run beside a start is no other start. */
async function otherEngine(ports: Ports, jobs: readonly Job[]): Promise<string | undefined> {
  const self = await ports.identities.self();
  for (const { id, lease_owner } of jobs) {
    if (lease_owner === null || !/\/w\d+$/.test(lease_owner)) continue;
    const owner = parseOwner(lease_owner);
    if (owner === undefined) continue;
    const own = owner.host === self.host && owner.pid === self.pid &&
      owner.start === self.start;
    if (own || await ports.identities.life(owner) !== "alive") continue;
    return `process ${owner.pid}, which runs job ${id}`;
  }
  return undefined;
}

/** A branch that was never made, or whose work is merged, is no loss. */
async function lostWork(
  ports: Ports,
  repo: Repo,
  active: readonly Ticket[],
): Promise<LostWork[]> {
  const lost: LostWork[] = [];
  for (const { id, branch } of active) {
    if (branch === undefined || await lacking(ports, repo, branch, branch) === 0) continue;
    const jobs = await jobsOf(ports.db, repo.id, id);
    const commit = jobs.findLast(({ head_commit }) => head_commit !== null)?.head_commit;
    // Killed between the ticket's move and its work tree.
    if (jobs.length > 0 && !commit) continue;
    if (commit && await lacking(ports, repo, commit, repo.baseBranch) === 0) continue;
    lost.push({ ticket: id, branch, commit: commit ?? undefined });
  }
  return lost;
}

/** Commits that `into` lacks; undefined when there is no such branch or commit. */
async function lacking(
  { worktrees }: Ports,
  { git }: Repo,
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

/** Decisions that named a next role and no job, and that nothing came after. */
async function unfollowedOf(
  { db, profile }: Ports,
  repo: Repo,
  now: number,
): Promise<Unfollowed[]> {
  const found: Unfollowed[] = [];
  const decisions = await recentDecisions(db, { repoId: repo.id, limit: START_DECISIONS });
  const jobs = await recentJobs(db, { repo_id: repo.id }, START_DECISIONS);
  for (const decision of decisions) {
    const { id, at, role, ticket_id, disposition, next_role } = decision;
    if (next_role === null || decision.next_job !== null) continue;
    // What was rehearsed only is no reason to do the real thing.
    if (decision.applied === 0 && profile !== "observer") continue;
    if (now - at > START_DECISION_MS || cameAfter(decision, jobs)) continue;
    const job = await jobById(db, decision.job_id);
    const { chosen, branch } = JSON.parse(decision.inputs) as {
      chosen?: string;
      branch?: string | null;
    };
    const merged = disposition === "approved";
    found.push({
      id,
      at,
      role,
      ticket_id,
      disposition,
      next_role,
      chosen,
      to: decision.move?.split(" → ")[1] as TicketState | undefined,
      rehearsal: decision.applied === 0,
      branch: ticket_id !== null || merged ? undefined : branch ?? undefined,
      source_trust: job?.source_trust ?? "observer",
    });
  }
  return found;
}

/** @param jobs newest first; what is older than the last of them is not known, and counts as followed */
function cameAfter(decision: Decision, jobs: readonly Job[]): boolean {
  const { at, job_id, ticket_id, next_role, disposition } = decision;
  const since = jobs.filter(({ id, created_at }) => created_at >= at && id !== job_id);
  if (since.length === START_DECISIONS) return true;
  return since.some((job) =>
    (ticket_id !== null && job.ticket_id === ticket_id) ||
    (job.role === next_role && (job.ticket_id === null || disposition === "routed"))
  );
}
