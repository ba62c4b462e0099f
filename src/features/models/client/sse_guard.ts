/** Bounds the lines of an event stream before it is parsed; turns a plain JSON response into a stream. What came says
 * which of both it is: the type that a gateway gives may be wrong, or none. */
import { modelFault, type ModelTarget } from "./faults.ts";
import { type ExchangeResponse, textOf } from "./exchange.ts";

type Bytes = Pick<ExchangeResponse, "read">;

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
  answer: Bytes,
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
async function singleEvent(answer: Bytes, target: ModelTarget): Promise<EventStream> {
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

/** Characters of the longest beginning that tells an event stream from a page: "event:". */
const TELLING_CHARS = 6;

/** A field of an event, or a comment (HTML standard, section 9.2.6). */
const EVENT_LINE = /^(?:data|event|id|retry)?:/;

/** The beginning of an answer without blanks and byte order mark, and the whole of it to be read. */
async function begun(answer: Bytes): Promise<{ readonly start: string; readonly whole: Bytes }> {
  const parts: Uint8Array[] = [];
  let start = "";
  while (start.length < TELLING_CHARS) {
    const part = await answer.read();
    if (part === undefined) break;
    parts.push(part);
    const text = String.fromCharCode(...part.subarray(0, 256));
    start = (start + text).replace(/^(?:\xef\xbb\xbf|\s)+/, "");
  }
  return { start, whole: { read: async () => parts.shift() ?? await answer.read() } };
}

/** Some servers name no type, or the generic one, for their streams. */
const STREAM_TYPES = ["text/event-stream", "", "application/octet-stream"];

/** @throws ModelFault `protocol` for anything but events and JSON, such as an HTML page */
export async function eventsOf(
  answer: ExchangeResponse,
  target: ModelTarget,
  lineBytes: number,
): Promise<EventStream> {
  const { contentType } = answer;
  const { start, whole } = await begun(answer);
  // Gateways call a stream JSON (foundry-dev-tools#195), and Go's net/http what has no type text/plain.
  if (start.startsWith("{")) return await singleEvent(whole, target);
  if (STREAM_TYPES.includes(contentType) || EVENT_LINE.test(start)) {
    return eventStream(whole, target, lineBytes);
  }
  if (contentType === "application/json") return await singleEvent(whole, target);
  throw modelFault(target, "protocol", `it answered with "${contentType}", not with events`, {
    transient: false,
    pausesLane: true,
    remedy: "Give the base URL of an OpenAI-compatible server, such as http://127.0.0.1:11434/v1",
  });
}
