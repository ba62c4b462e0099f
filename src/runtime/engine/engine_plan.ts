/** The contract of an engine: plan, times, events, state, and how it is stopped. */
import {
  CLAIM_RETRY_MAX_MS,
  CLAIM_RETRY_MS,
  JOB_HEARTBEAT_MS,
  JOB_LEASE_MS,
  JOB_POLL_MS,
  STOP_KILL_MS,
} from "svc/core/bounds.ts";
import type { Turn } from "svc/features/agent/agent.ts";
import type { ClaimHold } from "svc/features/jobs/claim_limits.ts";
import type { JobStatus } from "svc/features/jobs/job_machine.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { RemoveOwn } from "svc/platform/files/remove_below.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { LimitFlags } from "svc/runtime/job/limits.ts";
import type { Audited } from "./liveness.ts";
import type { OwnerPorts } from "svc/runtime/ports.ts";
import type { HeldNode } from "svc/runtime/service/node_life.ts";
import type { JobReport } from "svc/runtime/job/job_plan.ts";
import type { Settled } from "svc/runtime/settle/settle.ts";

/** Time between two looks for expired leases: a lost worker is found in 75 s. */
const JOB_WATCH_MS = 15_000;

const ENGINE_SETTLE_MS = 30_000;

const ENGINE_AUDIT_MS = 60_000;

/** Time between two clean-ups, and how long a work tree is kept whose ticket is not done. */
const ENGINE_CLEANUP_MS = 60 * 60 * 1000;
export const WORKTREE_KEEP_MS = 72 * 60 * 60 * 1000;

/** Time between two looks whether the day's retention is due, or the disk is nearly full. */
const ENGINE_RETENTION_MS = 5 * 60 * 1000;

/** Time between two looks into the config for the limits of the day. */
const ENGINE_LIMITS_LOOK_MS = 5_000;

const ENGINE_REPO_WAIT_MS = 30_000;

/** Between two looks whether a model is back that was away; one look is one short request. */
const ENGINE_MODEL_LOOK_MS = 3_000;
const ENGINE_MODEL_LOOK_MAX_MS = 60_000;

/** Without a signal: the engine has its own, and Ctrl-C calls `stop`. */
export interface EnginePorts extends Omit<OwnerPorts, "signal"> {
  /** Free bytes where work trees lie; without it nothing is checked. */
  diskFree?(): Promise<number>;
  readonly removeOwn: RemoveOwn;
}

/** Before a write that failed is tried again; each failure in a row doubles it. Milliseconds. */
export interface ClaimRetry {
  readonly firstMs: number;
  readonly mostMs: number;
}

export const CLAIM_RETRY: ClaimRetry = { firstMs: CLAIM_RETRY_MS, mostMs: CLAIM_RETRY_MAX_MS };

/** Milliseconds; only tests replace the defaults. */
export interface EngineTimes {
  readonly pollMs: number;
  readonly watchMs: number;
  readonly settleMs: number;
  readonly auditMs: number;
  readonly cleanupMs: number;
  readonly retentionMs: number;
  readonly limitsLookMs: number;
  readonly repoWaitMs: number;
  readonly modelLookMs: number;
  readonly modelLookMaxMs: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly killMs: number;
  readonly keepWorktreesMs: number;
  readonly claimRetry: ClaimRetry;
}

export const ENGINE_TIMES: EngineTimes = {
  pollMs: JOB_POLL_MS,
  watchMs: JOB_WATCH_MS,
  settleMs: ENGINE_SETTLE_MS,
  auditMs: ENGINE_AUDIT_MS,
  cleanupMs: ENGINE_CLEANUP_MS,
  retentionMs: ENGINE_RETENTION_MS,
  limitsLookMs: ENGINE_LIMITS_LOOK_MS,
  repoWaitMs: ENGINE_REPO_WAIT_MS,
  modelLookMs: ENGINE_MODEL_LOOK_MS,
  modelLookMaxMs: ENGINE_MODEL_LOOK_MAX_MS,
  leaseMs: JOB_LEASE_MS,
  heartbeatMs: JOB_HEARTBEAT_MS,
  killMs: STOP_KILL_MS,
  keepWorktreesMs: WORKTREE_KEEP_MS,
  claimRetry: CLAIM_RETRY,
};

