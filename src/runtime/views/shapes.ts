/**
 * Shapes of everything the HTTP API answers (spec section 4.3): readers fill them, docs/generated/api.md
 * and the OpenAPI file are made from them, the dashboard takes its types from them. Times are RFC 3339
 * in UTC, durations whole seconds; null says that there is none.
 */
import type { z as Zod } from "zod";
import { DISPOSITIONS, FAILURE_CATEGORIES } from "svc/core/disposition.ts";
import { statesOf } from "svc/core/machine.ts";
import { jobMachine } from "svc/features/jobs/job_machine.ts";
import { TRIGGERS } from "svc/features/jobs/job_table.ts";

type Z = typeof Zod;
type Of<F extends (z: Z) => Zod.ZodType> = Zod.infer<ReturnType<F>>;

const time = (z: Z) => z.iso.datetime();
const count = (z: Z) => z.int().min(0);

/** Unauthenticated callers get the first alone. */
export const minimalStatusShape = (z: Z) =>
  z.strictObject({ healthy: z.boolean(), paused: z.boolean(), uptime_secs: count(z) });

export const statusShape = (z: Z) =>
  z.strictObject({
    ...minimalStatusShape(z).shape,
    active_jobs: count(z),
    /** How many are registered. */
    repos: count(z),
  });
export type StatusAnswer = Of<typeof statusShape>;

export const repoShape = (z: Z) => z.strictObject({ id: z.string(), basename: z.string() });
export type RepoItem = Of<typeof repoShape>;

export const jobShape = (z: Z) =>
  z.strictObject({
    ...{ id: z.string(), repo_id: z.string(), repo: z.string(), role: z.string() },
    ticket_id: z.string().nullable(),
    trigger: z.enum(TRIGGERS),
    status: z.enum(statesOf(jobMachine)),
    disposition: z.enum(DISPOSITIONS).nullable(),
    category: z.enum(FAILURE_CATEGORIES).nullable(),
    reason: z.string().nullable(),
    ...{ attempt: count(z), max_attempts: count(z) },
    created_at: time(z),
    /** When it may begin at the earliest. */
    run_after: time(z),
    started_at: time(z).nullable(),
    finished_at: time(z).nullable(),
    /** Of the newest attempt; while it runs, until now. */
    duration_secs: count(z).nullable(),
    ...{ turns: count(z), tool_calls: count(z), tokens_in: count(z), tokens_out: count(z) },
    model: z.string().nullable(),
    evidence: z.enum(["live", "fixture"]).nullable(),
    commit: z.string().nullable(),
    /** Decision that asked for it. */
    caused_by: z.string().nullable(),
  });
export type JobItem = Of<typeof jobShape>;

export const decisionShape = (z: Z) =>
  z.strictObject({
    ...{ id: z.string(), at: time(z), repo_id: z.string(), repo: z.string(), job_id: z.string() },
    role: z.string(),
    ticket_id: z.string().nullable(),
    disposition: z.enum(DISPOSITIONS),
    /** Rule of the routing that matched. */
    rule: z.string(),
    /** What was looked at. */
    inputs: z.record(z.string(), z.unknown()),
    /** Rules that could have matched, and why they did not. */
    alternatives: z.array(z.strictObject({ rule: z.string(), why: z.string() })),
    /** Such as "in-progress → review". */
    move: z.string().nullable(),
    next_role: z.string().nullable(),
    next_job: z.string().nullable(),
    stop: z.string().nullable(),
    /** False: a rehearsal; nothing of it was done. */
    applied: z.boolean(),
  });
export type DecisionItem = Of<typeof decisionShape>;

/** Who or what a card waits for; the first is for people, the second is broken. */
export const ZONES = ["needs_you", "failing", "waiting", "working", "done"] as const;
export type Zone = typeof ZONES[number];

export const cardShape = (z: Z) =>
  z.strictObject({
    /** Unique on the page and the same from one answer to the next. */
    key: z.string(),
    zone: z.enum(ZONES),
    ...{ repo_id: z.string(), repo: z.string() },
    ticket_id: z.string().nullable(),
    /** Of the ticket; else of the job or the fault. */
    title: z.string(),
    ticket_state: z.string().nullable(),
    priority: z.string().nullable(),
    job_id: z.string().nullable(),
    role: z.string().nullable(),
    model: z.string().nullable(),
    /** Of a job that runs. */
    turn: count(z).nullable(),
    max_turns: count(z).nullable(),
    step: z.string().nullable(),
    tokens: count(z).nullable(),
    /** Why it is where it is, in a sentence. */
    why: z.string(),
    /** What mends it or what a person is to do; null when nothing is. */
    action: z.string().nullable(),
    /** Since when it is so. */
    since: time(z).nullable(),
  });
export type Card = Of<typeof cardShape>;

/** A role in the graph of routes, as it is now. */
export const roleNodeShape = (z: Z) =>
  z.strictObject({
    role: z.string(),
    /** `paused`: its lane is held back. */
    state: z.enum(["idle", "queued", "running", "paused"]),
    tier: z.string(),
    trust: z.enum(["observer", "contributor"]),
    /** 0 to 100; null with fewer than five outcomes. */
    score: z.number().nullable(),
    samples: count(z),
    next: z.strictObject({ at: time(z).nullable(), why: z.string() }).nullable(),
    job_id: z.string().nullable(),
  });

