/** The ways a model server goes wrong, by name: each makes one bad answer to one request. */
import { completionOf, eventsOf, sse } from "./model_answers.ts";
import type { ChatRequest, ScriptedReply } from "./model_scenario.ts";

export interface BadPlace {
  readonly request: ChatRequest;
  /** Aborted when the endpoint closes; a hanging answer ends with it. */
  readonly closing: AbortSignal;
  /** Base URL of another server, which must never be asked. */
  readonly elsewhere: string;
}

type Bad = (place: BadPlace) => Response | Promise<Response>;

const encoder = new TextEncoder();
const typed = (type: string) => ({ "content-type": type });
const EVENT_STREAM = typed("text/event-stream");
const GOOD: ScriptedReply = { text: "Grüße – all well", calls: [{ name: "look", args: { a: 1 } }] };

const events = (request: ChatRequest, reply = GOOD) => eventsOf(request, reply, 0);

function streamed(parts: Iterable<string | Uint8Array>, headers = EVENT_STREAM): Response {
  const iterator = parts[Symbol.iterator]();
  const body = new ReadableStream({
    pull(controller) {
      const { value, done } = iterator.next();
      if (done) return controller.close();
      controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
  });
  return new Response(body, { headers });
}

/** Sends the parts, then nothing more, until the endpoint closes or the client goes away. */
function stalled(parts: readonly string[], closing: AbortSignal): Response {
  const body = new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(encoder.encode(part));
      closing.addEventListener("abort", () => {
        try {
          controller.close();
        } catch {
          // the client went away before
        }
      }, { once: true });
    },
  });
  return new Response(body, { headers: EVENT_STREAM });
}

/** Sends the parts, and breaks the connection off. */
function brokenOff(parts: readonly string[]): Response {
  const left = [...parts];
  const body = new ReadableStream({
    pull(controller) {
      const part = left.shift();
      if (part === undefined) controller.error(new Error("reset"));
      else controller.enqueue(encoder.encode(part));
    },
  });
  return new Response(body, { headers: EVENT_STREAM });
}

const withoutDone = (parts: readonly string[]) => parts.filter((part) => !part.includes("[DONE]"));

function dripping(text: string, everyMs: number): Response {
  const bytes = encoder.encode(text);
  let at = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const body = new ReadableStream({
    pull(controller) {
      return new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          if (at < bytes.length) controller.enqueue(bytes.slice(at, ++at));
          else controller.close();
          resolve();
        }, everyMs);
      });
    },
    cancel: () => clearTimeout(timer),
  });
  return new Response(body, { headers: EVENT_STREAM });
}

function error(
  status: number,
  message: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error: { message, type: "error", ...more } }, { status, headers });
}

function* repeated(part: string | Uint8Array, times = Infinity) {
  for (let n = 0; n < times; n++) yield part;
}

function* numbered(times = Infinity) {
  for (let n = 0; n < times; n++) {
    yield sse({ choices: [{ index: 0, delta: { content: `${n} bottles of beer. `.repeat(8) } }] });
  }
}

