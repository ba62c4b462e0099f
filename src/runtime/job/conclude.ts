/** Ends a job: another attempt, or its decision and what follows, in one transaction. */
import { BUDGET_LOOK_MS, DEMOTION_WINDOW_MS, JOB_LEASE_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { uuidV7 } from "svc/core/ids.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { endStatus } from "svc/features/jobs/job_machine.ts";
import { retryJob, snoozeJob } from "svc/features/jobs/give_back_job.ts";
import { finish } from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { liveJobs } from "svc/features/jobs/job_views.ts";
import { pauseFailingRole, pauseLane } from "svc/features/jobs/lane_store.ts";
import { afterFailure, RETRIED } from "svc/features/jobs/retry.ts";
import { startable } from "svc/features/routing/choose.ts";
import { decide, type RouteDecision } from "svc/features/routing/decide.ts";
import {
  decisionById,
  policyDeniedAt,
  recordDecision,
} from "svc/features/routing/decision_store.ts";
import { tellScores } from "svc/features/scores/score_events.ts";
import { recordEvents } from "svc/features/telemetry/event_store.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { demoteIfDue } from "svc/features/trust/trust_store.ts";
import type { Db } from "svc/store/schema.ts";
import { inTurnOf } from "svc/store/turn.ts";
import {
  orderFor,
  queueBehindRunning,
  queueJob,
  recordJob,
  trustOfTicket,
} from "svc/features/jobs/order_job.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import {
  clip,
  decisionRow,
  type DecisionWrite,
  owe,
  pullOf,
  type Worked,
} from "./decision_record.ts";
import { endRehearsal, rehearsed } from "./rehearsal.ts";
import { type LeaseTimes, whileHeld } from "./heartbeat.ts";
import { isAway } from "./work_end.ts";

/** The model is held back until a person has fixed what is wrong with it. */
export interface HeldBack {
  readonly lane: string;
  /** This job was the first to meet the fault, so it stores the event. */
  readonly first: boolean;
}

export type Concluded =
  | {
    readonly kind: "decided";
    readonly decision: RouteDecision;
    readonly id: string;
    readonly nextJob?: string;
    readonly heldBack?: HeldBack;
  }
  | {
    readonly kind: "again";
    readonly at: number;
    readonly reason: string;
    readonly heldBack?: HeldBack;
  }
  /** Another process has the job; this result is dropped. */
  | { readonly kind: "lost" };

class LeaseLost extends Error {}

/** The database has waited for its lock already. */
const STORE_AGAIN_MS = 1_000;

/** @param follow false: the next job is named and not queued, as after a manual run */
export async function conclude(
  ports: RuntimePorts,
  worked: Worked,
  options: LeaseTimes & { readonly follow: boolean },
): Promise<Concluded> {
  const heldBack = await holdBack(ports, worked);
  const held = heldBack && { heldBack };
  const again = options.follow && await onceThereIsBudget(ports, worked) ||
    await anotherAttempt(ports, worked, heldBack !== undefined, options);
  if (heldBack?.first) await tellHeldBack(ports, worked, heldBack, again);
  if (again !== undefined) return again.kind === "again" ? { ...again, ...held } : again;
  if (worked.chosen !== undefined && ports.profile === "host") {
    await seeWhatOthersTook(ports, worked);
  }
  const tickets = await ticketsToDecide(ports, worked);
  const decision = await decided(ports, worked, tickets, options);
  const id = uuidV7(ports.clock.now());
  try {
    const { follow } = options;
    const written = { id, decision, tickets, follow };
    const nextJob = await untilStored(ports, worked, written, options);
    await tellScores(ports.db, worked.job, ports.clock.now()).catch((thrown) => {
      // The next conclusion tells them.
      ports.log.write("warn", "scores were not told", { why: Failure.from(thrown).message });
    });
    return { kind: "decided", decision, id, ...(nextJob !== undefined && { nextJob }), ...held };
  } catch (thrown) {
    if (!(thrown instanceof LeaseLost)) throw thrown;
    ports.log.write("warn", "a result was dropped: the lease was lost", { job: worked.job.id });
    return { kind: "lost" };
  }
}

/**
 * The work is done, and must not be done again only because the database was away for a while: the lease is
 * kept until the job's end is stored. A person is told once no other process has the job.
 * @returns the next job's id @throws LeaseLost
 */
async function untilStored(
  ports: RuntimePorts,
  worked: Worked,
  written: DecisionWrite,
  times: LeaseTimes,
): Promise<string | undefined> {
  const { db, clock, log, signal } = ports;
  const store = () =>
    inTurnOf(db, worked.job.repo_id, (tx) => write({ ...ports, db: tx }, worked, written));
  const deadline = clock.monotonic() + (written.follow ? Infinity : JOB_LEASE_MS);
  const orWait = async (attempt: typeof store) => {
    try {
      return { nextJob: await attempt() };
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (!failure.detail.waits || clock.monotonic() >= deadline) throw thrown;
      log.write("warn", `a result waits to be stored: ${failure.message}`, { job: worked.job.id });
      return undefined;
    }
  };
  const first = await orWait(store);
  if (first !== undefined) return first.nextJob;
  return await whileHeld(ports, worked.job, async () => {
    for (;;) {
      await clock.sleep(STORE_AGAIN_MS, signal);
      signal.throwIfAborted();
      const stored = await orWait(async () => {
        // An earlier try was stored, although its answer never arrived.
        const before = await decisionById(db, written.id);
        return before === undefined ? await store() : before.next_job ?? undefined;
      });
      if (stored !== undefined) return stored.nextJob;
    }
  }, times);
}

