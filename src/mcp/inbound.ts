/** Handles each line of the client: passes messages to the server, and answers faults. */
import { isJSONRPCRequest, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { MCP_LINE_BYTES } from "svc/core/bounds.ts";
import type { InputLine } from "svc/core/line_reader.ts";
import {
  type ClientMessage,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  PARSE_ERROR,
  readLine,
  type RequestId,
  rpcError,
  type RpcRequest,
} from "./messages.ts";
import { type Batch, complete, type OpenRequests } from "./open_requests.ts";
import type { OutputQueue } from "./output_queue.ts";
import { paramsFault, withPlainArguments } from "./request_params.ts";

const MCP_OPEN_REQUESTS = 256;

interface InboundPlan {
  readonly open: OpenRequests;
  readonly out: Pick<OutputQueue, "send">;
  revision(): string | undefined;
  deliver(message: JSONRPCMessage): void;
  /** The request will have no answer. */
  giveUp(id: RequestId): void;
  /** Called for each line that is no message, without its content. */
  fault(why: string): void;
}

/** Protocol revisions with batches of messages in one line; 2025-06-18 removed them. */
const WITH_BATCHES = ["2025-03-26", "2024-11-05", "2024-10-07"];

export function inbound(
  { open, out, revision, deliver, giveUp, fault }: InboundPlan,
): (line: InputLine) => void {
  const answer = (reply: unknown, batch?: Batch) => {
    if (batch === undefined) out.send(reply);
    else batch.answers.push(reply);
  };
  const refuse = (id: RequestId | null, code: number, why: string, batch?: Batch) => {
    fault(why);
    answer(rpcError(id, code, why), batch);
  };
  const ask = (request: RpcRequest, batch?: Batch) => {
    const { id, method } = request;
    if (open.has(id)) {
      return refuse(null, INVALID_REQUEST, "Another open request has that id", batch);
    }
    if (open.size >= MCP_OPEN_REQUESTS) {
      const why = `${MCP_OPEN_REQUESTS} requests have no answer yet: wait for some`;
      return refuse(id, INTERNAL_ERROR, why, batch);
    }
    if (batch !== undefined && method === "initialize") {
      return refuse(id, INVALID_REQUEST, "initialize is no part of a batch", batch);
    }
    // The SDK would ignore what it does not take for a request, and never answer it.
    if (!isJSONRPCRequest(request)) {
      return refuse(id, INVALID_PARAMS, '"params" do not fit the protocol', batch);
    }
    const plain = withPlainArguments(request);
    const wrong = paramsFault(plain);
    if (wrong !== undefined) return refuse(id, INVALID_PARAMS, wrong, batch);
    open.open(id, batch);
    deliver(plain);
  };
  const take = (entry: ClientMessage, batch?: Batch) => {
    if ("request" in entry) ask(entry.request, batch);
    else if ("notification" in entry) {
      const { method, params } = entry.notification;
      deliver(entry.notification);
      // A cancelled request has no answer (modelcontextprotocol.io, "Cancellation").
      const id = params?.["requestId"] as RequestId;
      if (method === "notifications/cancelled" && open.has(id)) giveUp(id);
    } else if ("fault" in entry) {
      const { id, error } = entry.fault;
      refuse(id, error.code, error.message, batch);
    } else fault("An answer to no request");
  };

  return (line) => {
    if ("fault" in line) {
      return line.fault === "too_long"
        ? refuse(null, INVALID_REQUEST, `The line is longer than ${MCP_LINE_BYTES} bytes`)
        : refuse(null, PARSE_ERROR, "The line is not valid UTF-8");
    }
    const messages = readLine(line.text);
    if ("one" in messages) take(messages.one);
    else if ("batch" in messages) {
      if (!WITH_BATCHES.includes(revision() ?? "")) {
        const why = `Protocol revision ${revision() ?? "not settled"}: one message a line`;
        return refuse(null, INVALID_REQUEST, why);
      }
      const batch: Batch = { waits: new Set(), answers: [] };
      for (const entry of messages.batch) take(entry, batch);
      const due = complete(batch);
      if (due !== undefined) out.send(due);
    }
  };
}
