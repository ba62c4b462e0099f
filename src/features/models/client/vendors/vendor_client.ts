/** What the clients of vendors' own protocols share: guards, retries, settings that a model refuses. */
import type { ClientPlan } from "svc/features/models/client/client.ts";
import { shorterReply } from "svc/features/models/client/dialect.ts";
import { endpointOf } from "svc/features/models/client/endpoint.ts";
import { ErrorResponse, responseFault } from "svc/features/models/client/error_response.ts";
import { EXCHANGE_LIMITS, refuseOpenKey } from "svc/features/models/client/exchange.ts";
import {
  modelFault,
  type ModelTarget,
  NOT_ANSWERED_REMEDY,
} from "svc/features/models/client/faults.ts";
import { callIds, serialiser } from "svc/features/models/client/messages.ts";
import {
  type Message,
  type ModelClient,
  ModelFault,
  type ModelReply,
  type ModelRequest,
  type Repeated,
  type Sampling,
  type Usage,
} from "svc/features/models/client/model.ts";
import { repetitionWatch } from "svc/features/models/client/repetition.ts";
import type { ReplyLimit } from "svc/features/models/client/reply_limit.ts";
import { uniqueIds } from "svc/features/models/client/reply_parts.ts";
import { withRetries } from "svc/features/models/client/retry.ts";
import type { TextToolDefinition } from "svc/features/models/client/text_tools.ts";
import { estimatedUsage, looksTruncated } from "svc/features/models/client/usage.ts";
import { cleaner } from "./clean_messages.ts";
import { reasoningOf, type ReplyPart, textOf } from "./reply_order.ts";
import { sdkFetch } from "./sdk_fetch.ts";

export interface VendorRequest {
  readonly model: string;
  readonly sampling: Sampling;
  readonly system: string;
  /** Without the system prompt. */
  readonly messages: readonly Message[];
  readonly tools: readonly TextToolDefinition[];
  readonly maxTokens: number | undefined;
  readonly toolChoice: ModelRequest["toolChoice"];
}

export interface SdkConnection {
  readonly fetch: typeof fetch;
  readonly baseURL: string;
  readonly apiKey: string;
  /** Ms; svc's own limits end a request sooner. */
  readonly timeout: number;
  /** Call it with each piece as it comes. False when the reply repeats itself: stop reading then. */
  readonly hear: (kind: Repeated, piece: string) => boolean;
}

export interface VendorReply {
  /** Those that are complete, where the reply was stopped. */
  readonly parts: readonly ReplyPart[];
  /** Undefined when the events ended before the reply did. */
  readonly end: "stop" | "length" | undefined;
  readonly usage: Usage | undefined;
}

export interface VendorProtocol<Settings> {
  readonly settings: Settings;
  /** @throws ErrorResponse, RefusedReply, or what the package throws */
  ask(
    request: VendorRequest,
    settings: Settings,
    connection: SdkConnection,
  ): Promise<VendorReply>;
  /** Settings without what this model refuses. */
  easier(settings: Settings, refused: ErrorResponse): Settings | undefined;
}

/** Why the whole reply is refused, though the exchange went well. */
export class RefusedReply extends Error {
  override readonly name = "RefusedReply";
  constructor(readonly kind: "bad_request" | "context_overflow", readonly why: string) {
    super(why);
  }
}

/** Another model or account wrote it, or the trace of an earlier run was redacted. First Anthropic's words, then OpenAI's. */
const UNREADABLE = new RegExp(
  [
    "invalid `?signature`? in `?thinking",
    "blocks in the latest assistant message cannot be modified",
    "cannot contain `?thinking",
    "invalid_encrypted_content|encrypted content .*could not be (?:verified|decrypted)",
    "of type 'reasoning' was provided without|without its required 'reasoning' item",
    "items are not persisted when `?store",
  ].join("|"),
  "is",
);

/** Servers on this machine need none, and the packages do not start without. It is never sent. */
const NO_KEY = "none";

/** Ms of the longest timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface ErrorEvent {
  readonly error?: { readonly type?: string };
}

/** Statuses of the errors that another try does not change (platform.claude.com/docs/en/api/errors). */
const LASTING_ERRORS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
};

function faultOf(target: ModelTarget, thrown: unknown): ModelFault | ErrorResponse {
  if (thrown instanceof ModelFault || thrown instanceof ErrorResponse) return thrown;
  if (thrown instanceof RefusedReply) {
    const { kind, why } = thrown;
    return modelFault(
      target,
      kind,
      why,
      kind === "bad_request" ? { remedy: NOT_ANSWERED_REMEDY } : {},
    );
  }
  // An error event in a stream: both packages throw its object as `error`.
  const { error } = thrown as { readonly error?: ErrorEvent };
  if (typeof error === "object" && error !== null) {
    const status = LASTING_ERRORS[error.error?.type ?? ""] ?? 0;
    return new ErrorResponse(status, JSON.stringify(error));
  }
  const why = thrown instanceof SyntaxError
    ? "its answer is broken JSON"
    : "its answer cannot be read";
  return modelFault(target, "protocol", why, { cause: thrown });
}

/** Refusals of one request that are answered with an easier one. */
const EASIER_TRIES = 24;

/** What came so far, and where it began to repeat itself. */
function listener(show: (delta: string) => void) {
  const kinds = ["text", "reasoning", "arguments"] as const;
  const heard = { text: "", reasoning: "", arguments: "" };
  const watches = {
    text: repetitionWatch(false),
    reasoning: repetitionWatch(false),
    arguments: repetitionWatch(true),
  };
  let repeated: Repeated | undefined;
  return {
    hear(kind: Repeated, piece: string): boolean {
      if (!piece) return true; // some servers leave an empty one out
      heard[kind] += piece;
      if (kind === "text") show(piece);
      if (watches[kind].add(piece)) repeated ??= kind;
      return repeated === undefined;
    },
    repeated: () => repeated,
    /** Without the repetition. */
    kept: (kind: Repeated) => heard[kind].slice(0, watches[kind].kept()),
    chars: () => kinds.reduce((sum, kind) => sum + heard[kind].length, 0),
  };
}