export const routeEdgeShape = (z: Z) =>
  z.strictObject({
    ...{ from: z.string(), disposition: z.string() },
    to: z.string().nullable(),
    ticket: z.string().nullable(),
    stop: z.string().nullable(),
    /** Times it was followed in the last seven days. */
    taken: count(z),
  });

export const repoBoardShape = (z: Z) =>
  z.strictObject({
    ...{ id: z.string(), basename: z.string(), branch: z.string() },
    mode: z.string().nullable(),
    merge: z.string().nullable(),
    problem: z.string().nullable(),
    tickets: z.record(z.string(), count(z)),
    roles: z.array(roleNodeShape(z)),
    routes: z.array(routeEdgeShape(z)),
    /** Merges and moves that wait, and what for. */
    waits: z.array(z.string()),
  });
export type RepoBoard = Of<typeof repoBoardShape>;

/** `GET /api/pipeline` */
export const pipelineShape = (z: Z) =>
  z.strictObject({
    as_of: time(z),
    ...{ shape: z.enum(["start", "serve"]), profile: z.enum(["observer", "host"]) },
    condition: z.enum(["starting", "running", "restarting", "stopping", "stopped"]),
    claims: z.enum(["claiming", "paused"]),
    reason: z.string().nullable(),
    started_at: time(z),
    concurrency: count(z),
    jobs: z.record(z.enum(statesOf(jobMachine)), count(z)),
    repos: z.array(repoBoardShape(z)),
    /** By zone, then by age; the done ones of the last day, at most 50 of a zone. */
    cards: z.array(cardShape(z)),
    /** Cards of each zone, those that are not listed too. */
    totals: z.record(z.enum(ZONES), count(z)),
  });
export type Pipeline = Of<typeof pipelineShape>;

/** `GET /api/orchestration` */
export const orchestrationShape = (z: Z) =>
  z.strictObject({
    repos: z.array(repoBoardShape(z)),
    dispositions: z.array(z.strictObject({
      ...{ role: z.string(), disposition: z.enum(DISPOSITIONS), count: count(z) },
      last_at: time(z),
      last_job: z.string(),
    })),
    decisions: z.array(decisionShape(z)),
  });
export type Orchestration = Of<typeof orchestrationShape>;

/** `GET /api/orchestration/decisions`, newest first. */
export const decisionsShape = (z: Z) => z.strictObject({ decisions: z.array(decisionShape(z)) });

/** `GET /api/roles` */
export const rolesShape = (z: Z) =>
  z.strictObject({
    window_days: count(z),
    roles: z.array(z.strictObject({
      ...{ repo_id: z.string(), repo: z.string(), role: z.string(), tier: z.string() },
      /** Wilson 95 % lower bound times 100; null with fewer than five outcomes. */
      score: z.number().nullable(),
      upper: z.number().nullable(),
      ...{ samples: count(z), successes: count(z), failures: count(z) },
      /** Difference to the window before; null where either has none. */
      trend: z.number().nullable(),
      categories: z.array(z.strictObject({ category: z.string(), count: count(z) })),
      trust: z.enum(["observer", "contributor"]),
      /** "manifest", or why it differs. */
      trust_source: z.string(),
      audit: z.array(z.strictObject({
        ...{ at: time(z), who: z.string(), from: z.string(), to: z.string(), reason: z.string() },
        automatic: z.boolean(),
      })),
      median_secs: count(z).nullable(),
      tokens: count(z),
      last_job: z.string().nullable(),
      last_at: time(z).nullable(),
    })),
  });
export type Roles = Of<typeof rolesShape>;

/** `GET /api/throughput` */
export const throughputShape = (z: Z) =>
  z.strictObject({
    /** The last 24 hours or more, oldest first, none left out. */
    hourly: z.array(z.strictObject({
      hour: time(z),
      ...{ completed: count(z), failed: count(z), started: count(z), tokens: count(z) },
    })),
    recent_jobs: z.array(jobShape(z)),
    summary: z.strictObject({
      window_hours: count(z),
      ...{ pending: count(z), running: count(z), completed: count(z), failed: count(z) },
      tickets_done: count(z),
      /** From a ticket's first job to its done. */
      lead_time_secs: z.strictObject({ median: count(z), p90: count(z) }).nullable(),
      /** Tickets that were reworked, of those done; 0 to 1. */
      rework_rate: z.number().nullable(),
      tokens: count(z),
      tokens_per_accepted_ticket: z.number().nullable(),
      /** Of the oldest job that could run and waits. */
      queue_age_secs: count(z).nullable(),
    }),
  });
export type Throughput = Of<typeof throughputShape>;

export const eventShape = (z: Z) =>
  z.strictObject({
    ...{ id: z.int(), at: time(z), type: z.string() },
    repo_id: z.string().nullable(),
    job_id: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
  });
export type EventItem = Of<typeof eventShape>;

