/** The contract of a running service: plan, events, status, and what may be asked of it. */
import type { Disposition } from "svc/core/disposition.ts";
import type { Profile } from "svc/core/permission.ts";
import type { JobStatus } from "svc/features/jobs/job_machine.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { Lane } from "svc/features/jobs/lane_table.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { Event } from "svc/features/telemetry/event_store.ts";
import type { AskedQuestion } from "svc/core/question.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import type {
  EngineEvent,
  EnginePlan,
  EnginePorts,
  EngineState,
  EngineTimes,
  StopOptions,
} from "svc/runtime/engine/engine_plan.ts";
import type { InboxService } from "svc/runtime/inbox/person_act.ts";
import type { LimitFlags } from "svc/runtime/job/limits.ts";
import type { SentReports } from "svc/features/telemetry/send_reports.ts";
import type { JobControls } from "./job_asks.ts";
import type { NodeItem } from "svc/runtime/views/node_item.ts";
import type { NodeControls } from "./node_asks.ts";
import type { ReportPlan } from "./report_loop.ts";
import type { SchedulerEvent } from "./scheduler.ts";
import type { Surveyed } from "./survey.ts";
import type { TicketAsks } from "./ticket_asks.ts";

/** `start` runs one repo, `serve` all of a database (spec section 1). */
export type Shape = "start" | "serve";

export interface ServicePlan extends LimitFlags {
  readonly ports: EnginePorts;
  readonly shape: Shape;
  /** Called anew each time. */
  repos(): Promise<readonly RegisteredRepo[]>;
  readonly concurrency?: number;
  readonly modelEndpoint?: string | undefined;
  readonly codeIntel?: boolean | undefined;
  readonly node?: EnginePlan["node"];
  /** Without it no report is sent. */
  readonly reports?: Pick<ReportPlan, "said" | "target">;
  /** Set where webhooks of the code host are received; `own`: logins of svc's own accounts, which it ignores. */
  readonly intake?: { readonly own: readonly string[] } | undefined;
  on?(event: ServiceEvent): void;
  readonly times?: Partial<ServiceTimes>;
}

interface ServiceTimes extends EngineTimes {
  readonly restartGraceMs: number;
  readonly feedMs: number;
}

export interface Scanned {
  readonly repo_id: string;
  readonly findings: number;
  readonly created: number;
  /** Groups of findings that an open ticket covers already. */
  readonly deduplicated: number;
  readonly stale: number;
}

export type ServiceEvent =
  | EngineEvent
  | SchedulerEvent
  | { readonly kind: "surveyed"; readonly surveyed: readonly Surveyed[] }
  | { readonly kind: "scanned"; readonly repo: string; readonly scanned: Scanned }
  | { readonly kind: "reported"; readonly sent: SentReports }
  | { readonly kind: "restarting" }
  | { readonly kind: "emergency" };

export type Condition = "starting" | "running" | "restarting" | "stopping" | "stopped";

export interface RepoStatus {
  readonly id: string;
  readonly basename: string;
  /** For the owner's terminal; the API gives the basename alone. */
  readonly root: string;
  readonly branch: string;
  readonly problem: string | undefined;
  readonly tickets: Readonly<Record<TicketState, number>>;
  /** What roles ask in blocked tickets, the oldest first; at most some of them. */
  readonly questions:
    readonly (AskedQuestion & { readonly ticket: string; readonly role: string })[];
  /** Soonest first; `at` is undefined for triggers without a schedule. */
  readonly next: readonly {
    readonly role: string;
    readonly at: number | undefined;
    readonly why: string;
  }[];
}

/** `asOf` and the ages say how old each fact is. Times are epoch ms. */
export interface ServiceStatus extends Omit<EngineState, "condition" | "problems"> {
  readonly asOf: number;
  readonly shape: Shape;
  readonly profile: Profile;
  readonly condition: Condition;
  readonly healthy: boolean;
  readonly startedAt: number;
  readonly jobs: Readonly<Record<JobStatus, number>>;
  readonly repos: readonly RepoStatus[];
  /** The machines of the team; none where the database is a file. */
  readonly nodes?: readonly NodeItem[];
  /** Jobs that wait for more of a shared budget. */
  readonly overBudget: readonly Pick<Job, "role" | "ticket_id" | "repo_id" | "reason">[];
  /** Limits of `svc jobs limit` that leave no room now, as they were typed: `role:engineer 2`. */
  readonly full?: readonly string[];
  /** Jobs that were begun and wait for their time, with the reason, the soonest first: such as a model that is away. */
  readonly putOff?: readonly Pick<
    Job,
    "role" | "ticket_id" | "repo_id" | "reason" | "run_after"
  >[];
  /** Models and roles whose jobs wait for a person. */
  readonly heldBack: readonly Pick<Lane, "kind" | "key" | "reason">[];
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

/** The part of a status that looks at no repo. */
export type StatusGlance = Pick<ServiceStatus, "healthy" | "claims" | "startedAt">;

/** Stored events in order, those of other processes on the database too. */
export interface EventFeed {
  readonly last: number;
  /** @returns ends the subscription. `listener` must not throw. */
  subscribe(listener: (event: Event) => void): () => void;
  after(id: number, limit: number): Promise<Event[]>;
}

export interface Service extends InboxService, JobControls, NodeControls {
  readonly feed: EventFeed;
  /** From memory and a short cache. Never throws: a repo that cannot be read has a `problem`. */
  status(): Promise<ServiceStatus>;
  /** At once while what is known of the database is fresh. Never throws. */
  glance(): StatusGlance | Promise<StatusGlance>;
  /** What the engine knows of itself, without a look at database or repos. */
  vitals(): Pick<EngineState, "running" | "watchedAt">;
  /** Holds for every process on the database. Running jobs go on. */
  pause(reason: string): Promise<void>;
  resume(): Promise<void>;
  /**
   * Stops the workers gracefully, reads manifests and triggers anew, starts workers. A second call
   * joins the first. @throws Failure `conflict` while the service stops
   */
  restart(): Promise<void>;
  /**
   * @throws Failure `not_found` for a repo that is not of this service; `conflict` while its
   *   registered branch is not checked out
   */
  scan(repoId: string): Promise<Scanned>;
  /**
   * Queues a manual run by the present manifest, on the next ticket if the role works on tickets. A
   * manual run that has not ended is the same one (`existed`).
   * @throws Failure `not_found` for a repo that is not of this service, a role that is not of its
   *   manifest, or no ticket for it; `conflict` while the manifest cannot be read
   */
  runRole(
    repoId: string,
    role: string,
  ): Promise<{ readonly job: string; readonly existed: boolean }>;
  /**
   * As the person whose service it is. @throws Failure `refused` for an observer, `not_found`, `usage`;
   * `conflict` when that job's question waits no longer
   */
  answerTicket(
    repoId: string,
    ticket: string,
    answer: { readonly job: string; readonly text: string },
  ): Promise<void>;
  readonly tickets: TicketAsks;
  emergencyStop(): Promise<void>;
  wake(): void;
  /** Graceful; a second call shortens it to 2 s. Never throws. */
  stop(options?: StopOptions): Promise<void>;
  /** Resolves when the service has stopped; rejects when it could not begin. */
  readonly done: Promise<void>;
}
