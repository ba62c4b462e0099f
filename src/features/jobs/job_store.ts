/** The only module that writes the `jobs` table; a lease's generation fences its writes. */
import { JOB_ATTEMPTS, JOB_CRASHES, JOB_LEASE_MS } from "svc/core/bounds.ts";
import type { Disposition, FailureCategory } from "svc/core/disposition.ts";
import { uuidV7 } from "svc/core/ids.ts";
import { isOver } from "svc/core/time.ts";
import { sharedNow, sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { claimsOf } from "svc/store/server_adapter.ts";
import type { Life } from "svc/platform/process/identity.ts";
import { endStatus, type JobStatus } from "./job_machine.ts";
import { claimOne } from "./claim_query.ts";
import type { Claim } from "./claim_rules.ts";
import { Claims } from "./claims.ts";
import type { Job } from "./job_table.ts";
import type { LeaseWatch } from "./lease_watch.ts";
import { dispositionOf } from "./retry.ts";
import { isSummed, usedByJob } from "./use_store.ts";

type JobFields<Name extends keyof Job> = Readonly<Pick<Job, Name>>;

export interface NewJob extends
  JobFields<"repo_id" | "role" | "trigger" | "source_trust">,
  Partial<
    JobFields<
      | "ticket_id"
      | "profile"
      | "run_after"
      | "priority"
      | "max_attempts"
      | "lane"
      | "caused_by"
      | "unique_key"
      | "needs"
    >
  > {
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly parallel?: boolean;
}

export type Lease = JobFields<"id" | "generation">;

const NOTHING_YET = {
  disposition: null,
  category: null,
  reason: null,
  attempt: 0,
  crashes: 0,
  generation: 0,
  lease_owner: null,
  lease_until: null,
  heartbeat_at: null,
  cancel_requested: 0,
  started_at: null,
  finished_at: null,
  turns: 0,
  tokens_in: 0,
  tokens_out: 0,
  tool_calls: 0,
  model: null,
  evidence: null,
  head_commit: null,
  trace_path: null,
  tokens_cached: 0,
  cost_basis: null,
  cost_usd: null,
  node_id: null,
} satisfies Partial<Job>;

/** Returns the live job of the same `unique_key` if any. Send a `WakeUp` after the commit. */
export async function enqueue(
  db: Db,
  asked: NewJob,
  now: number,
): Promise<{ readonly job: Job; readonly existed: boolean }> {
  const id = uuidV7(now);
  const job = await db.insertInto("jobs").values({
    ticket_id: null,
    profile: "host",
    run_after: now,
    priority: 0,
    max_attempts: JOB_ATTEMPTS,
    lane: null,
    caused_by: null,
    unique_key: null,
    needs: null,
    ...asked,
    ...NOTHING_YET,
    id,
    status: "pending",
    payload: JSON.stringify(asked.payload ?? {}),
    parallel: asked.parallel ? 1 : 0,
    created_at: now,
  }).onConflict((on) =>
    // The empty update makes RETURNING give the existing row; SQLite matches the index by its text.
    on.column("unique_key")
      .where(sql<boolean>`status IN ('pending', 'running') AND unique_key IS NOT NULL`)
      .doUpdateSet({ unique_key: (is) => is.ref("excluded.unique_key") })
  ).returningAll().executeTakeFirstOrThrow();
  return { job, existed: job.id !== id };
}

/** A clock that was set back since strands neither a job that was to run at once, nor for long one that waits. */
export function isDue(
  { run_after, created_at }: Pick<Job, "run_after" | "created_at">,
  now: number,
): boolean {
  return isOver(run_after, now) || run_after === created_at;
}

const claimsOn = new WeakMap<object, Claims>();

/** No two workers get the same job: SQLite takes the write lock before it reads, PostgreSQL that of the row. */
export async function claimNext(db: Db, claim: Claim): Promise<Job | undefined> {
  const own = claim.jobId === undefined ? claimsOf(db) : undefined;
  if (own === undefined) {
    const { leaseMs = JOB_LEASE_MS } = claim;
    const query = { claim, now: sharedNow(db, claim.now), leaseMs };
    return (await claimOne(query).execute(db)).rows[0];
  }
  let claims = claimsOn.get(own);
  if (claims === undefined) claimsOn.set(own, claims = new Claims(own.db as Db, own.clock));
  return await claims.next(claim);
}

/**
 * A job that this owner has claimed without knowing it, because the answer was lost; a worker has one job at a
 * time.
 */
export async function claimedBy(db: Db, owner: string): Promise<Job | undefined> {
  return await db.selectFrom("jobs").selectAll().where("status", "=", "running")
    .where("lease_owner", "=", owner).executeTakeFirst();
}

/** `lost`: drop the work, as another worker may have it. `cancel`: held, but the job must stop. */
export async function heartbeat(
  db: Db,
  lease: Lease,
  now: number,
  leaseMs = JOB_LEASE_MS,
): Promise<"held" | "lost" | "cancel"> {
  const { rows } = await sql<Pick<Job, "cancel_requested">>`UPDATE jobs
    SET heartbeat_at = ${sharedNow(db, now)}, lease_until = ${sharedNow(db, now)} + ${leaseMs}
    WHERE id = ${lease.id} AND generation = ${lease.generation} AND status = 'running'
    RETURNING cancel_requested`.execute(db);
  if (rows[0] === undefined) return "lost";
  return rows[0].cancel_requested === 1 ? "cancel" : "held";
}

export async function assignLane(db: Db, lease: Lease, lane: string): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("jobs").set({ lane })
    .where("id", "=", lease.id).where("generation", "=", lease.generation)
    .where("status", "=", "running").executeTakeFirst();
  return numUpdatedRows === 1n;
}

