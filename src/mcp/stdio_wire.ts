/** The SDK's transport over standard input and output (modelcontextprotocol.io, "stdio"). */
import type { Transport } from "@modelcontextprotocol/server";
import { MCP_LINE_BYTES } from "svc/core/bounds.ts";
import type { Clock } from "svc/platform/clock.ts";
import { inbound } from "./inbound.ts";
import { linesOf } from "svc/core/line_reader.ts";
import type { RequestId } from "./messages.ts";
import { openRequests } from "./open_requests.ts";
import { outputQueue } from "./output_queue.ts";

/** Bytes; above this no further line of the client is read. */
const MCP_UNREAD_BYTES = 8 * 1024 * 1024;

/** Time for open requests after the end of the input or a signal. */
const MCP_END_GRACE_MS = 1_000;

interface WirePlan {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  fault(why: string): void;
}

interface StdioWire extends Transport {
  readonly ended: Promise<void>;
  /** Resolves when every request is answered, its time is over, or nobody reads. */
  answered(): Promise<void>;
}

async function* chunksOf(
  input: ReadableStream<Uint8Array>,
  stop: Promise<unknown>,
): AsyncGenerator<Uint8Array, void> {
  const reader = input.getReader();
  // Not a race with each read, which would hold every read's promise until the end.
  stop.then(() => reader.cancel()).catch(() => {}); // reading ends all the same
  while (true) {
    const { done, value } = await reader.read();
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

  const settle = (id: RequestId, reply: unknown) => {
    const due = open.settle(id, reply);
    if (due !== undefined) out.send(due);
  };

  const takeLine = inbound({
    open,
    out,
    fault: plan.fault,
    revision: () => revision,
    deliver: (message) => wire.onmessage?.(message),
    giveUp: (id) => settle(id, undefined),
  });

  const read = async () => {
    const stop = Promise.race([aborted(plan.signal), out.gone]);
    for await (const line of linesOf(chunksOf(plan.input, stop), MCP_LINE_BYTES)) {
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
