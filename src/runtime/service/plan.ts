/** What a living service is started with, what it tells while it lives, and what may be asked of it. */
import type { Disposition } from "svc/core/disposition.ts";
import type { Profile } from "svc/core/permission.ts";
import type { JobStatus } from "svc/features/jobs/job_machine.ts";
import type { Lane } from "svc/features/jobs/lane_table.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { Event } from "svc/features/telemetry/event_store.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import type {
  EngineEvent,
  EnginePorts,
  EngineState,
  EngineTimes,
  StopAsked,
} from "svc/runtime/engine/engine_plan.ts";
import type { LimitFlags } from "svc/runtime/job/limits.ts";
import type { SchedulerEvent } from "./scheduler.ts";
import type { Surveyed } from "./survey.ts";

/** `start` keeps one repo going, `serve` all of a database (spec section 1). */
export type Shape = "start" | "serve";

export interface ServicePlan extends LimitFlags {
  readonly ports: EnginePorts;
  readonly shape: Shape;
  /** Asked anew each time: a repo may be registered meanwhile. */
  repos(): Promise<readonly RegisteredRepo[]>;
  readonly concurrency?: number;
  readonly modelEndpoint?: string | undefined;
  /** Prompts name what the code graph finds for the work. */
  readonly codeIntel?: boolean | undefined;
  /** Must not throw. */
  on?(event: ServiceEvent): void;
  readonly times?: Partial<ServiceTimes>;
}

/** Ms; the standing ones unless a test says otherwise. */
export interface ServiceTimes extends EngineTimes {
  readonly restartGraceMs: number;
  readonly feedMs: number;
}

export interface Scanned {
  readonly repo_id: string;
  readonly findings: number;
  /** Tickets that were written; none by an observer, who writes nothing. */
  readonly created: number;
  /** Gaps that an open ticket names already: groups of findings, as a ticket is for one. */
  readonly deduplicated: number;
  /** Stale tickets that were found. */
  readonly stale: number;
}

export type ServiceEvent =
  | EngineEvent
  | SchedulerEvent
  | { readonly kind: "surveyed"; readonly surveyed: readonly Surveyed[] }
  | { readonly kind: "scanned"; readonly repo: string; readonly scanned: Scanned }
  | { readonly kind: "restarting" }
  | { readonly kind: "emergency" };

export type Condition = "starting" | "running" | "restarting" | "stopping" | "stopped";

export interface RepoStatus {
  readonly id: string;
  /** Last part of its path; the API never gives more of it. */
  readonly basename: string;
  /** Real path; for the terminal of its owner only. */
  readonly root: string;
  readonly branch: string;
  /** Why nothing, or not everything, can be done in it now. */
  readonly problem: string | undefined;
  readonly tickets: Readonly<Record<TicketState, number>>;
  /** Soonest first; without a time: what no clock brings. */
  readonly next: readonly {
    readonly role: string;
    readonly at: number | undefined;
    readonly why: string;
  }[];
}

/** Facts of one moment; `asOf` and the ages say how old each is. Times are epoch ms. */
export interface ServiceStatus extends Omit<EngineState, "condition" | "problems"> {
  readonly asOf: number;
  readonly shape: Shape;
  readonly profile: Profile;
  readonly condition: Condition;
  /** It runs and its database answers. */
  readonly healthy: boolean;
  readonly startedAt: number;
  readonly jobs: Readonly<Record<JobStatus, number>>;
  readonly repos: readonly RepoStatus[];
  /** Models, and roles of these repos, whose jobs wait for a person. */
  readonly heldBack: readonly Pick<Lane, "kind" | "key" | "reason">[];
  /** Newest first, a few. */
  readonly decisions: readonly {
    readonly id: string;
    readonly at: number;
    readonly repoId: string;
    readonly role: string;
    readonly ticket: string | null;
    readonly disposition: Disposition;
    readonly move: string | null;
    readonly nextRole: string | null;
    readonly stop: string | null;
    readonly applied: boolean;
  }[];
}

/** Stored events in their order, as they come; those of other processes on the database too. */
export interface EventFeed {
  /** Id of the newest event that was told. */
  readonly last: number;
  /** @returns ends the subscription. `listener` must not throw. */
  subscribe(listener: (event: Event) => void): () => void;
  /** Stored ones after `id`, in order, the newest `limit` of them. */
  after(id: number, limit: number): Promise<Event[]>;
}

export interface Service {
  readonly feed: EventFeed;
  /** Of memory and a short cache; never throws: what could not be read is named as a repo's problem. */
  status(): Promise<ServiceStatus>;
  /** Stored: holds for every process on the database. Jobs that run go on. */
  pause(reason: string): Promise<void>;
  resume(): Promise<void>;
  /**
   * Warm: workers stop as in a graceful stop, manifests and triggers are read anew, workers start.
   * Asked again meanwhile, it is the same restart. @throws Failure `conflict` while it stops
   */
  restart(): Promise<void>;
  /**
   * @throws Failure `not_found` for a repo that is not of this service; `conflict` while its
   *   registered branch is not checked out
   */
  scan(repoId: string): Promise<Scanned>;
  /**
   * Queues a manual run by the manifest as it is now, on the role's next ticket where it works on
   * tickets. One that a person asked for and that has not ended is the same run (`existed`).
   * @throws Failure `not_found` for a repo that is not of this service, a role that is not of its
   *   manifest, or no ticket for it; `conflict` while the manifest cannot be read
   */
  runRole(
    repoId: string,
    role: string,
  ): Promise<{ readonly job: string; readonly existed: boolean }>;
  /** Stops one job: what runs is ended, what waits never begins. @throws Failure `not_found`, `conflict` when it has ended */
  cancelJob(jobId: string, reason: string): Promise<void>;
  /** Claims are paused, in the database, and all that runs is ended within seconds; the listeners stay. */
  emergencyStop(): Promise<void>;
  wake(): void;
  /** Graceful the first time; asked again, a matter of 2 s. Never throws. */
  stop(asked?: StopAsked): Promise<void>;
  /** Resolves when it has stopped. Rejects when it could not begin. */
  readonly done: Promise<void>;
}