export interface JobResult extends
  Partial<
    JobFields<
      | "turns"
      | "tokens_in"
      | "tokens_out"
      | "tool_calls"
      | "model"
      | "evidence"
      | "head_commit"
      | "trace_path"
      | "tokens_cached"
      | "cost_basis"
      | "cost_usd"
    >
  > {
  readonly disposition: Disposition;
  readonly category?: FailureCategory | null;
  readonly reason?: string | null;
}

/** False when the lease was lost: nothing is written, and the result must be dropped. */
export async function finish(
  db: Db,
  lease: Lease,
  result: JobResult,
  now: number,
): Promise<boolean> {
  const { disposition, category = null, reason = null } = result;
  const values = { ...result, category, reason, status: endStatus(disposition) };
  const set = Object.entries(values).filter(([name]) => !isSummed(name))
    .map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
  const { numAffectedRows } = await sql`UPDATE jobs SET ${sql.join(set)}, ${usedByJob(result)},
    finished_at = ${sharedNow(db, now)}, lease_owner = NULL, lease_until = NULL, heartbeat_at = NULL
    WHERE id = ${lease.id} AND generation = ${lease.generation} AND status = 'running'`.execute(db);
  return numAffectedRows === 1n;
}

interface GiveBack {
  readonly now: number;
  readonly runAfter?: number;
  readonly reason: string | null;
  readonly category: FailureCategory | null;
  readonly attemptUsed: boolean;
  readonly crashed?: boolean;
  /** Gives the job back only while this is still its heartbeat. */
  readonly heartbeatAt?: number;
}

/** Fails a job that was cancelled or has used up its tries. Undefined: the lease was lost. */
async function giveBack(db: Db, lease: Lease, back: GiveBack): Promise<JobStatus | undefined> {
  const { reason, category, attemptUsed, crashed = false, heartbeatAt } = back;
  const now = sharedNow(db, back.now);
  const died = crashed ? 1 : 0;
  const looped = sql<boolean>`crashes + ${died} >= ${JOB_CRASHES}`;
  const usedUp = attemptUsed ? sql<boolean>`attempt >= max_attempts` : sql<boolean>`1 = 0`;
  const over = sql<boolean>`(cancel_requested = 1 OR ${looped} OR ${usedUp})`;
  const end = category === null ? "internal_error" : dispositionOf(category);
  // The wait counts, from the time that all share.
  const runAfter = back.runAfter === undefined
    ? sql.ref("run_after")
    : sql`${now} + ${back.runAfter - back.now}`;
  const { rows } = await sql<Pick<Job, "status">>`UPDATE jobs SET
    status = CASE WHEN ${over} THEN 'failed' ELSE 'pending' END,
    disposition = CASE WHEN cancel_requested = 1 THEN 'cancelled' WHEN ${over} THEN ${end} END,
    reason = CASE WHEN cancel_requested = 1 THEN reason WHEN ${looped} THEN 'crash_loop'
      ELSE ${reason} END,
    category = CASE WHEN cancel_requested = 1 THEN category ELSE coalesce(${category}, nullif(category, 'budget')) END,
    finished_at = CASE WHEN ${over} THEN ${now} END,
    run_after = CASE WHEN ${over} THEN run_after ELSE ${runAfter} END,
    attempt = attempt - ${attemptUsed ? 0 : 1}, crashes = crashes + ${died},
    lease_owner = NULL, lease_until = NULL, heartbeat_at = NULL, ${usedByJob()}
    WHERE id = ${lease.id} AND generation = ${lease.generation} AND status = 'running'
      AND ${heartbeatAt === undefined ? sql`1 = 1` : sql`heartbeat_at = ${heartbeatAt}`}
    RETURNING status`.execute(db);
  return rows[0]?.status;
}

interface NextAttempt {
  readonly category: FailureCategory;
  readonly reason: string;
  /** Epoch ms. */
  readonly runAfter: number;
}

