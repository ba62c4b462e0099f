/** Reads what decides how `start` continues: jobs, tickets, decisions, branches, the checkout. */
import { JOB_CRASHES, START_DECISIONS } from "svc/core/bounds.ts";
import type { Profile, TrustLevel } from "svc/core/permission.ts";
import { waiverOf } from "svc/features/checks/waiver_store.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobById, lastEndOf, liveJobs, recentJobs } from "svc/features/jobs/job_views.ts";
import { parseOwner } from "svc/features/jobs/owner.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import { recentDecisions } from "svc/features/routing/decision_store.ts";
import type { Decision } from "svc/features/routing/decision_table.ts";
import { pendingSettlements } from "svc/features/routing/settlement_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { TicketList } from "svc/features/tickets/ticket_list.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import type { GitOperation } from "svc/platform/git/git.ts";
import type { TreeObstacle } from "svc/platform/git/worktrees.ts";
import { databasePath } from "svc/store/database_path.ts";
import type { Life } from "svc/platform/process/identity.ts";
import { lastCommitted } from "svc/runtime/engine/liveness.ts";
import { mendableOf } from "svc/runtime/engine/mended.ts";
import { type AbsentProgram, absentPrograms } from "svc/runtime/job/absent_programs.ts";
import { activeIn, type LostWork, lostWork } from "svc/runtime/job/lost_work.ts";
import type { OwnerPorts } from "svc/runtime/ports.ts";

/** How long `start` follows a decision whose next job was never queued. */
const START_DECISION_MS = 7 * 24 * 60 * 60 * 1000;

export interface StartFlags {
  readonly newLifecycle: boolean;
  readonly force: boolean;
}

export interface OwnedJob
  extends Pick<Job, "id" | "role" | "ticket_id" | "status" | "trigger" | "unique_key"> {
  /** State of the process that runs it; `none` while it waits. */
  readonly owner: Life | "none";
}

/** A decision whose next job was never queued, such as after `svc run`. */
export interface UnfollowedDecision
  extends Pick<Decision, "id" | "at" | "role" | "ticket_id" | "disposition"> {
  readonly next_role: string;
  /** State that it moved the ticket to; undefined when the ticket stayed. */
  readonly to: TicketState | undefined;
  readonly rehearsal: boolean;
  readonly chosen: string | undefined;
  /** Branch of unmerged work without a ticket. */
  readonly branch: string | undefined;
  readonly source_trust: TrustLevel;
}

export interface StartFacts extends TicketList {
  /** Epoch ms. */
  readonly now: number;
  readonly profile: Profile;
  readonly flags: StartFlags;
  readonly repo: Pick<Repo, "id" | "root"> & { readonly branch: string };
  readonly database: string | undefined;
  readonly manifest: Manifest | undefined;
  readonly problem: string | undefined;
  readonly checkout: {
    /** Undefined when HEAD is detached. */
    readonly branch: string | undefined;
    /** The registered branch no longer exists. */
    readonly gone: boolean;
    readonly operation: GitOperation | undefined;
    readonly uncommitted: number;
  };
  /** In host profile, where jobs have work trees of their own. */
  readonly obstacles: readonly TreeObstacle[];
  /** In host profile: checks that would keep each ticket from being handed in. */
  readonly absent: readonly AbsentProgram[];
  readonly otherStart: string | undefined;
  readonly paused: string | undefined;
  /** Pending and running, oldest first; without dead ones that may not be retried. */
  readonly jobs: readonly OwnedJob[];
  readonly settlements: readonly Pick<
    Settlement,
    "id" | "ticket_id" | "to_state" | "waits_for" | "merge_from"
  >[];
  /** A person lets unchecked work in. */
  readonly waived: boolean;
  /** Tickets that are blocked because of the machine, not because of the work. */
  readonly mendable: ReadonlySet<string>;
  readonly lastJobAt: ReadonlyMap<string, number>;
  /** When the file of each ticket in progress was committed; epoch ms. */
  readonly committedAt: ReadonlyMap<string, number>;
  readonly lost: readonly LostWork[];
  readonly unfollowed: readonly UnfollowedDecision[];
}

