/** What the workers and rounds of one engine share. */
import { abilitiesOf } from "svc/core/abilities.ts";
import { anyLimitLook } from "svc/features/jobs/job_limit_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { WakeUp } from "svc/features/jobs/wake_up.ts";
import { heldClaimsLook } from "svc/runtime/service/held_claims.ts";
import { claimsData, recordStatus } from "svc/runtime/service/status_event.ts";
import { ClaimGate } from "./claim_gate.ts";
import {
  ENGINE_TIMES,
  type EngineEvent,
  type EnginePlan,
  type EnginePorts,
  type EngineTimes,
} from "./engine_plan.ts";
import { RepoWatch } from "./repo_watch.ts";

export interface ClaimedJob {
  readonly job: Job;
  /** Monotonic ms. */
  readonly since: number;
  turn: number;
  step: string;
}

export interface RunningMergeCheck {
  readonly repo: string;
  /** Monotonic ms. */
  readonly since: number;
  step: string;
  /** Never rejects. */
  done: Promise<void>;
}

export interface PoolWorker {
  readonly name: string;
  /** Count of `wakeUp` before its last claim, which found no job; undefined while it may have one. */
  foundNothingAt: number | undefined;
  /** Its last claim failed. Perhaps only the answer was lost, and the job is claimed. */
  unanswered?: boolean;
}

export interface WorkerPool {
  readonly ports: EnginePorts;
  readonly plan: EnginePlan;
  readonly times: EngineTimes;
  /** Sent when there may be a job to claim. */
  readonly wakeUp: WakeUp;
  /** Sent when what a settlement waits for may have come. */
  readonly settleWakeUp: WakeUp;
  readonly idleSignal: WakeUp;
  readonly auditWakeUp: WakeUp;
  /** Sent when a running job may have been cancelled. */
  readonly heartbeatWakeUp: WakeUp;
  readonly gate: ClaimGate;
  readonly repos: RepoWatch;
  /** Whether there is any limit on how many jobs run. */
  limited(): Promise<boolean>;
  /** What this node can do; read once. */
  abilities(): Promise<readonly string[]>;
  readonly claimed: Map<string, ClaimedJob>;
  /** By repo. */
  readonly checking: Map<string, RunningMergeCheck>;
  paused: string | undefined;
  watchedAt: number | undefined;
  /** The one idle worker that polls for jobs of other processes. */
  poller: PoolWorker | undefined;
  readonly startable: Map<string, readonly string[]>;
  readonly waits: Map<string, readonly { readonly id: string; readonly why: string }[]>;
  readonly stopping: AbortSignal;
  readonly halt: AbortSignal;
  tell(event: EngineEvent): void;
}

export function newPool(plan: EnginePlan, stopping: AbortSignal, halt: AbortSignal): WorkerPool {
  const { ports } = plan;
  const tell: WorkerPool["tell"] = (event) => plan.on?.(event);
  const times = { ...ENGINE_TIMES, ...plan.times };
  let abilities: readonly string[] | undefined;
  const pool: WorkerPool = {
    ports,
    plan,
    times,
    wakeUp: new WakeUp(),
    settleWakeUp: new WakeUp(),
    idleSignal: new WakeUp(),
    auditWakeUp: new WakeUp(),
    heartbeatWakeUp: new WakeUp(),
    gate: new ClaimGate(
      ports,
      {
        changed(why) {
          const reason = why ?? pool.paused;
          tell({ kind: "claiming", reason });
          recordClaims(ports, reason);
        },
        held(holds) {
          tell({ kind: "held", holds });
          const day = holds.find(({ scope }) => scope === "day");
          recordClaims(ports, day?.says ?? pool.paused);
        },
      },
      heldClaimsLook(ports, times.limitsLookMs),
      times.claimRetry,
      () => plan.node?.hold(),
    ),
    repos: new RepoWatch(plan, (repo, problem) => tell({ kind: "repo", repo, problem })),
    limited: anyLimitLook(ports, times.limitsLookMs),
    async abilities() {
      abilities ??= abilitiesOf(await ports.settings());
      return abilities;
    },
    claimed: new Map(),
    checking: new Map(),
    startable: new Map(),
    paused: undefined,
    watchedAt: undefined,
    poller: undefined,
    waits: new Map(),
    stopping,
    halt,
    tell,
  };
  plan.node?.watch(() => ({ running: pool.claimed.size, fault: pool.gate.fault }));
  return pool;
}

/** Never throws: a failing database is one reason to pause, and it cannot store the event either. */
function recordClaims({ db, clock, log }: EnginePorts, reason: string | undefined): void {
  const state = reason === undefined ? "claiming" : "paused";
  recordStatus(db, state, clock.now(), claimsData(reason)).catch((cause) => {
    log.write("warn", "a change of claims could not be told", { state, cause });
  });
}
