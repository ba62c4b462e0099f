/** The model client: OpenAI chat completions, streamed; with the event parser of the `openai` package. */
import { APIError } from "openai/core/error";
import { Stream } from "openai/core/streaming";
import type { Redact } from "svc/core/redact.ts";
import type { Clock } from "svc/platform/clock.ts";
import { type Dialect, easier, firstDialect, shorterReply } from "./dialect.ts";
import { endpointOf } from "./endpoint.ts";
import {
  exchange,
  EXCHANGE_LIMITS,
  type ExchangeLimits,
  type ExchangePorts,
  refuseOpenKey,
} from "./exchange.ts";
import { CONTENT_FILTER, filteredFault, modelFault, type ModelTarget } from "./faults.ts";
import { callIds, serialiser, type WireRequest } from "./messages.ts";
import {
  type ModelClient,
  ModelFault,
  type ModelProfile,
  type ModelReply,
  type ModelRequest,
  type ModelRoute,
  type ToolCall,
} from "./model.ts";
import { ErrorResponse, failedCall, responseFault } from "./error_response.ts";
import { cleanReasoning, isClean } from "./reasoning.ts";
import type { ReplyLimit } from "./reply_limit.ts";
import { type CollectedReply, replyParts, uniqueIds } from "./reply_parts.ts";
import { type RequestBody, requestBody } from "./request_body.ts";
import { withRetries } from "./retry.ts";
import { eventsOf, type EventStream } from "./sse_guard.ts";
import { readTextCalls } from "./text_calls.ts";
import { splitThinking, thinkingFilter } from "./thinking.ts";
import { estimatedUsage, looksTruncated, reportedUsage } from "./usage.ts";

export interface ClientPlan {
  readonly route: ModelRoute;
  readonly key?: string | undefined;
  readonly profile: ModelProfile;
  readonly clock: Clock;
  readonly redact: Redact;
  readonly fetch?: typeof fetch | undefined;
  readonly limits?: Partial<ExchangeLimits> | undefined;
  readonly random?: () => number;
  readonly onDialect?: (dialect: Dialect) => void;
}

type AskOptions = Parameters<ModelClient["ask"]>[1];

interface Connection {
  readonly plan: ClientPlan;
  readonly target: ModelTarget;
  readonly base: string;
  readonly ports: ExchangePorts;
  readonly limits: ExchangeLimits;
}

/** Fields and limits that one request may turn out to be too much, one refusal each. */
const DIALECT_TRIES = 24;

function faultOf({ target }: Connection, thrown: unknown): ModelFault | ErrorResponse {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    if (at instanceof ModelFault || at instanceof ErrorResponse) return at;
  }
  if (thrown instanceof APIError) {
    return new ErrorResponse(0, JSON.stringify({ error: thrown.error ?? thrown.message }));
  }
  if (thrown instanceof SyntaxError) {
    return modelFault(target, "protocol", "its answer is broken JSON", { cause: thrown });
  }
  return modelFault(target, "protocol", "its answer cannot be read", { cause: thrown });
}

/** The parser uses only a response's body and a client's logger; without a client it writes to the console. */
function parsed({ body }: EventStream): AsyncIterable<unknown> {
  type Parser = Parameters<typeof Stream.fromSSEResponse>;
  const response = { body, headers: new Headers() } as unknown as Parser[0];
  return Stream.fromSSEResponse(response, new AbortController(), {} as Parser[2]);
}

/** The connection broke off, no end came, or one that is not quite it, such as "[DONE] ": of a finished answer nothing
 * is missing. */
const isLostEnd = (thrown: unknown) =>
  thrown instanceof SyntaxError ||
  (thrown instanceof ModelFault && (thrown.kind === "idle" || thrown.kind === "unreachable"));