/**
 * While a person has another branch checked out, its files show other tickets; the job's ticket then counts as
 * it was when the work began.
 */
async function ticketsToDecide(
  { profile }: RuntimePorts,
  { repo, taken }: Worked,
): Promise<readonly Ticket[]> {
  const { tickets } = await repo.tickets.list();
  if (profile !== "host" || taken === undefined) return tickets;
  if (await repo.branchFault() === undefined) return tickets;
  return [...tickets.filter(({ id }) => id !== taken.id), taken];
}

/**
 * Another node may have begun the ticket that the role chose. If the remote is away, what this node knows
 * counts.
 */
async function seeWhatOthersTook({ log, signal }: RuntimePorts, { repo }: Worked): Promise<void> {
  try {
    await repo.shared?.refresh();
  } catch (thrown) {
    signal.throwIfAborted();
    const { message, detail } = Failure.from(thrown);
    if (!detail.waits) throw thrown;
    log.write("warn", `tickets are handed out as they were: ${message}`, { repo: repo.root });
  }
}

async function holdBack(
  { db, clock }: RuntimePorts,
  worked: Worked,
): Promise<HeldBack | undefined> {
  const { fault, evidence, lane } = worked;
  if (fault?.detail.pausesLane !== true || lane === undefined) return undefined;
  const { category } = fault.detail;
  const pause = { kind: "model", key: lane, reason: clip(evidence), category } as const;
  return { lane, first: await pauseLane(db, pause, clock.now()) };
}

async function tellHeldBack(
  { db, clock }: RuntimePorts,
  { job, evidence }: Worked,
  { lane }: HeldBack,
  again: Concluded | undefined,
): Promise<void> {
  const status = again?.kind === "again" ? "pending" : "running";
  const more = { status, held_back: lane, reason: clip(evidence) };
  await recordJob(db, job, more, clock.now());
}

/** It is not the work's fault what others spend, so the job waits, and no attempt is used. */
async function onceThereIsBudget(
  { db, clock }: RuntimePorts,
  { job, disposition, raise, evidence }: Worked,
): Promise<Concluded | undefined> {
  if (raise === undefined || disposition !== "budget_exhausted") return undefined;
  const at = clock.now() + BUDGET_LOOK_MS;
  const wait = { until: at, reason: `${clip(evidence)}. ${raise}`, category: "budget" } as const;
  const status = await snoozeJob(db, job, wait, clock.now());
  return status === undefined ? { kind: "lost" } : { kind: "again", at, reason: wait.reason };
}

/** Undefined when no attempt is left, or another would not help. @param paused its model is held back */
async function anotherAttempt(
  ports: RuntimePorts,
  worked: Worked,
  paused: boolean,
  { follow }: { readonly follow: boolean },
): Promise<Concluded | undefined> {
  const { job, category, fault, evidence } = worked;
  const away = follow && worked.tally.turns === 0 && isAway(fault);
  const now = ports.clock.now();
  if (category === undefined || !(RETRIED.has(category) || paused)) return undefined;
  if (job.attempt >= job.max_attempts && !away) return undefined;
  // Due at once when a person resumes the lane.
  const next = paused ? { then: "snooze" as const, afterMs: 0 } : afterFailure({
    category,
    attempt: job.attempt,
    random: Math.random(),
    ...(fault?.detail.retryAfterMs !== undefined && { retryAfterMs: fault.detail.retryAfterMs }),
  });
  if (next.then === "give_up") return undefined;
  const at = now + next.afterMs;
  const reason = clip(evidence);
  const status = next.then === "snooze" || away
    ? await snoozeJob(ports.db, job, { until: at, reason }, now)
    : await retryJob(ports.db, job, { category, reason, runAfter: at }, now);
  return status === undefined ? { kind: "lost" } : { kind: "again", at, reason };
}

