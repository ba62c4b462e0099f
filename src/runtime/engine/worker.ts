/** One worker of an engine: claims a job, runs it, and gives it back if it did not come to an end. */
import { BUDGET_LOOK_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Turn } from "svc/features/agent/agent.ts";
import { shownStatus } from "svc/features/agent/call_result.ts";
import { releaseJob, retryJob, snoozeJob } from "svc/features/jobs/give_back_job.ts";
import { claimedBy, claimNext } from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { ownerText } from "svc/features/jobs/owner.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import { retryDelayMs } from "svc/features/jobs/retry.ts";
import { pendingSettlements } from "svc/features/routing/settlement_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { ClaimedJob, PoolWorker, WorkerPool } from "./worker_pool.ts";
import { cleanUpAfter } from "./cleanup.ts";
import { beginMergeChecks } from "./merge_checks.ts";
import { harnessIn } from "svc/runtime/job/harness_source.ts";
import { loadAgent } from "svc/runtime/job/load_agent.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { ReadyRepo } from "./repo_watch.ts";
import { settlePending } from "svc/runtime/settle/settle.ts";
import { dispatcherOf } from "svc/runtime/job/team.ts";

/** Runs until the engine stops; never throws because of a job. */
export async function work(pool: WorkerPool, worker: PoolWorker): Promise<void> {
  const { wakeUp, ports, stopping, times } = pool;
  const owner = ownerText(await ports.identities.self(), worker.name);
  while (!stopping.aborted) {
    const seen = wakeUp.count;
    const job = await claim(pool, worker, owner);
    if (job === undefined) {
      worker.foundNothingAt = seen;
      pool.idleSignal.send();
      pool.poller ??= worker;
      const ms = pool.poller === worker ? times.pollMs : times.watchMs;
      await wakeUp.wait(seen, ports.clock, ms, stopping);
      continue;
    }
    worker.foundNothingAt = undefined;
    if (pool.poller === worker) {
      pool.poller = undefined;
      wakeUp.send(); // another worker polls from now on, and there may be more jobs
    }
    await runClaimed(pool, job);
    wakeUp.send();
  }
}

async function claim(
  pool: WorkerPool,
  worker: PoolWorker,
  owner: string,
): Promise<Job | undefined> {
  const { gate, ports, times, stopping } = pool;
  const { db, clock } = ports;
  if (!await gate.open() || stopping.aborted) return undefined;
  try {
    // Other processes on this database run the jobs of other repos.
    const repoIds = (await pool.repos.all()).map(({ id }) => id);
    const lost = worker.unanswered ? await claimedBy(db, owner) : undefined;
    worker.unanswered = false;
    const { paused } = pool;
    const job = lost ?? await claimNext(db, {
      owner,
      now: clock.now(),
      leaseMs: times.leaseMs,
      repoIds,
      profile: pool.ports.profile,
      heldRoles: gate.heldRoles,
      limited: await pool.limited(),
      ...(ports.node && { node: ports.node.id, abilities: await pool.abilities() }),
    });
    if (job === undefined) {
      const state = await claimState(db);
      pool.paused = state.paused ? state.reason : undefined;
    } else if (lost === undefined && pool.paused === paused) {
      pool.paused = undefined; // another process has resumed
    }
    gate.passed();
    return job;
  } catch (thrown) {
    worker.unanswered = true;
    gate.failed(thrown);
    return undefined;
  }
}

async function runClaimed(pool: WorkerPool, job: Job): Promise<void> {
  const { ports, claimed, halt } = pool;
  const entry: ClaimedJob = { job, since: ports.clock.monotonic(), turn: 0, step: "" };
  claimed.set(job.id, entry);
  pool.tell({ kind: "claimed", job });
  try {
    const agent = loadAgent(ports);
    agent.catch(() => {}); // awaited below
    const ready = await openReady(pool, job);
    if (typeof ready === "string") await putOff(pool, job, inRepo(ready), pool.times.repoWaitMs);
    else {
      using _open = ready.repo;
      await perform(pool, entry, ready, (await agent).runJob);
    }
  } catch (thrown) {
    const failure = halt.aborted ? undefined : Failure.from(thrown);
    // Once a turn has happened, the attempt counts as used: otherwise model calls could be paid for again
    // without end.
    const begun = entry.turn > 0;
    if (failure?.detail.budget && !begun) await untilBudget(pool, job, failure);
    else if (failure?.detail.waits && !begun) {
      await putOff(pool, job, ...waitOf(pool, job, failure));
    } else await giveBack(pool, job, failure);
  } finally {
    claimed.delete(job.id);
  }
}