/** Uses only the package's event parser: loading its other megabyte took 30 ms of each run. */
async function stream(
  { plan: { key }, target, base, ports, limits }: Connection,
  body: RequestBody,
  signal: AbortSignal,
  take: (chunk: unknown) => "more" | "finished" | "enough",
): Promise<{ readonly ended: boolean }> {
  const asked = {
    target,
    key,
    url: `${base}/chat/completions`,
    accept: "text/event-stream",
    body: JSON.stringify(body),
  };
  await using answer = await exchange(ports, asked, limits, signal);
  const events = await eventsOf(answer, target, limits.lineBytes);
  let finished = false;
  try {
    for await (const chunk of parsed(events)) {
      const state = take(chunk);
      // Leaving closes the connection, so that the server stops too.
      if (state === "enough") return { ended: true };
      finished = state === "finished";
      if (finished) answer.expectEnd();
    }
  } catch (thrown) {
    if (!finished || !isLostEnd(thrown)) throw thrown;
    return { ended: false };
  }
  const ended = events.ended();
  // The package stops at the last event, before the end of the response.
  if (ended) await answer.drain();
  return { ended };
}

/** Finish reasons: Mistral says the second where the window is full (`FinishReason` of its own package). */
const CUT_OFF = ["length", "model_length"];

function replyOf(
  request: ModelRequest,
  wire: WireRequest,
  { text, reasoning, calls, repeated, finish, usage, chars }: CollectedReply,
  redact: Redact,
): ModelReply {
  const cut = finish !== undefined && CUT_OFF.includes(finish);
  const { thought, said } = splitThinking(text, cut);
  const isNative = calls.length > 0;
  const fromText = readTextCalls(said, isNative ? [] : request.tools);
  const found: readonly ToolCall[] = isNative
    ? calls.map(({ extra, ...call }) => ({
      ...call,
      ...(extra !== undefined && isClean(extra, redact) && { extra }),
    }))
    : fromText.calls.map((call) => ({ ...call, id: "" }));
  const unique = uniqueIds(found, callIds(request.messages));
  const counted = reportedUsage(usage) ?? estimatedUsage(wire, chars);
  const leaked = thought || fromText.reasoning;
  const thoughts = cleanReasoning(reasoning, redact) ?? (leaked ? { text: leaked } : undefined);
  return {
    text: fromText.text,
    calls: unique,
    textCalls: fromText.calls.length > 0,
    ...(thoughts && { reasoning: thoughts }),
    usage: counted,
    end: cut ? "length" : unique.length > 0 ? "calls" : "stop",
    ...(repeated && { repeated }),
    truncatedPrompt: looksTruncated(wire, counted),
  };
}

/** Finish reasons: OpenRouter and Mistral have the first, DeepSeek the second (api-docs.deepseek.com/api/create-chat-completion). */
const BROKEN_OFF = ["error", "insufficient_system_resource"];

function refuseUnfinished(
  { target }: Connection,
  { text, reasoning, calls, finish }: CollectedReply,
  ended: boolean,
): void {
  if (finish !== undefined && BROKEN_OFF.includes(finish)) {
    throw modelFault(target, "server", `it broke its answer off ("${finish}")`);
  }
  // Half an answer, or none: the model would be told that it said nothing, turn after turn.
  if (finish === CONTENT_FILTER) throw filteredFault(target);
  // With neither, the connection just closed, and the answer may be half of one.
  if (finish === undefined && !ended) {
    throw modelFault(target, "protocol", "its answer broke off before the end");
  }
  if (finish === undefined && text === "" && calls.length === 0 && reasoning === undefined) {
    throw modelFault(target, "protocol", "its answer is empty");
  }
}

