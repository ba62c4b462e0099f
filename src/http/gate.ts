/**
 * The one order in which a request is judged: Host, path, method, Origin, content type, size, rate,
 * session, CSRF, what the route needs, query, body. A handler runs only when nothing stands against it.
 */
import { HTTP_BODIES_BYTES, HTTP_REQUESTS, HTTP_RETRY_SECS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import type { Handler } from "svc/platform/net/listen.ts";
import { type Answer, refusal, responseOf } from "./answer.ts";
import { BodyRoom, type Refused, withBody } from "./body.ts";
import {
  declaredBytes,
  fromBrowser,
  fromElsewhere,
  type Head,
  headOf,
  isJson,
} from "./request_head.ts";
import { queryOf, takenQuery } from "./query.ts";
import type { Call, Route } from "./route.ts";
import { type RouteFinder, routeFinder } from "./route_finder.ts";
import { strictFields } from "./strict_json.ts";

/** A check of a listener's own: the answer that refuses, or undefined. */
export type Check = (head: Head, route: Route) => Answer | undefined;

export interface GatePlan {
  readonly routes: readonly Route[];
  /** `127.0.0.1:9090`; asked at each request: the port is known once it is bound. */
  hosts(): readonly string[];
  /** Origins whose pages may ask under this name of the listener; none unless said otherwise. */
  origins?(host: string): readonly string[];
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Pick<Log, "write">;
  /** Of a listener that has routes for people; those need both of the last two. */
  readonly rate?: Check;
  /** Asked of each route that is not `signed`: where `local` ones need a session, it knows. */
  readonly session?: Check;
  readonly csrf?: Check;
  /** `HTTP_BODY_MS` unless said otherwise. */
  readonly bodyMs?: number;
}

const RETRY = { "retry-after": String(HTTP_RETRY_SECS) };
/** The rest of a body that is not read must not be taken for the next request. */
const CLOSE = { connection: "close" };

const BODY_REFUSALS: Readonly<Record<Refused, Answer>> = {
  "too large": refusal(413, "too large", CLOSE),
  "no room": refusal(503, "too busy", { ...CLOSE, ...RETRY }),
  "too slow": refusal(408, "the body took too long", CLOSE),
  "broken off": refusal(400, "bad request", CLOSE),
};

const BAD = refusal(400, "bad request", CLOSE);
const BUSY = refusal(503, "too busy", { ...CLOSE, ...RETRY });
const FAILED = refusal(500, "internal error");

/** A route for people on a listener that knows none would be open to all. */
function refuseUnguarded({ routes, session, csrf }: GatePlan): void {
  for (const { path, access } of routes) {
    const guarded = access === "session" ? session : access === "mutation" ? session && csrf : true;
    if (guarded) continue;
    throw new Failure("internal", `Cannot serve "${path}": the listener has no check of sessions`);
  }
}

/** @throws Failure `internal` for a route that the listener cannot guard */
export function gate(plan: GatePlan): Handler {
  refuseUnguarded(plan);
  const room = new BodyRoom(HTTP_BODIES_BYTES);
  const table = routeFinder(plan.routes);
  let open = 0;
  return async (request) => {
    if (open >= HTTP_REQUESTS) return responseOf(BUSY);
    open++;
    try {
      return responseOf(await judge({ plan, room, table }, request));
    } catch (thrown) {
      plan.log.write("error", "a request failed", { cause: thrown });
      return responseOf(FAILED);
    } finally {
      open--;
    }
  };
}

interface Bench {
  readonly plan: GatePlan;
  readonly room: BodyRoom;
  readonly table: RouteFinder;
}

async function judge(bench: Bench, request: Request): Promise<Answer> {
  const { plan, table } = bench;
  const head = headOf(request, plan.hosts());
  if (head === undefined) return BAD;
  const found = table.find(head);
  if ("status" in found) return found;
  return refusedOrigin(plan, head, found) ?? refusedBody(head, found) ??
    plan.rate?.(head, found) ?? refusedPerson(plan, head, found) ?? found.needs?.() ??
    await served(bench, { request, head, route: found });
}

function refusedOrigin(
  { origins }: GatePlan,
  { headers, host }: Head,
  { method, access }: Route,
): Answer | undefined {
  const known = origins?.(host) ?? [];
  const bad = access === "signed" ? fromBrowser(headers) : method === "POST"
    // A page that keeps its origin to itself says "null".
    ? !known.includes(headers.get("origin") ?? "null") || fromElsewhere(headers, known)
    : fromElsewhere(headers, known);
  return bad ? refusal(403, "forbidden") : undefined;
}

function refusedBody({ headers }: Head, { body }: Route): Answer | undefined {
  const bytes = declaredBytes(headers);
  if (bytes === "bad") return BAD;
  if (body.kind === "none") return bytes === "none" || bytes === 0 ? undefined : BAD;
  if (!isJson(headers)) return refusal(415, "send application/json", CLOSE);
  return typeof bytes === "number" && bytes > body.maxBytes
    ? BODY_REFUSALS["too large"]
    : undefined;
}

function refusedPerson({ session, csrf }: GatePlan, head: Head, route: Route): Answer | undefined {
  if (route.access === "signed") return undefined;
  return session?.(head, route) ?? (route.access === "mutation" ? csrf?.(head, route) : undefined);
}

interface Admitted {
  readonly request: Request;
  readonly head: Head;
  readonly route: Route;
}

async function served(
  { plan: { clock, bodyMs }, room }: Bench,
  { request, head, route }: Admitted,
): Promise<Answer> {
  const query = takenQuery(head.query, route.query);
  if (query === undefined) return refusal(400, queryOf(route.query!));
  const call: Call = {
    host: head.host,
    path: head.path,
    query,
    fields: {},
    body: new Uint8Array(),
    header: (name) => head.headers.get(name),
  };
  const kind = route.body;
  if (kind.kind === "none") return await route.handle(call);
  const deadline = bodyMs === undefined ? {} : { deadlineMs: bodyMs };
  const how = { maxBytes: kind.maxBytes, room, clock, ...deadline };
  return await withBody(request.body, how, async (body) => {
    if (typeof body === "string") return BODY_REFUSALS[body];
    if (kind.kind === "raw") return await route.handle({ ...call, body });
    const fields = strictFields(body, kind.names);
    if (fields === undefined) return refusal(400, fieldsWanted(kind.names));
    return await route.handle({ ...call, fields });
  });
}

function fieldsWanted(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`).join(" and ");
  return `send a JSON object with ${quoted} as text, and nothing else`;
}
