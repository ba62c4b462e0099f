/**
 * The SDK's transport over standard input and output (modelcontextprotocol.io, "stdio"): one JSON-RPC
 * message a line, every faulty line answered, and none held in memory that is too long.
 */
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import {
  MCP_END_GRACE_MS,
  MCP_LINE_BYTES,
  MCP_OPEN_REQUESTS,
  MCP_UNREAD_BYTES,
} from "svc/core/bounds.ts";
import type { Clock } from "svc/platform/clock.ts";
import { type Line, linesOf } from "./line_reader.ts";
import {
  type Entry,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  PARSE_ERROR,
  readLine,
  type RequestId,
  rpcError,
  type RpcRequest,
} from "./messages.ts";
import { type Batch, complete, openRequests } from "./open_requests.ts";
import { outputQueue } from "./output_queue.ts";

export interface WirePlan {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  readonly clock: Clock;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Told of each line that is no message, without its content. */
  fault(why: string): void;
}

export interface StdioWire extends Transport {
  /** Resolves when input has ended or was to end, and when nobody reads the output any more. */
  readonly ended: Promise<void>;
  /** Resolves when every request has its answer, or has had its time, or nobody reads. */
  answered(): Promise<void>;
}

/** Protocol revisions in which several messages may come in one line; 2025-06-18 took that away. */
const BATCHED = ["2025-03-26", "2024-11-05", "2024-10-07"];

async function* chunksOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  stop: Promise<unknown>,
): AsyncGenerator<Uint8Array, void> {
  const stopped = stop.then(() => ({ done: true as const, value: undefined }));
  while (true) {
    const { done, value } = await Promise.race([reader.read(), stopped]);
    if (done) return;
    yield value;
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

export function stdioWire(plan: WirePlan): StdioWire {
  const out = outputQueue(plan.output, MCP_UNREAD_BYTES);
  const open = openRequests();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let revision: string | undefined;
  let closed = false;

  const answer = (reply: unknown, batch?: Batch) => {
    if (batch === undefined) out.send(reply);
    else batch.answers.push(reply);
  };
  const refuse = (id: RequestId | null, code: number, why: string, batch?: Batch) => {
    plan.fault(why);
    answer(rpcError(id, code, why), batch);
  };
  const settle = (id: RequestId, reply: unknown) => {
    const due = open.settle(id, reply);
    if (due !== undefined) out.send(due);
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
    // The SDK would pass over what it takes for no request, and leave it without an answer.
    if (!isJSONRPCRequest(request)) {
      return refuse(id, INVALID_PARAMS, '"params" are not what the protocol has', batch);
    }
    open.open(id, batch);
    deliver(request);
  };
  const take = (entry: Entry, batch?: Batch) => {
    if ("request" in entry) ask(entry.request, batch);
    else if ("notification" in entry) {
      const { method, params } = entry.notification;
      deliver(entry.notification);
      // A cancelled request has no answer (modelcontextprotocol.io, "Cancellation").
      const id = params?.["requestId"] as RequestId;
      if (method === "notifications/cancelled" && open.has(id)) settle(id, undefined);
    } else if ("fault" in entry) {
      const { id, error } = entry.fault;
      refuse(id, error.code, error.message, batch);
    } else plan.fault("An answer to no question");
  };
  const deliver = (message: JSONRPCMessage) => wire.onmessage?.(message);

  const takeLine = (line: Line) => {
    if ("fault" in line) {
      return line.fault === "too_long"
        ? refuse(null, INVALID_REQUEST, `The line is longer than ${MCP_LINE_BYTES} bytes`)
        : refuse(null, PARSE_ERROR, "The line is not valid UTF-8");
    }
    const said = readLine(line.text);
    if ("one" in said) take(said.one);
    else if ("batch" in said) {
      if (revision === undefined || !BATCHED.includes(revision)) {
        const why = `Protocol revision ${revision ?? "not settled"}: one message a line`;
        return refuse(null, INVALID_REQUEST, why);
      }
      const batch: Batch = { waits: new Set(), answers: [] };
      for (const entry of said.batch) take(entry, batch);
      const due = complete(batch);
      if (due !== undefined) out.send(due);
    }
  };

  const read = async () => {
    const stop = Promise.race([aborted(plan.signal), out.gone]);
    for await (const line of linesOf(chunksOf(plan.input.getReader(), stop), MCP_LINE_BYTES)) {
      takeLine(line);
      await out.room();
    }
  };
  const inTime = async (...work: readonly Promise<unknown>[]) => {
    const timer = new AbortController();
    await Promise.race([...work, plan.clock.sleep(MCP_END_GRACE_MS, timer.signal)]);
    timer.abort();
  };

  const wire: StdioWire = {
    ended,
    answered: () => inTime(open.idle(), out.gone),
    start() {
      read().then(end, (cause) => {
        wire.onerror?.(cause);
        end();
      });
      return Promise.resolve();
    },
    send(message) {
      if (closed) return Promise.resolve();
      if ("id" in message && !("method" in message) && message.id !== undefined) {
        settle(message.id, message);
      } else out.send(message);
      return Promise.resolve();
    },
    setProtocolVersion(version) {
      revision = version;
    },
    async close() {
      if (closed) return;
      closed = true;
      await inTime(out.flushed());
      wire.onclose?.();
    },
  };
  return wire;
}