/** The job's repo, which the caller disposes; or a text that says why nothing can be done in it now. */
async function openReady(pool: WorkerPool, job: Job): Promise<ReadyRepo | string> {
  const { repos, halt } = pool;
  const row = (await repos.all()).find(({ id }) => id === job.repo_id);
  if (row === undefined) return "its repo is not registered any more";
  const owed = (await owedTo(pool, job)).length > 0;
  const ready = await repos.ready(row, halt, 0);
  if (typeof ready === "string") return ready;
  using opened = new DisposableStack();
  opened.use(ready.repo);
  const fault = await repos.obstacle(ready.repo) ?? await settleFirst(pool, ready.repo, job);
  if (fault !== undefined) return fault;
  // Another node may have settled it, after this one had fetched.
  if (owed && ready.repo.shared !== undefined) return await repos.ready(row, halt, 0);
  opened.move();
  return ready;
}

async function owedTo(
  { ports }: WorkerPool,
  { repo_id, ticket_id }: Job,
): Promise<readonly Settlement[]> {
  if (ticket_id === null || ports.profile !== "host") return [];
  const pending = await pendingSettlements(ports.db, repo_id);
  return pending.filter((one) => one.ticket_id === ticket_id);
}

/**
 * Settles what the job's ticket waits for. Before the ticket has moved, a role would judge it in the wrong
 * state.
 * @returns why the job must wait
 */
async function settleFirst(
  pool: WorkerPool,
  repo: Repo,
  job: Job,
): Promise<string | undefined> {
  const own = await owedTo(pool, job);
  if (own.length === 0) return undefined;
  // Shares the settling round with the job that asked for the move, and may be making it right now.
  const { waiting } = await settlePending({ ...pool.ports, signal: pool.halt }, repo);
  const wait = waiting.find(({ id }) => own.some((pending) => pending.id === id));
  return wait && `${job.ticket_id} waits for what is owed to it: ${wait.why}`;
}

async function perform(
  pool: WorkerPool,
  entry: ClaimedJob,
  { repo, manifest }: ReadyRepo,
  runJob: typeof import("svc/runtime/job/run_job.ts").runJob,
): Promise<void> {
  const { ports, plan, halt, times, wakeUp } = pool;
  const { job } = entry;
  const { modelEndpoint, maxTurns, budget, codeIntel } = plan;
  const report = await runJob({ ...ports, signal: halt }, {
    job,
    repo,
    manifest,
    harness: harnessIn(repo),
  }, {
    modelEndpoint,
    maxTurns,
    budget,
    codeIntel,
    follow: true,
    leaseMs: times.leaseMs,
    heartbeatMs: times.heartbeatMs,
    heartbeatWakeUp: pool.heartbeatWakeUp,
    onTurn: (turn) => recordTurn(pool, entry, turn),
    onText: (delta) => pool.tell({ kind: "text", job, delta }),
    onStep(text) {
      entry.step = text;
      pool.tell({ kind: "step", job, text });
    },
  });
  pool.tell({ kind: "ended", job, report });
  await beginMergeChecks(pool, repo);
  // Surveys waited because this job was expected to lead to the dispatcher. It did not, so an audit surveys the
  // repo now.
  const { concluded } = report;
  const endsHere = concluded.kind === "decided" && concluded.decision.next === undefined;
  if (endsHere && job.role !== dispatcherOf(manifest)) {
    pool.startable.set(job.repo_id, []);
    pool.auditWakeUp.send();
  }
  if (ports.profile !== "host") return;
  wakeUp.send(); // the next job need not wait for this
  // The decision may wait for a person: that is told now, not only in the next round.
  const owed = await pendingSettlements(ports.db, job.repo_id);
  if (owed.length > 0) pool.settleWakeUp.send();
  const removed = await cleanUpAfter({ ...ports, signal: halt }, repo, times.keepWorktreesMs);
  if (removed.length > 0) pool.tell({ kind: "cleaned", repo: repo.root, removed });
}

function lastDone({ calls, outcomes }: Turn): string {
  const said = calls.map(({ name, args }, at) => {
    const path = /"path":\s*"([^"\\]+)"/.exec(args)?.[1];
    const what = path === undefined ? name : `${name} ${path}`;
    const outcome = outcomes[at];
    const status = outcome === undefined ? "ok" : shownStatus(outcome);
    return status === "ok" ? what : `${what}: ${status}`;
  });
  return said.length === 0 ? "wrote without calling a tool" : said.join(", ");
}

