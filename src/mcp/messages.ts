/** Parses one line of a client into messages, or into the errors that answer it (JSON-RPC 2.0, jsonrpc.org). */

export type RequestId = string | number;

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

type RpcNotification = Omit<RpcRequest, "id">;

interface RpcError {
  readonly jsonrpc: "2.0";
  readonly id: RequestId | null;
  readonly error: { readonly code: number; readonly message: string };
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

export type ClientMessage =
  | { readonly request: RpcRequest }
  | { readonly notification: RpcNotification }
  | { readonly fault: RpcError }
  | { readonly stray: true };

type ParsedLine =
  | { readonly one: ClientMessage }
  | { readonly batch: readonly ClientMessage[] }
  | { readonly nothing: true };

export function rpcError(id: RequestId | null, code: number, message: string): RpcError {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is RequestId =>
  typeof value === "string" || Number.isSafeInteger(value);

function messageOf(value: unknown): ClientMessage {
  if (!isObject(value)) {
    return { fault: rpcError(null, INVALID_REQUEST, "A message is a JSON object") };
  }
  const { id, method, params } = value;
  const fault = (why: string): ClientMessage => ({
    fault: rpcError(isId(id) ? id : null, INVALID_REQUEST, why),
  });
  if (value["jsonrpc"] !== "2.0") return fault('A message has "jsonrpc": "2.0"');
  if (method === undefined && ("result" in value || "error" in value)) return { stray: true };
  if (typeof method !== "string") return fault('A message has a "method"');
  if (params !== undefined && !isObject(params)) return fault('"params" is a JSON object');
  // Built anew: the SDK rejects messages with further keys.
  const known = { jsonrpc: "2.0" as const, method, ...(params !== undefined && { params }) };
  if (!("id" in value)) return { notification: known };
  if (!isId(id)) return fault('"id" is a string or a whole number');
  return { request: { ...known, id } };
}

/** Never throws. */
export function readLine(text: string): ParsedLine {
  if (text.trim() === "") return { nothing: true };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (_) { // the parser's error may quote a secret
    return { one: { fault: rpcError(null, PARSE_ERROR, "The line is not valid JSON") } };
  }
  if (!Array.isArray(value)) return { one: messageOf(value) };
  if (value.length === 0) {
    return { one: { fault: rpcError(null, INVALID_REQUEST, "The batch is empty") } };
  }
  return { batch: value.map(messageOf) };
}