/** @param asked.otherStart the other start's name, if its lock could not be taken */
export async function gatherStartFacts(
  ports: OwnerPorts,
  repo: Repo,
  asked: { readonly flags: StartFlags; readonly otherStart?: string },
): Promise<StartFacts> {
  const { db, clock, profile } = ports;
  const list = await repo.tickets.list();
  // Rehearsals that wait end when real work begins (`rounds.ts`).
  const running = (await liveJobs(db, repo.id)).filter((job) =>
    profile === "observer" || job.profile === "host" || job.status === "running"
  );
  const jobs: OwnedJob[] = [];
  for (const job of running) {
    const one = await withOwner(ports, job);
    if (one.owner !== "dead" || isRecoverable(job)) jobs.push(one);
  }
  const active = activeIn(list);
  const now = clock.now();
  const lastJobAt = new Map<string, number>();
  const committedAt = new Map<string, number>();
  for (const ticket of active) {
    const at = await lastEndOf(db, repo.id, ticket.id);
    if (at !== undefined) lastJobAt.set(ticket.id, at);
    if (ticket.state !== "in-progress") continue;
    committedAt.set(ticket.id, await lastCommitted(repo, ticket, now));
  }
  const claims = await claimState(db);
  const { id, root, baseBranch: branch, git } = repo;
  const { manifest, problem } = await repo.manifest();
  return {
    now,
    profile,
    flags: asked.flags,
    repo: { id, root, branch },
    database: await databasePath(db),
    manifest,
    problem,
    jobs,
    ...list,
    checkout: {
      branch: await git.branchNow(),
      gone: (await repo.branchFault())?.gone ?? false,
      operation: await git.operationNow(),
      uncommitted: (await git.status()).changes.length,
    },
    obstacles: profile === "host" ? await ports.worktrees.obstacles(git) : [],
    absent: profile === "host" && manifest !== undefined
      ? await absentPrograms(ports, git, manifest)
      : [],
    paused: claims.paused ? claims.reason : undefined,
    otherStart: asked.otherStart ?? await otherEngine(ports, running),
    settlements: await pendingSettlements(db, repo.id),
    waived: await waiverOf(db, repo.id) !== undefined,
    mendable: new Set((await mendableOf(db, id, list.tickets)).keys()),
    lastJobAt,
    committedAt,
    lost: await lostWork(ports, repo, active),
    unfollowed: await unfollowedOf(ports, repo, now),
  };
}

async function withOwner(ports: OwnerPorts, job: Job): Promise<OwnedJob> {
  const { id, role, ticket_id, status, trigger, unique_key, lease_owner } = job;
  const owner = lease_owner === null ? "none" : await lifeOfOwner(ports, lease_owner);
  return { id, role, ticket_id, status, trigger, unique_key, owner };
}

function isRecoverable({ attempt, max_attempts, crashes, cancel_requested }: Job): boolean {
  return cancel_requested === 0 && attempt < max_attempts && crashes + 1 < JOB_CRASHES;
}

async function lifeOfOwner({ identities }: OwnerPorts, owner: string): Promise<Life> {
  const process = parseOwner(owner);
  return process === undefined ? "unknown" : await identities.life(process);
}

/** Workers of an engine are named `w1`, `w2`, …; a manual run is not another start. */
async function otherEngine(ports: OwnerPorts, jobs: readonly Job[]): Promise<string | undefined> {
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

/** Recent decisions that named a next role, but were followed by no job. */
async function unfollowedOf(
  { db, profile }: OwnerPorts,
  repo: Repo,
  now: number,
): Promise<UnfollowedDecision[]> {
  const found: UnfollowedDecision[] = [];
  const decisions = await recentDecisions(db, { repoId: repo.id, limit: START_DECISIONS });
  const jobs = await recentJobs(db, { repo_id: repo.id }, START_DECISIONS);
  for (const decision of decisions) {
    const { id, at, role, ticket_id, disposition, next_role } = decision;
    if (next_role === null || decision.next_job !== null) continue;
    // A rehearsed decision is no reason for real work.
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

/** @param jobs the newest few; a decision older than all of them counts as followed */
function cameAfter(decision: Decision, jobs: readonly Job[]): boolean {
  const { at, job_id, ticket_id, next_role, disposition } = decision;
  const since = jobs.filter(({ id, created_at }) => created_at >= at && id !== job_id);
  if (since.length === START_DECISIONS) return true;
  return since.some((job) =>
    (ticket_id !== null && job.ticket_id === ticket_id) ||
    (job.role === next_role && (job.ticket_id === null || disposition === "routed"))
  );
}