/** @throws Failure `usage` or ModelFault `auth` when the key would go over a network unencrypted */
export function openaiClient(plan: ClientPlan): ModelClient {
  const { route, profile, clock, redact, random = Math.random } = plan;
  const { href: base } = endpointOf(route.endpoint, "the model endpoint");
  const target: ModelTarget = { ...route, endpoint: base };
  refuseOpenKey(target, plan.key);
  const connection: Connection = {
    plan,
    target,
    base,
    ports: { fetch: plan.fetch ?? fetch, clock },
    limits: { ...EXCHANGE_LIMITS, ...plan.limits },
  };
  const messages = serialiser(redact);
  let dialect = firstDialect(profile);

  interface Attempt {
    readonly request: ModelRequest;
    readonly wire: WireRequest;
    readonly body: RequestBody;
  }

  function attempt(request: ModelRequest, limit: ReplyLimit | undefined): Attempt {
    const { maxTokens = Infinity, toolChoice } = request;
    const wire = messages.wire(request, dialect.tools, dialect);
    const most = Math.min(maxTokens, dialect.replyTokens, limit?.tokens ?? Infinity);
    const body = requestBody({
      target,
      sampling: route.sampling,
      wire,
      dialect,
      maxTokens: most === Infinity ? undefined : most,
      toolChoice,
    });
    return { request, wire, body };
  }

  async function once(
    { request, wire, body }: Attempt,
    { signal, onText }: AskOptions,
  ): Promise<ModelReply> {
    const parts = replyParts(dialect.tools);
    const show = onText === undefined ? () => {} : thinkingFilter(onText);
    const { ended } = await stream(connection, body, signal, (chunk) => {
      const delta = parts.take(chunk);
      if (delta !== "") show(delta);
      if (parts.repeated() !== undefined) return "enough";
      return parts.finished() ? "finished" : "more";
    });
    // The package ends an aborted stream silently: what came is not the whole answer.
    if (signal.aborted) throw modelFault(target, "cancelled", "it was cancelled");
    const collected = parts.collected();
    refuseUnfinished(connection, collected, ended);
    return replyOf(request, wire, collected, redact);
  }

  function speak(next: Dialect): void {
    dialect = next;
    plan.onDialect?.(dialect);
  }

  /** The call that a model wrote in a form which its server does not read. @throws ModelFault where there is none */
  function readAnyway(
    { request, wire }: Attempt,
    refused: ErrorResponse,
    written: string,
  ): ModelReply {
    const calls = { calls: [], repeated: undefined, finish: "stop", usage: undefined };
    const collected = { text: written, reasoning: undefined, chars: written.length, ...calls };
    const reply = replyOf(request, wire, collected, redact);
    if (reply.calls.length > 0) return reply;
    throw responseFault(target, refused, { redact, now: clock.now() });
  }

  /** Asks in the server's dialect: what it refuses is left out from then on. */
  async function understood(request: ModelRequest, ask: AskOptions): Promise<ModelReply> {
    let limit: ReplyLimit | undefined;
    for (let tries = 1;; tries++) {
      const trying = attempt(request, limit);
      try {
        const reply = await once(trying, ask);
        if (limit?.lasting) speak({ ...dialect, replyTokens: limit.tokens });
        return reply;
      } catch (thrown) {
        const fault = faultOf(connection, thrown);
        if (!(fault instanceof ErrorResponse)) throw fault;
        const written = failedCall(fault);
        if (written !== undefined) return readAnyway(trying, fault, written);
        const { max_tokens, max_completion_tokens } = trying.body;
        const shorter = shorterReply(fault, max_tokens ?? max_completion_tokens);
        const next = shorter === undefined ? easier(dialect, fault, trying.body) : undefined;
        if (tries >= DIALECT_TRIES || (shorter ?? next) === undefined) {
          throw responseFault(target, fault, { redact, now: clock.now() });
        }
        if (next !== undefined) speak(next);
        limit = shorter ?? limit;
      }
    }
  }

  return {
    route,
    profile,
    ask(request, { signal, onText, onRetry }) {
      let shown = false;
      const show = onText && ((delta: string) => {
        shown = true;
        onText(delta);
      });
      return withRetries({ clock, signal, random, onRetry }, () => {
        if (shown) onText?.("\n[the answer broke off; asking again]\n");
        shown = false;
        return understood(request, { signal, onText: show });
      });
    },
  };
}
