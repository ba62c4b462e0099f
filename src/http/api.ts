/** Every operation of the dashboard's API as data, from which its routes and documents are made. */
import { LOGIN_BODY_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { TicketFault } from "svc/features/tickets/ticket_fault.ts";
import { READS, type Reads } from "svc/runtime/views/all.ts";
import { type AnyRead, NoLongerThere } from "svc/runtime/views/read.ts";
import type { Z } from "svc/runtime/views/shape.ts";
import { statusShape } from "svc/runtime/views/status_view.ts";
import { answer, RawContent, refusal } from "./answer.ts";
import { INBOX_OPERATIONS } from "./inbox_operations.ts";
import { JOB_OPERATIONS } from "./job_operations.ts";
import { NODE_OPERATIONS } from "./node_operations.ts";
import { type ApiOperation, control, done, fields } from "./operation.ts";
import type { HttpRoute, RouteHandler } from "./route.ts";
import { TICKET_OPERATIONS } from "./ticket_operations.ts";

const openedShape = (z: Z) =>
  done(z).extend({ csrf_token: z.string(), expires_at: z.iso.datetime() });

const SERVICE_OPERATIONS = {
  "POST /api/login": {
    access: "open",
    about: "Opens a session: its cookie, and the token that every control must carry in " +
      "`X-SVC-CSRF-Token`. It ends at `expires_at` unless it is used before, and after 12 h anyway.",
    body: { kind: "fields", maxBytes: LOGIN_BODY_BYTES, names: ["secret"] },
    query: {},
    answer: openedShape,
  },
  "GET /api/session": {
    access: "session",
    about: "The token of the session, for a page that was loaded anew.",
    query: {},
    answer: openedShape,
  },
  "POST /api/logout": control("Ends the session, and cuts its event streams."),
  "GET /api/status": {
    access: "local",
    about: "The state of svc. Without a session: only `healthy`, `paused` and `uptime_secs`.",
    query: {},
    answer: statusShape,
  },
  "GET /api/events": {
    access: "session",
    about: "Events as they happen, after the recent ones; `Last-Event-ID` resumes.",
    query: {},
    answer: "text/event-stream",
  },
  "POST /api/pause": control("Starts no more jobs; running jobs go on.", paused),
  "POST /api/resume": control("Starts jobs again.", paused),
  "POST /api/restart": control(
    "Warm restart: workers stop, manifests and triggers are read again, workers start. " +
      "`restarting` when that is not over yet.",
    (z) => ({ state: z.enum(["running", "restarting"]) }),
  ),
  "POST /api/stop": control(
    "Graceful stop, answered as soon as it has begun.",
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
      "Queues a run of the role by hand. `existed`: a queued run was there already, and no second one is added. " +
        "A role that works on tickets and finds none for it ends as `no_work`.",
      (z) => ({ job_id: z.string(), existed: z.boolean() }),
    ),
    body: fields("repo_id", "role"),
  },
  "POST /api/answer-ticket": {
    ...control(
      "Answers what the role of this job asked about its ticket, which goes back to the backlog.",
    ),
    body: fields("repo_id", "ticket_id", "job_id", "answer"),
    missing: "no such ticket",
  },
  ...INBOX_OPERATIONS,
  ...JOB_OPERATIONS,
  ...NODE_OPERATIONS,
  ...TICKET_OPERATIONS,
  "POST /api/emergency-stop": control(
    "Pauses claims and ends everything that runs, within seconds; the pages stay.",
  ),
} as const satisfies Record<`${"GET" | "POST"} /api/${string}`, ApiOperation>;

function paused(z: Z) {
  return { paused: z.boolean() };
}

const pathOf = ({ name }: AnyRead) => `/api/${name}` as const;

function readOperation(read: AnyRead): [string, ApiOperation] {
  const { about, query, shape, missing, conflict } = read;
  const more = {
    ...(missing?.status === 404 && { missing: missing.error }),
    ...(conflict !== undefined && { conflict }),
  };
  return [`GET ${pathOf(read)}`, { access: "session", about, query, answer: shape, ...more }];
}

export const OPERATIONS: Readonly<Record<string, ApiOperation>> = {
  ...SERVICE_OPERATIONS,
  ...Object.fromEntries(READS.map(readOperation)),
};

const NO_BODY = { kind: "none" } as const;

export function serviceRoutes(
  served: Readonly<Record<keyof typeof SERVICE_OPERATIONS, RouteHandler>>,
): readonly HttpRoute[] {
  return Object.entries(served).map(([name, serving]) => {
    const { access, body = NO_BODY, query = {} } = OPERATIONS[name]!;
    const [method, path] = name.split(" ") as [HttpRoute["method"], HttpRoute["path"]];
    return { method, path, access, body, query, ...serving };
  });
}

const NOT_OFFERED = refusal(501, "not offered by this dashboard");

function readRoute(read: AnyRead, reader: Reader | undefined): HttpRoute {
  const { query, missing = { status: 404, error: "not found" } } = read;
  return {
    method: "GET",
    path: pathOf(read),
    access: "session",
    body: NO_BODY,
    query,
    needs: () => reader === undefined ? NOT_OFFERED : undefined,
    async handle(call) {
      const found = await answerOf(reader!, call.query); // `needs` found it
      if (found instanceof TicketFault) {
        const { message: error, remedy } = found;
        return answer(409, { ok: false, error, remedy });
      }
      if (found instanceof Failure) return refusal(found.http, found.message);
      if (found === undefined) return refusal(missing.status, missing.error);
      return answer(
        200,
        read.shape === "text/markdown"
          ? new RawContent("text/markdown; charset=utf-8", found as string)
          : found as Readonly<Record<string, unknown>>,
      );
    },
  };
}

async function answerOf(
  reader: Reader,
  query: Readonly<Record<string, string | undefined>>,
): Promise<unknown> {
  try {
    return await reader(query);
  } catch (thrown) {
    const ofQuery = thrown instanceof Failure && thrown.code === "usage";
    if (ofQuery || thrown instanceof NoLongerThere || thrown instanceof TicketFault) return thrown;
    throw thrown;
  }
}

type Reader = (query: Readonly<Record<string, string | undefined>>) => Promise<unknown>;

export function readRoutes(reads: Partial<Reads>): readonly HttpRoute[] {
  return READS.map((read) => readRoute(read, reads[read.name] as Reader | undefined));
}
