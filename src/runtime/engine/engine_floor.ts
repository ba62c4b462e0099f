/** What the workers and rounds of one engine share. */
import type { JobBell } from "svc/features/jobs/job_bell.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { ClaimGate } from "./claim_gate.ts";
import type { EngineEvent, EnginePlan, EnginePorts, EngineTimes } from "./engine_plan.ts";
import type { RepoWatch } from "./repo_watch.ts";

/** A job in the hands of a worker. */
export interface InHand {
  readonly job: Job;
  /** Monotonic ms. */
  readonly since: number;
  turn: number;
  step: string;
}

/** One worker's place. */
export interface Seat {
  readonly name: string;
  /** Rings of the bell before it last looked in vain; undefined while it may have a job. */
  sawNothing: number | undefined;
}

export interface Floor {
  readonly ports: EnginePorts;
  readonly plan: EnginePlan;
  readonly times: EngineTimes;
  /** There may be a job. */
  readonly bell: JobBell;
  /** Something may have come that a settlement waits for. */
  readonly settleBell: JobBell;
  /** A worker has looked in vain. */
  readonly lull: JobBell;
  /** Tickets may be stale. */
  readonly auditBell: JobBell;
  /** A job that runs may have been cancelled. */
  readonly beatBell: JobBell;
  readonly gate: ClaimGate;
  readonly repos: RepoWatch;
  readonly inHand: Map<string, InHand>;
  /** A person's pause, as last seen. */
  paused: string | undefined;
  watchedAt: number | undefined;
  /** Which of the workers that rest looks for jobs of other processes; one is enough. */
  poller: Seat | undefined;
  /** By repo: tickets that could be begun at the last audit. */
  readonly startable: Map<string, readonly string[]>;
  readonly waits: Map<string, readonly { readonly id: string; readonly why: string }[]>;
  /** No more claims. */
  readonly stopping: AbortSignal;
  /** Jobs give up. */
  readonly halt: AbortSignal;
  tell(event: EngineEvent): void;
}