const calls = (...tool_calls: unknown[]) => [
  sse({ choices: [{ index: 0, delta: { tool_calls } }] }),
  sse({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
  sse("[DONE]"),
];

const never = (closing: AbortSignal) =>
  new Promise<Response>((resolve) => {
    const end = () => resolve(new Response(null, { status: 503 }));
    closing.addEventListener("abort", end, { once: true });
  });

const CHUNK_BYTES = 1024 * 1024;

export const BAD_MODES: Readonly<Record<string, Bad>> = {
  hang: ({ closing }) => never(closing),
  hang_after_headers: ({ closing }) => stalled([": hello\n\n"], closing),
  stall_in_text: ({ request, closing }) => stalled(events(request).slice(0, 3), closing),
  slow_bytes: ({ request }) => dripping(events(request).join(""), 20),
  half_json: ({ request }) =>
    streamed([events(request)[0]!, 'data: {"choices": [{"delta": {"cont\n\n']),
  broken_event: () => streamed(["data: {not json}\n\n", sse("[DONE]")]),
  half_body: () =>
    new Response('{"choices": [', { headers: { "content-type": "application/json" } }),
  no_done: ({ request }) => streamed(events(request).slice(0, 3)),
  reset: ({ request }) => brokenOff([events(request)[0]!]),
  // Proxies that keep the connection open, or lose it, once the server has said all.
  end_stalls: ({ request, closing }) => stalled(withoutDone(events(request)), closing),
  end_lost: ({ request }) => brokenOff(withoutDone(events(request))),
  done_with_blanks: ({ request }) =>
    streamed([...withoutDone(events(request)), "data: [DONE] \n\n"]),
  // A reason that is "" until the end; here the end does not come.
  empty_finish: ({ request }) =>
    streamed(
      events(request).slice(0, 3).map((part) =>
        part.replace('"finish_reason":null', '"finish_reason":""')
      ),
    ),
  no_choices: () => streamed([sse({ choices: [] }), sse("[DONE]")]),
  error_in_stream: ({ request }) =>
    streamed([events(request)[0]!, sse({ error: { message: "out of memory" } }), sse("[DONE]")]),
  error_as_events: () => streamed([JSON.stringify({ error: { message: "out of memory" } })]),
  http_500: () => error(500, "internal error"),
  http_503: () => error(503, "loading model"),
  retry_after_seconds: () => error(429, "slow down", {}, { "retry-after": "1" }),
  retry_after_date: () =>
    error(429, "slow down", {}, { "retry-after": new Date(Date.now() + 2000).toUTCString() }),
  retry_after_ms: () => error(429, "slow down", {}, { "retry-after-ms": "5" }),
  retry_after_long: () => error(429, "slow down", {}, { "retry-after": "3600" }),
  http_401: () => error(401, "Incorrect API key provided: sk-abc"),
  http_402: () => error(402, "payment required"),
  insufficient_quota: () =>
    error(429, "You exceeded your current quota", { code: "insufficient_quota" }),
  content_filter: () =>
    streamed([
      sse({ choices: [{ index: 0, delta: { content: "I am" } }] }),
      sse({ choices: [{ index: 0, delta: {}, finish_reason: "content_filter" }] }),
      sse("[DONE]"),
    ]),
  filtered_prompt: () =>
    error(400, "The response was filtered due to the prompt", { code: "content_filter" }),
  refusal: () =>
    streamed([
      sse({ choices: [{ index: 0, delta: { content: null, refusal: "I can" } }] }),
      sse({ choices: [{ index: 0, delta: { refusal: "not." }, finish_reason: "stop" }] }),
      sse("[DONE]"),
    ]),
  model_404: ({ request }) => error(404, `model "${request.model}" not found`),
  context_length: () =>
    error(400, "This model's maximum context length is 8192 tokens.", {
      code: "context_length_exceeded",
    }),
  context_llama: () =>
    error(400, "the request exceeds the available context size", {
      type: "exceed_context_size_error",
    }),
  wrong_type: () => new Response("hello", { headers: { "content-type": "text/plain" } }),
  html_page: () => new Response("<html>login</html>", { headers: { "content-type": "text/html" } }),
  html_502: () => new Response("<html>bad gateway</html>", { status: 502 }),
  long_line: () => streamed(["data: ", ...repeated(new Uint8Array(CHUNK_BYTES).fill(97), 100)]),
  endless: () => streamed(numbered()),
  loops: () =>
    streamed(repeated(sse({ choices: [{ index: 0, delta: { content: "I look again. " } }] }))),
  endless_comments: () => streamed(repeated(": still here\n\n".repeat(1000))),
  redirect: ({ elsewhere }) =>
    new Response(null, {
      status: 307,
      headers: { location: `${elsewhere}/chat/completions`, "set-cookie": "a=b" },
    }),
  invalid_args: () =>
    streamed(calls({ index: 0, id: "c1", function: { name: "look", arguments: '{"a": ' } })),
  duplicate_ids: () =>
    streamed(calls(
      { index: 0, id: "same", function: { name: "look", arguments: '{"a":2}' } },
      { index: 1, id: "same", function: { name: "look", arguments: '{"a":1}' } },
    )),
  missing_ids: () =>
    streamed(calls(
      { function: { name: "look", arguments: { a: 1 } } },
      { function: { name: "look", arguments: "{}" } },
    )),
  same_index: () =>
    streamed(calls(
      { index: 0, id: "c1", function: { name: "look", arguments: "{}" } },
      { index: 0, id: "c2", function: { name: "look", arguments: "{}" } },
    )),
  legacy_call: () =>
    streamed([
      sse({ choices: [{ delta: { function_call: { name: "look", arguments: '{"a"' } } }] }),
      sse({ choices: [{ delta: { function_call: { arguments: ": 1}" } } }] }),
      sse({ choices: [{ delta: {}, finish_reason: "function_call" }] }),
      sse("[DONE]"),
    ]),
  split_utf8: ({ request }) =>
    streamed([...encoder.encode(events(request).join(""))].map((byte) => new Uint8Array([byte]))),
  bom: ({ request }) => streamed(["\uFEFF", ...events(request)]),
  crlf: ({ request }) => streamed(events(request).map((event) => event.replaceAll("\n", "\r\n"))),
  events_as_json: ({ request }) => streamed(events(request), typed("application/json")),
  events_as_text: ({ request }) =>
    streamed([" \n", ...events(request)], typed("text/plain; charset=utf-8")),
  events_as_page: ({ request }) => streamed(events(request), typed("text/html")),
  json_as_text: ({ request }) =>
    streamed([JSON.stringify(completionOf(request, GOOD, 0))], typed("text/plain")),
  json_as_events: ({ request }) => streamed(["\n", JSON.stringify(completionOf(request, GOOD, 0))]),
  no_stream_options: ({ request }) =>
    request.stream_options === undefined
      ? streamed(events(request))
      : error(400, "Unrecognized request argument supplied: stream_options"),
};