/** `pending` when another attempt is left, else `failed`; undefined: the lease was lost. */
export function retry(
  db: Db,
  lease: Lease,
  { category, reason, runAfter }: NextAttempt,
  now: number,
): Promise<JobStatus | undefined> {
  return giveBack(db, lease, { now, category, reason, runAfter, attemptUsed: true });
}

/** Uses no attempt. `failed` when the job's cancellation was requested. */
export function release(db: Db, lease: Lease, now: number): Promise<JobStatus | undefined> {
  return giveBack(db, lease, { now, category: null, reason: null, attemptUsed: false });
}

interface Snooze {
  /** Epoch ms. */
  readonly until: number;
  readonly reason: string;
  readonly category?: FailureCategory;
}

/** No attempt is used. */
export function snooze(
  db: Db,
  lease: Lease,
  { until, reason, category }: Snooze,
  now: number,
): Promise<JobStatus | undefined> {
  return giveBack(db, lease, {
    now,
    category: category ?? null,
    reason,
    runAfter: until,
    attemptUsed: false,
  });
}

/** Lets jobs that wait for more of a budget be looked at now. */
export async function wakeBudgetJobs(
  db: Db,
  repoIds: readonly string[],
  now: number,
): Promise<void> {
  if (repoIds.length === 0) return;
  await db.updateTable("jobs").set({ run_after: now }).where("repo_id", "in", [...repoIds])
    .where("status", "=", "pending").where("category", "=", "budget")
    .where("run_after", ">", now).execute();
}

/** Jobs that wait until a person raises a budget or its day turns; oldest first. */
export function budgetJobs(db: Db, repoIds: readonly string[], limit: number): Promise<Job[]> {
  return db.selectFrom("jobs").selectAll().where("repo_id", "in", [...repoIds])
    .where("status", "=", "pending").where("category", "=", "budget")
    .where("reason", "is not", null).orderBy("id").limit(limit).execute();
}

interface Rescue {
  readonly now: number;
  /** Called outside of transactions: in a confined Worker it waits for a message. */
  isAlive(owner: string): Life | Promise<Life>;
  readonly watch: LeaseWatch;
  /** Such as to kill the programs that its worker left. */
  before?(job: Job): Promise<unknown>;
}

interface Rescued {
  readonly job: Job;
  readonly status: JobStatus;
  readonly crashed: boolean;
}

/** At once for dead processes, else after a lease without a heartbeat. Not in a transaction. */
export async function rescueExpired(db: Db, rescue: Rescue): Promise<Rescued[]> {
  const { now, isAlive, watch, before } = rescue;
  watch.ask();
  const running = await db.selectFrom("jobs").selectAll().where("status", "=", "running")
    .orderBy("id").execute();
  watch.look(running);
  const rescued: Rescued[] = [];
  for (const job of running) {
    const crashed = await isAlive(job.lease_owner!) === "dead";
    if (!crashed && !watch.silent(job)) continue;
    await before?.(job);
    const status = await giveBack(db, job, {
      now,
      category: "lease_expired",
      reason: crashed ? "the process that ran it died" : "its worker gave no sign of life",
      runAfter: now,
      attemptUsed: true,
      crashed,
      heartbeatAt: job.heartbeat_at!,
    }).catch((thrown) => {
      watch.cannotWrite();
      throw thrown;
    });
    if (status !== undefined) rescued.push({ job, status, crashed });
  }
  return rescued;
}

/** `requested`: the worker learns it with its next heartbeat; `final`: the job had ended before. */
export async function cancel(
  db: Db,
  id: string,
  reason: string,
  now: number,
): Promise<"cancelled" | "requested" | "final" | undefined> {
  const { rows } = await sql<Pick<Job, "status">>`UPDATE jobs SET
    disposition = CASE WHEN status = 'pending' THEN 'cancelled' END,
    finished_at = CASE WHEN status = 'pending' THEN ${sharedNow(db, now)} END,
    cancel_requested = CASE WHEN status = 'pending' THEN 0 ELSE 1 END, reason = ${reason},
    status = CASE WHEN status = 'pending' THEN 'failed' ELSE status END
    WHERE id = ${id} AND status IN ('pending', 'running') RETURNING status`.execute(db);
  if (rows[0] !== undefined) return rows[0].status === "failed" ? "cancelled" : "requested";
  const found = await db.selectFrom("jobs").select("id").where("id", "=", id).executeTakeFirst();
  return found === undefined ? undefined : "final";
}

/** Only ended ones. Call it in a transaction, once nothing refers to them. */
export async function forgetJobs(db: Db, ids: readonly string[]): Promise<void> {
  await db.deleteFrom("jobs").where("id", "in", [...ids])
    .where("status", "in", ["completed", "failed"]).execute();
}