export interface EnginePlan extends LimitFlags {
  readonly ports: EnginePorts;
  repos(): Promise<readonly RegisteredRepo[]>;
  readonly concurrency?: number;
  readonly modelEndpoint?: string | undefined;
  readonly codeIntel?: boolean | undefined;
  /** Whether this process looks after repos that all nodes have; without it there are none. */
  leads?(): boolean;
  /** Set where the database is a server's. */
  readonly node?: HeldNode | undefined;
  on?(event: EngineEvent): void;
  readonly times?: Partial<EngineTimes>;
}

/** All but `text` and `step` is stored before it is told. */
export type EngineEvent =
  | { readonly kind: "claimed"; readonly job: Job }
  | { readonly kind: "turn"; readonly job: Job; readonly turn: Turn }
  | { readonly kind: "text"; readonly job: Job; readonly delta: string }
  | { readonly kind: "step"; readonly job: Job; readonly text: string }
  | { readonly kind: "ended"; readonly job: Job; readonly report: JobReport }
  /** The job did not end: it waits again, or its attempts are used up. */
  | { readonly kind: "given_back"; readonly job: Job; readonly reason: string }
  | { readonly kind: "rescued"; readonly job: Job; readonly status: JobStatus }
  | { readonly kind: "settled"; readonly repo: string; readonly settled: Settled }
  /** A merge is checked before it lands, beside the jobs. */
  | { readonly kind: "merge_check"; readonly repo: string; readonly text: string }
  | { readonly kind: "audited"; readonly repo: string; readonly audited: readonly Audited[] }
  | { readonly kind: "cleaned"; readonly repo: string; readonly removed: readonly string[] }
  | { readonly kind: "claiming"; readonly reason: string | undefined }
  /** Limits of the day that hold jobs back; none when they let jobs begin again. */
  | { readonly kind: "held"; readonly holds: readonly ClaimHold[] }
  /** Undefined when the repo can be worked on again. */
  | { readonly kind: "repo"; readonly repo: string; readonly problem: string | undefined }
  | { readonly kind: "stopping" }
  | { readonly kind: "stopped" };

export interface RunningJob {
  readonly job: string;
  readonly repo: string;
  readonly role: string;
  readonly ticket: string | null;
  readonly attempt: number;
  readonly turn: number;
  readonly step: string;
  readonly ageMs: number;
}

export interface EngineState {
  readonly condition: "starting" | "running" | "stopping" | "stopped";
  readonly claims: "claiming" | "paused";
  readonly reason: string | undefined;
  /** Limits of the day that hold jobs back. */
  readonly holds: readonly ClaimHold[];
  readonly concurrency: number;
  readonly running: readonly RunningJob[];
  /** Merges that are being checked. */
  readonly checking: readonly {
    readonly repo: string;
    readonly step: string;
    readonly ageMs: number;
  }[];
  /** Epoch ms. */
  readonly watchedAt: number | undefined;
  readonly waits: readonly { readonly repo: string; readonly id: string; readonly why: string }[];
  readonly problems: readonly { readonly repo: string; readonly why: string }[];
}

export interface StopOptions {
  /** Time that running jobs get to end; default `STOP_GRACE_MS`. */
  readonly graceMs?: number;
}

export interface Engine {
  state(): EngineState;
  /** As in the state, which takes longer to tell. */
  claims(): EngineState["claims"];
  /** Stops claims in every process on this database until somebody resumes. Running jobs go on. */
  pause(reason: string): Promise<void>;
  resume(): Promise<void>;
  wake(): void;
  /** Sends the heartbeats of running jobs now, which notices cancelled ones. */
  checkCancelled(): void;
  audit(): void;
  /**
   * Graceful; a second call shortens it to 2 s. Never throws. Jobs that did not end are pending again,
   * with no attempt used.
   */
  stop(options?: StopOptions): Promise<void>;
  /** Resolves when the first rounds are done and jobs are claimed, or when it stops before. */
  readonly begun: Promise<void>;
  /** Resolves when no job runs and none can be claimed, or when the engine has stopped. */
  idle(): Promise<void>;
  /** Rejects when the engine could not begin. */
  readonly done: Promise<void>;
}
