/** Bounds the lines of an event stream before it is parsed; turns a plain JSON response into a stream. */
import { modelFault, type ModelTarget } from "./faults.ts";
import { type ExchangeResponse, textOf } from "./exchange.ts";

export interface EventStream {
  /** Server-sent events (HTML standard, section 9.2) with lines of bounded length. */
  readonly body: AsyncIterable<Uint8Array>;
  ended(): boolean;
}

const NEWLINE = 10;
const RETURN = 13;
const DONE_LINE = /^data: ?\[DONE\]/;

function lineMeter(limit: number) {
  let open = 0;
  return {
    fits(part: Uint8Array): boolean {
      for (let at = 0; at < part.length;) {
        const newline = part.indexOf(NEWLINE, at);
        const stop = newline === -1 ? part.length : newline;
        open += stop - at;
        if (open > limit) return false;
        if (newline !== -1) open = 0;
        at = stop + 1;
      }
      return true;
    },
  };
}

/** Looks for the line `data: [DONE]` in the last bytes, which may come in two parts. */
function doneSpotter() {
  let tail = "";
  let seen = false;
  return {
    take(part: Uint8Array) {
      if (seen) return;
      tail += String.fromCharCode(...part.subarray(-64));
      const start = tail.lastIndexOf("data:");
      const lineStart = start <= 0 || [NEWLINE, RETURN].includes(tail.charCodeAt(start - 1));
      seen = lineStart && DONE_LINE.test(tail.slice(start));
      tail = tail.slice(-64);
    },
    seen: () => seen,
  };
}

function eventStream(
  answer: ExchangeResponse,
  target: ModelTarget,
  lineBytes: number,
): EventStream {
  const meter = lineMeter(lineBytes);
  const spotter = doneSpotter();
  async function* parts() {
    for (let part = await answer.read(); part !== undefined; part = await answer.read()) {
      if (!meter.fits(part)) {
        throw modelFault(target, "too_large", `it sent a line of more than ${lineBytes} bytes`);
      }
      spotter.take(part);
      yield part;
    }
  }
  return { body: parts(), ended: spotter.seen };
}

/** @throws ModelFault `protocol` when it is no JSON object */
async function singleEvent(
  answer: ExchangeResponse,
  target: ModelTarget,
): Promise<EventStream> {
  const text = await textOf(answer);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw modelFault(target, "protocol", "its answer is broken JSON", { cause });
  }
  const event = `data: ${JSON.stringify(value)}\n\ndata: [DONE]\n\n`;
  return { body: ReadableStream.from([new TextEncoder().encode(event)]), ended: () => true };
}

/** @throws ModelFault `protocol` for any other content type, such as an HTML page's */
export async function eventsOf(
  answer: ExchangeResponse,
  target: ModelTarget,
  lineBytes: number,
): Promise<EventStream> {
  const { contentType } = answer;
  // Some servers name no type, or the generic one, for their streams.
  if (["text/event-stream", "", "application/octet-stream"].includes(contentType)) {
    return eventStream(answer, target, lineBytes);
  }
  if (contentType === "application/json") return await singleEvent(answer, target);
  throw modelFault(target, "protocol", `it answered with "${contentType}", not with events`, {
    transient: false,
    pausesLane: true,
    remedy: "Give the base URL of an OpenAI-compatible server, such as http://127.0.0.1:11434/v1",
  });
}