type Listener = ReturnType<typeof listener>;

/** @throws Failure `usage` or ModelFault `auth` when the key would go over a network unencrypted */
export function vendorClient<Settings>(
  plan: ClientPlan,
  protocol: VendorProtocol<Settings>,
): ModelClient {
  const { route, profile, clock, redact, key, random = Math.random } = plan;
  const { href: baseURL } = endpointOf(route.endpoint, "the model endpoint");
  const target: ModelTarget = { ...route, endpoint: baseURL };
  refuseOpenKey(target, key);
  const ports = { fetch: plan.fetch ?? fetch, clock };
  const limits = { ...EXCHANGE_LIMITS, ...plan.limits };
  const madeBy = `${baseURL} ${route.model}`;
  const clean = cleaner(redact, madeBy);
  const chat = serialiser(redact);
  let { settings } = protocol;
  let longest = Infinity;

  function wireRequest(
    { messages, tools, maxTokens, toolChoice }: ModelRequest,
    limit: ReplyLimit | undefined,
  ): VendorRequest {
    const [first, ...rest] = messages.map(clean.message);
    const system = first?.role === "system" ? first.text : "";
    const most = Math.min(maxTokens ?? Infinity, longest, limit?.tokens ?? Infinity);
    return {
      model: route.model,
      sampling: route.sampling ?? {},
      system,
      messages: first === undefined || first.role === "system" ? rest : [first, ...rest],
      tools: clean.tools(tools),
      maxTokens: most === Infinity ? undefined : most,
      toolChoice,
    };
  }

  function replyOf(
    request: ModelRequest,
    { parts, end, usage }: VendorReply,
    heard: Listener,
  ): ModelReply {
    const found = parts.filter((part) => part.kind === "call").map(({ call }) => call);
    const calls = uniqueIds(found, callIds(request.messages));
    const wire = chat.wire(request, "native");
    const counted = usage ?? estimatedUsage(wire, heard.chars());
    const repeated = heard.repeated();
    // A reply that was stopped holds nothing sealed, since its signatures are missing.
    const reasoning = repeated === undefined
      ? reasoningOf(parts, madeBy)
      : repeated === "reasoning"
      ? { text: heard.kept("reasoning") }
      : undefined;
    const cut = repeated !== undefined || end === "length";
    return {
      text: repeated === undefined ? textOf(parts) : heard.kept("text").trim(),
      calls,
      textCalls: false,
      ...(reasoning && { reasoning }),
      usage: counted,
      end: cut ? "length" : calls.length > 0 ? "calls" : "stop",
      ...(repeated && { repeated }),
      truncatedPrompt: looksTruncated(wire, counted),
    };
  }

  async function once(
    request: ModelRequest,
    wire: VendorRequest,
    { signal, heard }: { readonly signal: AbortSignal; readonly heard: Listener },
  ): Promise<ModelReply | ErrorResponse> {
    await using sdk = sdkFetch({ ports, target, key, limits, signal });
    try {
      const reply = await protocol.ask(wire, settings, {
        fetch: sdk.fetch,
        baseURL,
        apiKey: key ?? NO_KEY,
        timeout: LONGEST_TIMER_MS,
        hear: heard.hear,
      });
      // The packages end an aborted stream silently: what came is not the whole answer.
      if (signal.aborted) throw modelFault(target, "cancelled", "it was cancelled");
      if (sdk.fault() !== undefined) throw sdk.fault();
      const stopped = heard.repeated() !== undefined;
      if (reply.end === undefined && !stopped) {
        throw modelFault(target, "protocol", "its answer broke off before the end");
      }
      // A server that was stopped has more to say, and notices only that the connection closes.
      if (!stopped) await sdk.drain();
      return replyOf(request, reply, heard);
    } catch (thrown) {
      const fault = faultOf(target, sdk.fault() ?? thrown);
      if (fault instanceof ErrorResponse) return fault;
      throw fault;
    }
  }

  /** Asks as the model understands it: what it refuses is left out from then on. */
  async function understood(
    request: ModelRequest,
    signal: AbortSignal,
    show: (delta: string) => void,
  ): Promise<ModelReply> {
    let limit: ReplyLimit | undefined;
    for (let tries = 1;; tries++) {
      const wire = wireRequest(request, limit);
      const reply = await once(request, wire, { signal, heard: listener(show) });
      if (!(reply instanceof ErrorResponse)) {
        if (limit?.lasting) longest = limit.tokens;
        return reply;
      }
      const shorter = shorterReply(reply, wire.maxTokens);
      const next = shorter === undefined ? protocol.easier(settings, reply) : undefined;
      const unsealed = (shorter ?? next) === undefined && UNREADABLE.test(reply.text) &&
        clean.unseal(request.messages);
      if (tries >= EASIER_TRIES || !(shorter ?? next ?? unsealed)) {
        throw responseFault(target, reply, { redact, now: clock.now() });
      }
      settings = next ?? settings;
      limit = shorter ?? limit;
    }
  }

  return {
    route,
    profile,
    ask(request, { signal, onText, onRetry }) {
      let shown = false;
      return withRetries({ clock, signal, random, onRetry }, () => {
        if (shown) onText?.("\n[the answer broke off; asking again]\n");
        shown = false;
        return understood(request, signal, (delta) => {
          shown = true;
          onText?.(delta);
        });
      });
    },
  };
}
