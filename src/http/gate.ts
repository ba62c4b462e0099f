/**
 * Judges every request in one order: Host, path, method, Origin, content type, size, rate, session,
 * CSRF, what the route needs, query, body. A handler runs only after all of these.
 */
import { HTTP_BODIES_BYTES, HTTP_REQUESTS, HTTP_RETRY_SECS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import type { Handler } from "svc/platform/net/listen.ts";
import { type HttpAnswer, refusal, responseOf } from "./answer.ts";
import { type BodyFault, BodyRoom, withBody } from "./body.ts";
import {
  declaredBytes,
  fromBrowser,
  fromElsewhere,
  type Head,
  headOf,
  isForm,
  isJson,
  isJsonDelivery,
} from "./request_head.ts";
import { queryOf, takenQuery } from "./query.ts";
import type { HttpRoute, RouteCall } from "./route.ts";
import { strictFields } from "./strict_json.ts";

export type GateCheck = (head: Head, route: HttpRoute) => HttpAnswer | undefined;

export interface GatePlan {
  readonly routes: readonly HttpRoute[];
  /** Called for each request, since the port is known once it is bound. */
  hosts(): readonly string[];
  origins?(host: string): readonly string[];
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Pick<Log, "write">;
  readonly rate?: GateCheck;
  /** Called for every route that is not `signed`; decides whether a `local` one needs a session. */
  readonly session?: GateCheck;
  readonly csrf?: GateCheck;
  /** What a browser is shown at an address that no route has; undefined for other clients. */
  lost?(head: Head): HttpAnswer | undefined;
  readonly bodyMs?: number;
}

const RETRY = { "retry-after": String(HTTP_RETRY_SECS) };
/** The unread rest of a body must not be taken for the next request. */
const CLOSE = { connection: "close" };

const BODY_REFUSALS: Readonly<Record<BodyFault, HttpAnswer>> = {
  "too large": refusal(400, "the body is too large", CLOSE),
  "no room": refusal(503, "too busy", { ...CLOSE, ...RETRY }),
  "too slow": refusal(408, "the body took too long", CLOSE),
  "broken off": refusal(400, "bad request", CLOSE),
};

const BAD = refusal(400, "bad request", CLOSE);
const BUSY = refusal(503, "too busy", { ...CLOSE, ...RETRY });
const FAILED = refusal(500, "internal error");

interface RouteFinder {
  /** The refusal is 404, or 405 with `Allow`. */
  find(head: Pick<Head, "method" | "path">): HttpRoute | HttpAnswer;
}

const NOWHERE = refusal(404, "not found");

function methodsOf(routes: readonly HttpRoute[]): readonly string[] {
  return [
    ...new Set(routes.flatMap(({ method }) => method === "GET" ? ["GET", "HEAD"] : [method])),
  ];
}

function notAllowed(routes: readonly HttpRoute[]): HttpAnswer {
  const allow = methodsOf(routes).join(", ");
  return refusal(405, "method not allowed", { allow });
}

function routeFinder(routes: readonly HttpRoute[]): RouteFinder {
  const exact = new Map<string, HttpRoute[]>();
  for (const route of routes) exact.set(route.path, [...exact.get(route.path) ?? [], route]);
  const below = [...exact].filter(([path]) => path.endsWith("/*"))
    .map(([path, here]) => ({ folder: path.slice(0, -1), here }));
  const methods = new Set(methodsOf(routes));
  return {
    find({ method, path }) {
      const here = exact.get(path) ?? below.find(({ folder }) => path.startsWith(folder))?.here;
      // A method that no route has is refused on every path.
      if (here === undefined) return methods.has(method) ? NOWHERE : notAllowed(routes);
      const answering = method === "HEAD" ? "GET" : method;
      return here.find((route) => route.method === answering) ?? notAllowed(here);
    },
  };
}

/** A route that needs a session would be open to all on a listener without that check. */
function refuseUnguarded({ routes, session, csrf }: GatePlan): void {
  for (const { path, access } of routes) {
    const guarded = access === "session" ? session : access === "mutation" ? session && csrf : true;
    if (guarded) continue;
    throw new Failure("internal", `Cannot serve "${path}": the listener has no check of sessions`);
  }
}

/** @throws Failure `internal` for a route whose check the listener lacks */
export function gate(plan: GatePlan): Handler {
  refuseUnguarded(plan);
  const room = new BodyRoom(HTTP_BODIES_BYTES);
  const table = routeFinder(plan.routes);
  let open = 0;
  const state = { plan, room, table };
  const failed = (thrown: unknown) => {
    plan.log.write("error", "a request failed", { cause: thrown });
    return FAILED;
  };
  const answered = async (admitted: AdmittedRequest) => {
    open++;
    try {
      return responseOf(await served(state, admitted), admitted.request.method);
    } catch (thrown) {
      return responseOf(failed(thrown), admitted.request.method);
    } finally {
      open--;
    }
  };
  return (request, connection) => {
    // Its place is free a moment later.
    const { method } = request;
    if (open >= HTTP_REQUESTS && !room.makeWay()) return responseOf(BUSY, method);
    let judged: HttpAnswer | AdmittedRequest;
    try {
      judged = judge(state, request, connection);
    } catch (thrown) {
      judged = failed(thrown);
    }
    return "status" in judged ? responseOf(judged, method) : answered(judged);
  };
}

interface GateState {
  readonly plan: GatePlan;
  readonly room: BodyRoom;
  readonly table: RouteFinder;
}

/** The refusal, the answer where it is known already, or what is left to be served. */
function judge(
  { plan, table }: GateState,
  request: Request,
  connection: AdmittedRequest["connection"],
): HttpAnswer | AdmittedRequest {
  const head = headOf(request, plan.hosts());
  if (head === undefined) return BAD;
  const found = table.find(head);
  if (found === NOWHERE) return plan.lost?.(head) ?? NOWHERE;
  if ("status" in found) return found;
  return refusedOrigin(plan, head, found) ?? refusedBody(head, found) ??
    plan.rate?.(head, found) ?? refusedPerson(plan, head, found) ??
    found.needs?.((name) => head.headers.get(name)) ??
    admitted({ request, head, route: found, connection });
}

function admitted(request: Omit<AdmittedRequest, "call">): HttpAnswer | AdmittedRequest {
  const { head, route } = request;
  const query = takenQuery(head.query, route.query);
  if (query === undefined) return refusal(400, queryOf(route.query!));
  const call: RouteCall = {
    host: head.host,
    path: head.path,
    query,
    fields: {},
    body: NO_BODY,
    header: (name) => head.headers.get(name),
  };
  return route.known?.(call) ?? { ...request, call };
}

function refusedOrigin(
  { origins }: GatePlan,
  { headers, host }: Head,
  { method, access }: HttpRoute,
): HttpAnswer | undefined {
  const known = origins?.(host) ?? [];
  const bad = access === "signed" ? fromBrowser(headers) : method === "POST"
    // A page with an opaque origin sends "null".
    ? !known.includes(headers.get("origin") ?? "null") || fromElsewhere(headers, known)
    : fromElsewhere(headers, known);
  return bad ? refusal(403, "forbidden") : undefined;
}

function refusedBody({ headers }: Head, { body }: HttpRoute): HttpAnswer | undefined {
  const bytes = declaredBytes(headers);
  if (bytes === "bad") return BAD;
  if (body.kind === "none") return bytes === "none" || bytes === 0 ? undefined : BAD;
  const typed = body.kind === "raw"
    ? isJsonDelivery(headers) || (body.forms === true && isForm(headers))
    : isJson(headers);
  if (!typed) return refusal(415, "send application/json", CLOSE);
  return typeof bytes === "number" && bytes > body.maxBytes
    ? BODY_REFUSALS["too large"]
    : undefined;
}

function refusedPerson(
  { session, csrf }: GatePlan,
  head: Head,
  route: HttpRoute,
): HttpAnswer | undefined {
  if (route.access === "signed") return undefined;
  return session?.(head, route) ?? (route.access === "mutation" ? csrf?.(head, route) : undefined);
}

const NO_BODY = new Uint8Array();

interface AdmittedRequest {
  readonly request: Request;
  readonly call: RouteCall;
  readonly head: Head;
  readonly route: HttpRoute;
  readonly connection: (() => string) | undefined;
}

async function served(
  { plan: { clock, bodyMs }, room }: GateState,
  { request, call, head, route, connection }: AdmittedRequest,
): Promise<HttpAnswer> {
  const kind = route.body;
  if (kind.kind === "none") {
    return await (head.method === "HEAD" && route.head ? route.head(call) : route.handle(call));
  }
  const deadline = bodyMs === undefined ? {} : { deadlineMs: bodyMs };
  const how = {
    ...{ maxBytes: kind.maxBytes, room, clock, ...deadline },
    ...(connection !== undefined && { connection: connection() }),
  };
  return await withBody(request.body, how, async (body) => {
    if (typeof body === "string") return BODY_REFUSALS[body];
    if (kind.kind === "raw") return await route.handle({ ...call, body });
    const fields = strictFields(body, kind.names, kind.optional);
    if (fields === undefined) return refusal(400, fieldsWanted(kind));
    return await route.handle({ ...call, fields });
  });
}

function fieldsWanted({ names, optional = [] }: Extract<HttpRoute["body"], { kind: "fields" }>) {
  const quoted = (of: readonly string[]) => of.map((name) => `"${name}"`);
  const more = optional.length === 0 ? "" : `, if you like ${quoted(optional).join(", ")}`;
  return `send a JSON object with ${quoted(names).join(" and ")} as text${more}, and nothing else`;
}