async function decided(
  ports: RuntimePorts,
  worked: Worked,
  tickets: readonly Ticket[],
  { follow }: { readonly follow: boolean },
): Promise<RouteDecision> {
  const { job, repo, manifest, proof, branch, chosen, question } = worked;
  const { profile, db } = ports;
  const ticket = tickets.find(({ id }) => id === job.ticket_id);
  const observer = profile === "observer";
  const seen = observer ? await rehearsed(db, repo.id, tickets) : new Set<string>();
  const known = new Set([...seen].map((key) => key.slice(key.indexOf(":") + 1)));
  const open = startable(tickets).map(({ id }) => id).filter((id) => !known.has(id));
  const decision = decide({
    ended: {
      role: job.role,
      disposition: worked.disposition,
      evidence: clip(worked.evidence),
      ...(chosen !== undefined && { chosen }),
      ...(question !== undefined && { question }),
      profile,
      committed: proof.committed,
      checks: proof.checks,
      failedChecks: proof.failedChecks,
      checkOutput: proof.checkOutput,
      redBefore: proof.redBefore,
      sameCommit: proof.sameCommit,
      merged: proof.merged,
      uncommitted: proof.uncommitted,
      objections: proof.objections,
      foreign: proof.foreign,
      planned: open.length > 0,
      ...pullOf(job),
    },
    ...(job.ticket_id !== null && ticket === undefined && { lost: job.ticket_id }),
    ticket: ticket && observer ? asIfTaken(ticket, manifest, job.role) : ticket,
    branch,
    manifest,
    startable: open,
    goesOn: follow && (open.length > 0 || await othersWork(db, job)),
  });
  return observer ? endRehearsal(decision, { seen, open: open.length }) : decision;
}

async function othersWork(db: Db, { id, repo_id, profile }: Job): Promise<boolean> {
  return (await liveJobs(db, repo_id)).some((job) => job.id !== id && job.profile === profile);
}

/** A rehearsal moves no ticket, so this gives the ticket the state that it would have. */
function asIfTaken(ticket: Ticket, { roles }: Manifest, role: string): Ticket {
  if (ticket.state !== "backlog") return ticket;
  const { submitted, approved } = roles[role]?.routes ?? {};
  const state = approved?.ticket === "done"
    ? "review"
    : submitted?.ticket === "review"
    ? "in-progress"
    : ticket.state;
  return { ...ticket, state };
}

/** @returns the next job's id @throws LeaseLost, and nothing is written */
async function write(
  ports: RuntimePorts,
  worked: Worked,
  written: DecisionWrite,
): Promise<string | undefined> {
  const { db, clock } = ports;
  const { job, repo } = worked;
  const now = clock.now();
  const { disposition } = written.decision;
  const held = await finish(db, job, {
    disposition,
    category: worked.category ?? null,
    reason: clip(worked.evidence),
    turns: worked.tally.turns,
    tokens_in: worked.tally.tokensIn,
    tokens_out: worked.tally.tokensOut,
    tokens_cached: worked.tally.cachedIn,
    ...worked.cost,
    tool_calls: worked.tally.toolCalls,
    head_commit: worked.proof.head ?? null,
    trace_path: worked.tracePath,
    model: worked.model?.id ?? null,
    evidence: worked.model?.evidence ?? null,
  }, now);
  if (!held) throw new LeaseLost();
  const nextJob = written.follow ? await follow(db, worked, written, now) : undefined;
  await recordDecision(db, decisionRow(ports, worked, written, { now, nextJob }));
  if (ports.profile === "host") await owe(db, worked, written, now);
  // A job that a person ended says nothing about the role.
  const failed = endStatus(disposition) === "failed" && disposition !== "cancelled";
  if (failed) await pauseFailingRole(db, job, now);
  if (disposition === "policy_denied" && ports.profile === "host") await demote(db, worked, now);
  const { id, repo_id, role, ticket_id } = job;
  const update = { id, repo_id, role, status: endStatus(disposition), disposition, ticket_id };
  const of = { repoId: repo_id, jobId: id };
  const said = { id: written.id, rule: written.decision.rule, role, disposition, ticket_id };
  const counted = { category: worked.category, role, repo_id: repo.id };
  await recordEvents(db, [
    { type: "job_update", ...of, data: update },
    { type: "decision", ...of, data: said },
    ...(worked.category === undefined
      ? []
      : [{ type: "telemetry", ...of, data: counted } as const]),
  ], now);
  return nextJob;
}

async function demote(db: Db, { job, manifest }: Worked, now: number): Promise<void> {
  const { repo_id: repoId, role } = job;
  const manifestLevel = manifest.roles[role]?.trust ?? "observer";
  const at = await policyDeniedAt(db, { repoId, role, since: now - DEMOTION_WINDOW_MS });
  await demoteIfDue(db, { repoId, role, manifestLevel, policyDeniedAt: at, now });
}

async function follow(
  db: Db,
  { job, manifest }: Worked,
  { id: decidedBy, decision: { next, disposition }, tickets }: DecisionWrite,
  now: number,
): Promise<string | undefined> {
  if (next === undefined) return undefined;
  const known = tickets.find(({ id }) => id === next.ticket);
  const ticket = next.ticket === undefined ? undefined : known ?? { id: next.ticket };
  // A ticket that is handed out is not the work of whoever made the job before it begin.
  const handedOut = disposition === "routed" && known !== undefined;
  const order = orderFor({ id: job.repo_id, manifest }, {
    role: next.role,
    trigger: "route",
    trust: handedOut ? trustOfTicket(known) : job.source_trust,
    ticket,
    branch: next.branch,
    decision: decidedBy,
  });
  const by = { now, profile: job.profile };
  // A job that has been claimed for a ticket of the backlog is about to take it.
  if (disposition === "routed" && ticket !== undefined) {
    return (await queueJob(db, order, by)).job.id;
  }
  return (await queueBehindRunning(db, order, by)).id;
}
