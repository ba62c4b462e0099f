/** What an engine is started with, what it tells while it runs, and how it is asked to stop. */
import { JOB_HEARTBEAT_MS, JOB_LEASE_MS, JOB_POLL_MS, STOP_KILL_MS } from "svc/core/bounds.ts";
import type { Turn } from "svc/features/agent/agent.ts";
import type { JobStatus } from "svc/features/jobs/job_machine.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { Identities } from "svc/platform/process/identity.ts";
import type { LimitFlags } from "svc/runtime/job/limits.ts";
import type { Audited } from "./liveness.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { JobReport } from "svc/runtime/job/run_job.ts";
import type { Settled } from "svc/runtime/settle/settle.ts";

/** How often the watchdog looks for leases that ran out: a lost worker is found in 75 s. */
const JOB_WATCH_MS = 15_000;

/** Looks whether what a merge or a move waits for has come. */
const ENGINE_SETTLE_MS = 30_000;

/** Audit of tickets (domain: liveness). */
const ENGINE_AUDIT_MS = 60_000;

/** Looks for work trees that have been kept long enough, and how long that is. */
const ENGINE_CLEANUP_MS = 60 * 60 * 1000;
const WORKTREE_KEEP_MS = 72 * 60 * 60 * 1000;

/** A job of a repo that cannot be worked on now is looked at again after this long. */
const ENGINE_REPO_WAIT_MS = 30_000;

/** The engine has signals of its own: whoever holds the first Ctrl-C calls `stop`. */
export interface EnginePorts extends Omit<RuntimePorts, "signal"> {
  readonly identities: Identities;
  /** Bytes that may still be written where work trees lie; without it nobody looks. */
  diskFree?(): Promise<number>;
}

/** Ms; the standing ones unless a test says otherwise. */
export interface EngineTimes {
  readonly pollMs: number;
  readonly watchMs: number;
  readonly settleMs: number;
  readonly auditMs: number;
  readonly cleanupMs: number;
  readonly repoWaitMs: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly killMs: number;
  readonly keepWorktreesMs: number;
}

export const ENGINE_TIMES: EngineTimes = {
  pollMs: JOB_POLL_MS,
  watchMs: JOB_WATCH_MS,
  settleMs: ENGINE_SETTLE_MS,
  auditMs: ENGINE_AUDIT_MS,
  cleanupMs: ENGINE_CLEANUP_MS,
  repoWaitMs: ENGINE_REPO_WAIT_MS,
  leaseMs: JOB_LEASE_MS,
  heartbeatMs: JOB_HEARTBEAT_MS,
  killMs: STOP_KILL_MS,
  keepWorktreesMs: WORKTREE_KEEP_MS,
};

export interface EnginePlan extends LimitFlags {
  readonly ports: EnginePorts;
  /** Asked anew for each round: a repo may be registered meanwhile. */
  repos(): Promise<readonly RegisteredRepo[]>;
  /** Jobs at a time; `ENGINE_CONCURRENCY` unless said otherwise. */
  readonly concurrency?: number;
  readonly modelEndpoint?: string | undefined;
  /** Prompts name what the code graph finds for the work. */
  readonly codeIntel?: boolean | undefined;
  /** Must not throw. */
  on?(event: EngineEvent): void;
  readonly times?: Partial<EngineTimes>;
}

/** What whoever watches is told; all but `text` and `step` was stored before. */
export type EngineEvent =
  | { readonly kind: "claimed"; readonly job: Job }
  | { readonly kind: "turn"; readonly job: Job; readonly turn: Turn }
  | { readonly kind: "text"; readonly job: Job; readonly delta: string }
  | { readonly kind: "step"; readonly job: Job; readonly text: string }
  | { readonly kind: "ended"; readonly job: Job; readonly report: JobReport }
  /** It did not come to an end and waits again, or its attempts are used up. */
  | { readonly kind: "given_back"; readonly job: Job; readonly reason: string }
  | { readonly kind: "rescued"; readonly job: Job; readonly status: JobStatus }
  | { readonly kind: "settled"; readonly repo: string; readonly settled: Settled }
  | { readonly kind: "audited"; readonly repo: string; readonly audited: readonly Audited[] }
  | { readonly kind: "cleaned"; readonly repo: string; readonly removed: readonly string[] }
  | { readonly kind: "claiming"; readonly reason: string | undefined }
  /** Why nothing can be done in a repo now; undefined when it can again. */
  | { readonly kind: "repo"; readonly repo: string; readonly problem: string | undefined }
  | { readonly kind: "stopping" }
  | { readonly kind: "stopped" };

export interface RunningJob {
  readonly job: string;
  readonly repo: string;
  readonly role: string;
  readonly ticket: string | null;
  readonly attempt: number;
  /** Turns that are over. */
  readonly turn: number;
  /** What it does now, in words. */
  readonly step: string;
  readonly ageMs: number;
}

export interface EngineState {
  readonly condition: "starting" | "running" | "stopping" | "stopped";
  readonly claims: "claiming" | "paused";
  /** Of a pause: a person's, a full disk, a database that fails. */
  readonly reason: string | undefined;
  readonly concurrency: number;
  readonly running: readonly RunningJob[];
  /** Last look for lost workers, epoch ms. */
  readonly watchedAt: number | undefined;
  /** Merges and moves that wait, and what for. */
  readonly waits: readonly { readonly repo: string; readonly id: string; readonly why: string }[];
  /** Repos in which nothing can be done now. */
  readonly problems: readonly { readonly repo: string; readonly why: string }[];
}

export interface StopAsked {
  /** Running jobs may go on for so long; `STOP_GRACE_MS` unless said otherwise. */
  readonly graceMs?: number;
}

export interface Engine {
  state(): EngineState;
  /** Stored: it holds for every process on this database until somebody resumes. Jobs that run go on. */
  pause(reason: string): Promise<void>;
  resume(): Promise<void>;
  /** There may be something to do: a job was enqueued, a checkout was cleaned. */
  wake(): void;
  /** A job that runs may have been cancelled: those who run one look now. */
  beat(): void;
  /** Tickets may be stale: they are looked at now. */
  audit(): void;
  /**
   * Graceful the first time; asked again while it goes on, it is a matter of 2 s. Never throws; jobs
   * that did not end are pending again, with no attempt used.
   */
  stop(asked?: StopAsked): Promise<void>;
  /** Resolves when what was left is in order and jobs are claimed, or when it has stopped before. */
  readonly begun: Promise<void>;
  /** Resolves when no job runs and none can be claimed now; at the latest when the engine has stopped. */
  idle(): Promise<void>;
  /** Resolves when it has stopped. Rejects when it could not begin. */
  readonly done: Promise<void>;
}
