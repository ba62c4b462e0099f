/** Params of requests, looked at before the SDK does: what it says of wrong ones is a dump of its parser. */
import { specTypeSchemas } from "@modelcontextprotocol/server";
import type { RpcRequest } from "./messages.ts";

const SERVED = {
  "initialize": specTypeSchemas.InitializeRequest,
  "tools/list": specTypeSchemas.ListToolsRequest,
  "tools/call": specTypeSchemas.CallToolRequest,
} as const;

/** Such as `"params.cursor": Invalid input: expected string, received number`; undefined when they fit. */
export function paramsFault({ method, params }: RpcRequest): string | undefined {
  if (!Object.hasOwn(SERVED, method)) return undefined;
  const schema = SERVED[method as keyof typeof SERVED]["~standard"];
  const checked = schema.validate({ method, ...(params !== undefined && { params }) });
  if (checked instanceof Promise || checked.issues === undefined) return undefined;
  const { path = [], message } = checked.issues[0]!;
  const name = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return `${JSON.stringify(name)}: ${message}`;
}

const ODD = "svc/arguments";

const isObject = (value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Arguments of a call that are no object: wrapped into one, since the tool says of wrong arguments what
 * is right, and the SDK would not let them pass.
 */
export function withPlainArguments(request: RpcRequest): RpcRequest {
  const given = request.params?.["arguments"];
  if (request.method !== "tools/call" || given === undefined || isObject(given)) return request;
  return { ...request, params: { ...request.params, arguments: { [ODD]: given } } };
}

/** What the client gave. */
export function givenArguments(args: unknown): unknown {
  return isObject(args) && Object.hasOwn(args as object, ODD)
    ? (args as Record<string, unknown>)[ODD]
    : args;
}
