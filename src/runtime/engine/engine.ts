/** Runs jobs until it is stopped: workers claim jobs, and rounds repair what a crash or a wait left behind. */
import { ENGINE_CONCURRENCY, STOP_AT_ONCE_MS, STOP_GRACE_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { releaseJob } from "svc/features/jobs/give_back_job.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import { within } from "svc/platform/clock.ts";
import { pauseClaims, resumeClaims } from "svc/runtime/service/status_event.ts";
import { hearOfJobs } from "svc/store/server_adapter.ts";
import type { Engine, EnginePlan, EngineState, StopOptions } from "./engine_plan.ts";
import { roundsOf } from "./rounds.ts";
import { work } from "./worker.ts";
import { newPool, type PoolWorker, type WorkerPool } from "./worker_pool.ts";

export type { Engine, EngineEvent, EnginePlan, EngineState } from "./engine_plan.ts";

/** Cleans up after an earlier process, before the first claim. */
export function startEngine(plan: EnginePlan): Engine {
  const { concurrency = ENGINE_CONCURRENCY, ports: { db, clock } } = plan;
  const stopping = new AbortController();
  const halt = new AbortController();
  const hurry = new AbortController();
  const pool = newPool(plan, stopping.signal, halt.signal);
  const { wakeUp, settleWakeUp, idleSignal } = pool;
  const workers: PoolWorker[] = Array.from({ length: concurrency }, (_, index) => ({
    name: `w${index + 1}`,
    foundNothingAt: undefined,
  }));
  let condition: EngineState["condition"] = "starting";
  let stopped: Promise<void> | undefined;
  const begun = Promise.withResolvers<void>();

  async function run(): Promise<void> {
    const rounds = roundsOf(pool);
    const state = await claimState(db).catch(() => undefined); // the first claim says what is wrong
    pool.paused = state?.paused ? state.reason : undefined;
    await rounds.first();
    if (condition === "starting") condition = "running";
    begun.resolve();
    const heard = hearOfJobs(db, () => wakeUp.send(), stopping.signal);
    await Promise.all([heard, rounds.all(), ...workers.map((worker) => work(pool, worker))]);
    await Promise.all([...pool.checking.values()].map(({ done }) => done));
  }
  const running = run();
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  done.catch(() => {}); // whoever awaits it sees it
  running.catch((thrown) => {
    stopping.abort();
    condition = "stopped";
    begun.resolve();
    reject(thrown);
  });

  async function claiming(reason: string | undefined): Promise<void> {
    if (reason === undefined) await resumeClaims(db, clock.now());
    else await pauseClaims(db, reason, clock.now());
    pool.paused = reason;
    pool.tell({ kind: "claiming", reason: reason ?? pool.gate.reason });
    wakeUp.send();
  }

  return {
    state: () => stateOf(pool, condition, concurrency),
    claims: () => claimsOf(pool),
    pause: (reason) => claiming(reason),
    resume: () => claiming(undefined),
    wake() {
      wakeUp.send();
      settleWakeUp.send();
    },
    checkCancelled: () => pool.heartbeatWakeUp.send(),
    audit() {
      // A ticket may have left the backlog and come back since the last one.
      for (const id of pool.startable.keys()) pool.startable.set(id, []);
      pool.auditWakeUp.send();
    },
    begun: begun.promise,
    stop(options = {}) {
      if (stopped !== undefined) {
        hurry.abort();
        return stopped;
      }
      condition = "stopping";
      pool.tell({ kind: "stopping" });
      stopping.abort();
      stopped = windDown(pool, {
        ...options,
        running: running.catch(() => {}), // `done` says so
        halt: (reason) => halt.abort(reason),
        hurry: hurry.signal,
      }).then(() => {
        condition = "stopped";
        pool.tell({ kind: "stopped" });
        resolve();
      });
      return stopped;
    },
    async idle() {
      while (!stopping.signal.aborted) {
        const seen = idleSignal.count;
        const idle = workers.every(({ foundNothingAt }) => foundNothingAt === wakeUp.count);
        if (idle && pool.claimed.size + pool.checking.size === 0) return;
        await idleSignal.wait(seen, clock, pool.times.pollMs, stopping.signal);
      }
      await done;
    },
    done,
  };
}

interface WindDown extends StopOptions {
  readonly running: Promise<unknown>;
  halt(reason: Failure): void;
  readonly hurry: AbortSignal;
}

/**
 * Lets running jobs end, then stops them, then gives them back; no job is claimed any more by then. Never
 * throws.
 */
async function windDown(pool: WorkerPool, plan: WindDown): Promise<void> {
  const { running, halt, hurry, graceMs = STOP_GRACE_MS } = plan;
  const { times: { killMs }, ports: { clock, db, log } } = pool;
  if (await within(clock, graceMs, running, hurry)) return;
  halt(new Failure("interrupted", "Stopped: svc ends"));
  // The platform sends TERM, and KILL 5 s later; a second stop sends KILL at once.
  if (!hurry.aborted && await within(clock, killMs, running, hurry)) return;
  await sweepAll(pool);
  if (await within(clock, STOP_AT_ONCE_MS, running)) return;
  for (const { job } of pool.claimed.values()) {
    log.write("error", "a job did not stop in time", { job: job.id });
    await releaseJob(db, job, clock.now()).catch((cause) => {
      log.write("error", "a lease could not be given back", { job: job.id, cause });
    });
  }
}

async function sweepAll({ claimed, ports: { log, processes, profile } }: WorkerPool) {
  if (profile !== "host") return;
  await Promise.all([...claimed.keys()].map((id) =>
    processes.sweep(id).catch((cause) => {
      log.write("error", "what a job started could not be ended", { job: id, cause });
    })
  ));
}

function claimsOf({ gate, paused }: WorkerPool): EngineState["claims"] {
  return (paused ?? gate.reason) === undefined ? "claiming" : "paused";
}

function stateOf(
  pool: WorkerPool,
  condition: EngineState["condition"],
  concurrency: number,
): EngineState {
  const { gate, paused, claimed, ports: { clock }, watchedAt, repos } = pool;
  const reason = paused ?? gate.reason;
  return {
    condition,
    concurrency,
    reason,
    holds: gate.holds,
    watchedAt,
    problems: repos.problems,
    claims: claimsOf(pool),
    running: [...claimed.values()].map(({ job, since, turn, step }) => ({
      job: job.id,
      repo: job.repo_id,
      role: job.role,
      ticket: job.ticket_id,
      attempt: job.attempt,
      turn,
      step,
      ageMs: clock.monotonic() - since,
    })),
    checking: [...pool.checking.values()].map(({ repo, step, since }) => ({
      repo,
      step,
      ageMs: clock.monotonic() - since,
    })),
    waits: [...pool.waits].flatMap(([repo, all]) => all.map((wait) => ({ repo, ...wait }))),
  };
}
