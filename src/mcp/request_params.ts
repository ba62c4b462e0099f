/** Checks params of requests before the SDK does, whose own message is a dump of its parser. */
import { specTypeSchemas } from "@modelcontextprotocol/server";
import type { RpcRequest } from "./messages.ts";

const REQUEST_SHAPES = {
  "initialize": specTypeSchemas.InitializeRequest,
  "tools/list": specTypeSchemas.ListToolsRequest,
  "tools/call": specTypeSchemas.CallToolRequest,
} as const;

/** Such as `"params.cursor": Invalid input: expected string, received number`; undefined for valid params. */
export function paramsFault({ method, params }: RpcRequest): string | undefined {
  if (!Object.hasOwn(REQUEST_SHAPES, method)) return undefined;
  const schema = REQUEST_SHAPES[method as keyof typeof REQUEST_SHAPES]["~standard"];
  const checked = schema.validate({ method, ...(params !== undefined && { params }) });
  if (checked instanceof Promise || checked.issues === undefined) return undefined;
  const { path = [], message } = checked.issues[0]!;
  const name = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return `${JSON.stringify(name)}: ${message}`;
}

const WRAPPED = "svc/arguments";

const isObject = (value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The SDK would refuse arguments that are no object; the tool explains what is right. */
export function withPlainArguments(request: RpcRequest): RpcRequest {
  const given = request.params?.["arguments"];
  if (request.method !== "tools/call" || given === undefined || isObject(given)) return request;
  return { ...request, params: { ...request.params, arguments: { [WRAPPED]: given } } };
}

export function givenArguments(args: unknown): unknown {
  return isObject(args) && Object.hasOwn(args as object, WRAPPED)
    ? (args as Record<string, unknown>)[WRAPPED]
    : args;
}
