/** Every operation of the dashboard's API, as data: the listener serves it, its documents are made of it. */
import type { z as Zod } from "zod";
import { JSON_BODY_BYTES, LOGIN_BODY_BYTES } from "svc/core/bounds.ts";
import {
  debugShape,
  decisionsShape,
  evolutionShape,
  jobPageShape,
  jobsShape,
  orchestrationShape,
  pipelineShape,
  repoShape,
  rolesShape,
  statusShape,
  telemetryShape,
  throughputShape,
  ticketPageShape,
} from "svc/runtime/views/shapes.ts";
import type { Access, BodyKind, QueryKind } from "./route.ts";

type Z = typeof Zod;

export interface Operation {
  readonly access: Exclude<Access, "signed">;
  /** What it does, in a sentence or two. */
  readonly about: string;
  readonly body?: Exclude<BodyKind, { kind: "raw" }>;
  readonly query?: QueryKind;
  /** Of a success: JSON of that shape, or another media type. */
  readonly answer: ((z: Z) => Zod.ZodType) | "text/markdown" | "text/event-stream";
  /** May answer 404, beside the statuses that all have. */
  readonly missing?: string;
}

const fields = (
  ...names: string[]
) => ({ kind: "fields", maxBytes: JSON_BODY_BYTES, names } as const);

const done = (z: Z) => z.strictObject({ ok: z.literal(true) });

const openedShape = (z: Z) =>
  done(z).extend({ csrf_token: z.string(), expires_at: z.iso.datetime() });

const read = (about: string, shape: (z: Z) => Zod.ZodType, query: QueryKind = {}) =>
  ({ access: "session", about, query, answer: shape }) as const;

const control = (about: string, more: (z: Z) => Zod.ZodRawShape = () => ({})) =>
  ({
    access: "mutation",
    about,
    query: {},
    answer: (z: Z) => done(z).extend(more(z)),
  }) as const;

export const OPERATIONS = {
  "POST /api/login": {
    access: "open",
    about: "Opens a session: its cookie, and the token that every control must carry in " +
      "`X-SVC-CSRF-Token`. It ends at `expires_at` unless it is used before, and after 12 h anyway.",
    body: { kind: "fields", maxBytes: LOGIN_BODY_BYTES, names: ["secret"] },
    query: {},
    answer: openedShape,
  },
  "GET /api/session": read(
    "The token of the session, for a page that was loaded anew.",
    openedShape,
  ),
  "POST /api/logout": control("Ends the session, and cuts its event streams."),
  "GET /api/status": {
    access: "local",
    about: "How svc is. Without a session: `healthy`, `paused` and `uptime_secs` alone.",
    query: {},
    answer: statusShape,
  },
  "GET /api/repos": read("The registered repos.", (z) => z.array(repoShape(z))),
  "GET /api/repo-roles": read(
    "Names of the roles in the repo's manifest as it is now.",
    (z) => z.array(z.string()),
    { repo_id: "needed" },
  ),
  "GET /api/events": {
    ...read("Events as they happen, after the recent ones; `Last-Event-ID` resumes.", done),
    answer: "text/event-stream",
  },
  "POST /api/pause": control("Begins no more jobs; those that run go on.", paused),
  "POST /api/resume": control("Begins jobs again.", paused),
  "POST /api/restart": control(
    "Warm restart: workers stop, manifests and triggers are read anew, workers start. " +
      "`restarting` when that still goes on.",
    (z) => ({ state: z.enum(["running", "restarting"]) }),
  ),
  "POST /api/stop": control(
    "Graceful stop. It is answered when it has begun.",
    (z) => ({ state: z.literal("stopping") }),
  ),
  "POST /api/scan": {
    ...control("Scans the repo, and writes tickets of what it finds.", (z) => ({
      findings: z.int(),
      created: z.int(),
      deduplicated: z.int(),
      stale: z.int(),
    })),
    body: fields("repo_id"),
  },
  "POST /api/run-role": {
    ...control(
      "Queues a run of the role by hand. `existed`: one waits already, and is not doubled.",
      (z) => ({ job_id: z.string(), existed: z.boolean() }),
    ),
    body: fields("repo_id", "role"),
  },
  "POST /api/cancel-job": {
    ...control("Ends one job: one that runs is stopped, one that waits never begins."),
    body: fields("job_id"),
    missing: "no such job",
  },
  "POST /api/emergency-stop": control(
    "Pauses claims and ends everything that runs, within seconds; the pages stay.",
  ),
  "GET /api/telemetry": read("Recent events, and failures by category.", telemetryShape),
  "GET /api/evolution": read(
    "What changed about the agents, and what keeps going wrong.",
    evolutionShape,
  ),
  "GET /api/roles": read("Scores of the roles, with sample sizes, trend and trust.", rolesShape),
  "GET /api/quality-score": {
    ...read("Quality score of the scoped repo, or of the first registered one.", done),
    answer: "text/markdown",
    missing: "no repo is registered",
  },
  "GET /api/throughput": read(
    "Work done by the hour, recent jobs, and a summary.",
    throughputShape,
  ),
  "GET /api/orchestration": read("Routes, what they led to, and why.", orchestrationShape),
  "GET /api/orchestration/decisions": read(
    "Decisions of the routing, newest first.",
    decisionsShape,
    { repo_id: "optional" },
  ),
  "GET /api/pipeline": read("Everything that waits, works, fails or is done.", pipelineShape),
  "GET /api/jobs": read("Jobs, newest first, 100 a page; `before` asks for the next.", jobsShape, {
    repo_id: "optional",
    role: "optional",
    status: "optional",
    before: "optional",
  }),
  "GET /api/job": {
    ...read("One job, with its turns, checks and diff.", jobPageShape, { id: "needed" }),
    missing: "no such job",
  },
  "GET /api/ticket": {
    ...read("One ticket, with its jobs and decisions.", ticketPageShape, {
      repo_id: "needed",
      id: "needed",
    }),
    missing: "no such ticket",
  },
  "GET /api/debug": read("Timeline, webhooks, denials and errors.", debugShape),
} as const satisfies Record<`${"GET" | "POST"} /api/${string}`, Operation>;

function paused(z: Z) {
  return { paused: z.boolean() };
}

export type OperationName = keyof typeof OPERATIONS;