function recordTurn(pool: WorkerPool, entry: ClaimedJob, turn: Turn): void {
  const { ports: { db, clock, log } } = pool;
  const { job } = entry;
  entry.turn = turn.turn;
  entry.step = lastDone(turn);
  const data = {
    id: job.id,
    repo_id: job.repo_id,
    role: job.role,
    ticket_id: job.ticket_id,
    turn: turn.turn,
    tokens_in: turn.tokensIn,
    tokens_out: turn.tokensOut,
    tools: turn.calls.map(({ name }) => name),
  };
  const event = { type: "job_turn", repoId: job.repo_id, jobId: job.id, data } as const;
  recordEvent(db, event, clock.now()).catch((cause) => {
    // The trace has the turn, so a busy database does not end the job.
    log.write("warn", "a turn could not be told", { job: job.id, cause });
  });
  pool.tell({ kind: "turn", job, turn });
}

const inRepo = (why: string) => `nothing can be done in its repo now: ${why}`;

/** Share of a job's age after which svc looks for its model again: soon at first, then less often. */
const MODEL_LOOK_SHARE = 0.2;

/** Why it waits, and how long in ms. */
function waitOf(
  { times, ports: { clock } }: WorkerPool,
  job: Job,
  { message, detail: { cause, retryAfterSecs = 0 } }: Failure,
): [string, number] {
  if (!(cause instanceof Error && cause.name === "ModelFault")) {
    return [inRepo(message), times.repoWaitMs];
  }
  const share = MODEL_LOOK_SHARE * (clock.now() - job.created_at);
  const { modelLookMs, modelLookMaxMs } = times;
  const wait = Math.min(Math.max(share, modelLookMs), modelLookMaxMs);
  return [message, Math.round(Math.max(wait, 1000 * retryAfterSecs))];
}

/** Snoozes a job that was not begun, with the reason; no attempt is used. */
async function putOff(pool: WorkerPool, job: Job, reason: string, waitMs: number): Promise<void> {
  const { ports: { db, clock } } = pool;
  await untilWritten(pool, () => {
    const now = clock.now();
    return snoozeJob(db, job, { until: now + waitMs, reason }, now);
  });
  pool.tell({ kind: "given_back", job, reason });
}

/**
 * No attempt is used: the job waits until a person raises the budget, its day is over, or the jobs that have
 * reserved it end.
 */
async function untilBudget(pool: WorkerPool, job: Job, failure: Failure): Promise<void> {
  const { ports: { db, clock } } = pool;
  const reason = `${failure.message}. ${failure.remedy}`;
  await untilWritten(pool, () => {
    const now = clock.now();
    return snoozeJob(db, job, { until: now + BUDGET_LOOK_MS, reason, category: "budget" }, now);
  });
  pool.tell({ kind: "given_back", job, reason });
}

/** @param failure undefined: the engine stops, so no attempt is used */
async function giveBack(pool: WorkerPool, job: Job, failure: Failure | undefined): Promise<void> {
  const { db, clock, log } = pool.ports;
  if (failure === undefined) {
    await untilWritten(pool, () => releaseJob(db, job, clock.now()));
    return pool.tell({ kind: "given_back", job, reason: "svc stops" });
  }
  const { message: reason } = failure;
  log.write("error", reason, { job: job.id, cause: failure.cause ?? failure });
  await untilWritten(pool, () => {
    const now = clock.now();
    const runAfter = now + retryDelayMs(job.attempt, Math.random());
    // Changes nothing when the job has ended and what followed its end failed.
    return retryJob(db, job, { category: "internal", reason, runAfter }, now);
  });
  pool.tell({ kind: "given_back", job, reason });
}

/**
 * Retries until the row is written, since otherwise the job would wait for its lease to end. If the engine
 * stops first, the next process sees that this one is dead, and takes the job back.
 */
async function untilWritten(pool: WorkerPool, write: () => Promise<unknown>): Promise<void> {
  const { gate, ports: { clock }, stopping, times: { claimRetry: { firstMs, mostMs } } } = pool;
  for (let delayMs = firstMs;; delayMs = Math.min(delayMs * 2, mostMs)) {
    try {
      await write();
      return;
    } catch (thrown) {
      gate.failed(thrown);
      if (stopping.aborted) return;
      await clock.sleep(delayMs, stopping);
    }
  }
}
