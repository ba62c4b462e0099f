/** The dashboard's API as OpenAPI 3.1, made from the operations that the listener serves. */
import { z } from "zod";
import { OPERATIONS } from "svc/http/api.ts";
import type { ApiOperation } from "svc/http/operation.ts";
import { READS } from "svc/runtime/views/all.ts";
import { minimalStatusShape } from "svc/runtime/views/status_view.ts";

export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
}

export interface Described {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
  /** Meaning of each status. */
  readonly statuses: Readonly<Record<string, string>>;
}

/** The refusals of the listener, in the order of its checks (spec section 7). */
function statusesOf(
  method: string,
  { access, body, query, missing, conflict }: ApiOperation,
  path: string,
) {
  const person = access === "session" || access === "mutation";
  const value = body?.kind === "fields" || Object.keys(query ?? {}).length > 0;
  const reads = READS.some(({ name }) => path === `/api/${name}`);
  const local = access === "local";
  const remotely = "through the trusted origin alone: ";
  const bounded = access === "mutation" || path === "/api/login" || path === "/api/events";
  return {
    "200": "done",
    "400": `invalid Host, body or query${value ? ", or an unknown value" : ""}${
      body?.kind === "fields" ? ", or a body that is too large" : ""
    }`,
    ...((person || local) && { "401": `${local ? remotely : ""}no live session` }),
    ...(path === "/api/login" && { "401": "wrong secret" }),
    "403": method === "POST"
      ? `absent or foreign Origin${
        access === "mutation" ? ", or not the session's CSRF token" : ""
      }${access === "mutation" && value ? ", or the service's profile does not allow it" : ""}`
      : "foreign Origin",
    ...(missing !== undefined && { "404": missing }),
    "405": "another method",
    ...(body?.kind === "fields" && { "408": "the body takes too long" }),
    ...(conflict !== undefined && { "409": conflict }),
    ...(body?.kind === "fields" &&
      { "415": "not exactly `application/json`" }),
    ...(bounded && { "429": "too many requests; `Retry-After` says when to retry" }),
    "500": "it failed; the command log says why",
    ...(reads && { "501": "not offered by this dashboard" }),
    ...((person || local || path === "/api/login") &&
      { "503": `${local ? remotely : ""}no control secret is configured` }),
  };
}

export function described(): readonly Described[] {
  return Object.entries(OPERATIONS)
    .map(([name, operation]) => {
      const [method = "", path = ""] = name.split(" ");
      return { name, method, path, operation, statuses: statusesOf(method, operation, path) };
    });
}

export function schemaOf(shape: (z_: typeof z) => z.ZodType): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape(z));
  return schema as Schema;
}

const error = {
  type: "object",
  properties: { ok: { const: false }, error: { type: "string" }, remedy: { type: "string" } },
  required: ["ok", "error"],
  additionalProperties: false,
};

function contentOf({ path, operation: { answer } }: Described): Record<string, unknown> {
  if (typeof answer === "string") return { [answer]: { schema: { type: "string" } } };
  const schema = schemaOf(answer);
  const anyOf = [schema, schemaOf(minimalStatusShape)];
  return { "application/json": { schema: path === "/api/status" ? { anyOf } : schema } };
}

function refusedContent({ operation: { conflictAnswer } }: Described, status: string) {
  const schema = status === "409" && conflictAnswer !== undefined
    ? schemaOf(conflictAnswer)
    : { $ref: "#/components/schemas/Error" };
  return { "application/json": { schema } };
}

function bodyOf({ body }: ApiOperation): Record<string, unknown> {
  if (body?.kind !== "fields") return {};
  const text = { type: "string", minLength: 1 };
  const schema = {
    type: "object",
    properties: {
      ...Object.fromEntries(body.names.map((name) => [name, text])),
      ...Object.fromEntries((body.optional ?? []).map((name) => [name, { type: "string" }])),
    },
    required: body.names,
    additionalProperties: false,
  };
  return { requestBody: { required: true, content: { "application/json": { schema } } } };
}

function operationOf(one: Described): Record<string, unknown> {
  const { path, operation, statuses } = one;
  const answers = Object.entries(statuses).map(([status, description]) => [
    status,
    { description, content: status === "200" ? contentOf(one) : refusedContent(one, status) },
  ]);
  const parameters = Object.entries(operation.query ?? {}).map(([name, how]) => ({
    name,
    in: "query",
    required: how === "needed",
    schema: { type: "string", ...(typeof how === "string" ? { minLength: 1 } : { enum: how }) },
  }));
  const security = {
    open: [],
    local: [{}, { session: [] }],
    session: [{ session: [] }],
    mutation: [{ session: [], csrf: [] }],
  };
  return {
    summary: operation.about,
    operationId: one.name.toLowerCase().replaceAll(/[^a-z]+/g, "_"),
    security: security[operation.access],
    ...(parameters.length > 0 && { parameters }),
    ...(path === "/api/events" && {
      parameters: [{ name: "Last-Event-ID", in: "header", schema: { type: "integer" } }],
    }),
    ...bodyOf(operation),
    responses: Object.fromEntries(answers),
  };
}

/** HEAD is GET without the body: the same checks, statuses and headers. */
function headOperation(one: Described): Record<string, unknown> {
  const { summary: _, operationId, responses, ...rest } = operationOf(one);
  const bare = Object.entries(responses as Record<string, { readonly description: string }>)
    .map(([status, { description }]) => [status, { description }]);
  return {
    summary: one.path === "/api/events"
      ? "The headers of GET; begins no stream."
      : "The headers of GET, with the length of its body.",
    operationId: String(operationId).replace(/^get/, "head"),
    ...rest,
    responses: Object.fromEntries(bare),
  };
}

export function openApi(version: string): string {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of described()) {
    paths[one.path] = {
      ...paths[one.path],
      [one.method.toLowerCase()]: operationOf(one),
      ...(one.method === "GET" && { head: headOperation(one) }),
    };
  }
  const document = {
    openapi: "3.1.0",
    info: { title: "svc dashboard", version, description: "Generated; see api.md." },
    servers: [{ url: "http://127.0.0.1:9091" }],
    paths,
    components: {
      schemas: { Error: error },
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: "svc_session_9091" },
        csrf: { type: "apiKey", in: "header", name: "X-SVC-CSRF-Token" },
      },
    },
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}