/** `GET /api/telemetry`: newest first. */
export const telemetryShape = (z: Z) =>
  z.strictObject({
    events: z.array(eventShape(z)),
    stats: z.strictObject({
      window_hours: count(z),
      total: count(z),
      /** Failure categories; those that did not happen are left out. */
      categories: z.record(z.string(), count(z)),
      types: z.record(z.string(), count(z)),
    }),
  });
export type Telemetry = Of<typeof telemetryShape>;

/** `GET /api/evolution`: what changed about the agents themselves, and what keeps going wrong. */
export const evolutionShape = (z: Z) =>
  z.strictObject({
    evolutions: z.array(z.strictObject({
      at: time(z),
      kind: z.enum(["trust", "tool", "harness", "lane", "score"]),
      ...{ repo_id: z.string(), repo: z.string() },
      role: z.string().nullable(),
      /** In a sentence. */
      what: z.string(),
      who: z.string(),
      reason: z.string().nullable(),
      /** Commit, job or path that shows it. */
      evidence: z.string().nullable(),
    })),
    /** Failures a day, oldest first. */
    telemetry: z.array(
      z.strictObject({ day: z.iso.date(), category: z.string(), count: count(z) }),
    ),
    patterns: z.array(z.strictObject({
      key: z.string(),
      ...{ repo_id: z.string(), repo: z.string(), role: z.string(), category: z.string() },
      /** The part of the reason that is the same each time. */
      signature: z.string(),
      count: count(z),
      ...{ first_at: time(z), last_at: time(z), last_job: z.string() },
      advice: z.string(),
    })),
  });
export type Evolution = Of<typeof evolutionShape>;

/** `GET /api/debug`: what a person looks at when something is odd. */
export const debugShape = (z: Z) =>
  z.strictObject({
    timeline: z.array(eventShape(z)),
    webhooks: z.array(z.strictObject({
      ...{ source: z.string(), id: z.string(), event: z.string() },
      subject: z.string().nullable(),
      repo_id: z.string().nullable(),
      outcome: z.string(),
      reason: z.string().nullable(),
      at: time(z),
    })),
    wishes: z.strictObject({ waiting: count(z), failing: count(z) }),
    denials: z.array(z.strictObject({
      ...{ at: time(z), repo_id: z.string(), job_id: z.string(), role: z.string() },
      ...{ tool: z.string(), part: z.string(), reason: z.string() },
    })),
    errors: z.array(jobShape(z)),
    lanes: z.array(z.strictObject({ lane: z.string(), reason: z.string(), since: time(z) })),
    /** Name only. */
    log: z.string(),
  });
export type Debug = Of<typeof debugShape>;

/** `GET /api/jobs?repo_id=&role=&status=&before=`: newest first, 100 a page. */
export const jobsShape = (z: Z) =>
  z.strictObject({ jobs: z.array(jobShape(z)), before: z.string().nullable() });
export type Jobs = Of<typeof jobsShape>;

/** `GET /api/job?id=` */
export const jobPageShape = (z: Z) =>
  z.strictObject({
    job: jobShape(z),
    /** Task in words, where it has no ticket. */
    task: z.string().nullable(),
    branch: z.string().nullable(),
    decisions: z.array(decisionShape(z)),
    denials: z.array(
      z.strictObject({ at: time(z), tool: z.string(), part: z.string(), reason: z.string() }),
    ),
    checks: z.array(z.strictObject({
      ...{ name: z.string(), outcome: z.string(), at: time(z), duration_secs: count(z) },
      reason: z.string().nullable(),
    })),
    /** From its trace; text is shortened. */
    turns: z.array(z.strictObject({
      turn: count(z),
      at: time(z),
      text: z.string(),
      tokens: count(z),
      calls: z.array(z.strictObject({
        ...{ tool: z.string(), args: z.string(), status: z.string(), result: z.string() },
      })),
    })),
    /** Unified diff of its commit against where its branch left; shortened. Null when there is none. */
    diff: z.string().nullable(),
    diff_cut: z.boolean(),
    /** Why a part could not be read. */
    missing: z.array(z.string()),
  });
export type JobPage = Of<typeof jobPageShape>;

/** `GET /api/ticket?repo_id=&id=` */
export const ticketPageShape = (z: Z) =>
  z.strictObject({
    ticket: z.strictObject({
      ...{ id: z.string(), repo_id: z.string(), repo: z.string(), title: z.string() },
      ...{ state: z.string(), type: z.string(), priority: z.string(), path: z.string() },
      role: z.string().nullable(),
      source: z.string(),
      depends_on: z.array(z.string()),
      acceptance: z.array(z.string()),
      ...{ rework: count(z), attempts: count(z) },
      branch: z.string().nullable(),
      external_url: z.string().nullable(),
      unblock: z.strictObject({ owner: z.string(), action: z.string() }).nullable(),
      /** Markdown below the front matter, as text. */
      body: z.string(),
    }),
    jobs: z.array(jobShape(z)),
    decisions: z.array(decisionShape(z)),
  });
export type TicketPage = Of<typeof ticketPageShape>;
