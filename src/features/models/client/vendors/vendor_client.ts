/** What the clients of vendors' own protocols share: guards, retries, settings that a model refuses. */
import type { ClientPlan } from "svc/features/models/client/client.ts";
import { endpointOf } from "svc/features/models/client/endpoint.ts";
import { ErrorResponse, responseFault } from "svc/features/models/client/error_response.ts";
import { EXCHANGE_LIMITS, refuseOpenKey } from "svc/features/models/client/exchange.ts";
import { modelFault, type ModelTarget } from "svc/features/models/client/faults.ts";
import { callIds, serialiser } from "svc/features/models/client/messages.ts";
import {
  type Message,
  type ModelClient,
  ModelFault,
  type ModelReply,
  type ModelRequest,
  type Sampling,
  type Usage,
} from "svc/features/models/client/model.ts";
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
  readonly show: (delta: string) => void;
}

export interface VendorReply {
  readonly parts: readonly ReplyPart[];
  readonly end: "stop" | "length";
  readonly usage: Usage | undefined;
  /** All that the model wrote, thinking included. */
  readonly chars: number;
}

export interface VendorProtocol<Settings> {
  readonly settings: Settings;
  /** Undefined when the events ended before the reply did. @throws ErrorResponse, or what the package throws */
  ask(
    request: VendorRequest,
    settings: Settings,
    connection: SdkConnection,
  ): Promise<VendorReply | undefined>;
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

function faultOf(target: ModelTarget, thrown: unknown): ModelFault | ErrorResponse {
  if (thrown instanceof ModelFault || thrown instanceof ErrorResponse) return thrown;
  if (thrown instanceof RefusedReply) return modelFault(target, thrown.kind, thrown.why);
  // An error event in a stream: both packages throw its object as `error`.
  const { error } = thrown as { readonly error?: unknown };
  if (typeof error === "object" && error !== null) {
    return new ErrorResponse(0, JSON.stringify(error));
  }
  const why = thrown instanceof SyntaxError
    ? "its answer is broken JSON"
    : "its answer cannot be read";
  return modelFault(target, "protocol", why, { cause: thrown });
}

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

  function wireRequest({ messages, tools, maxTokens, toolChoice }: ModelRequest): VendorRequest {
    const [first, ...rest] = messages.map(clean.message);
    const system = first?.role === "system" ? first.text : "";
    return {
      model: route.model,
      sampling: route.sampling ?? {},
      system,
      messages: first === undefined || first.role === "system" ? rest : [first, ...rest],
      tools: clean.tools(tools),
      maxTokens,
      toolChoice,
    };
  }

  function replyOf(request: ModelRequest, { parts, end, usage, chars }: VendorReply): ModelReply {
    const found = parts.filter((part) => part.kind === "call").map(({ call }) => call);
    const calls = uniqueIds(found, callIds(request.messages));
    const wire = chat.wire(request, "native");
    const counted = usage ?? estimatedUsage(wire, chars);
    const reasoning = reasoningOf(parts, madeBy);
    return {
      text: textOf(parts),
      calls,
      textCalls: false,
      ...(reasoning && { reasoning }),
      usage: counted,
      end: end === "length" ? "length" : calls.length > 0 ? "calls" : "stop",
      truncatedPrompt: looksTruncated(wire, counted),
    };
  }

  async function once(
    request: ModelRequest,
    signal: AbortSignal,
    show: (delta: string) => void,
  ): Promise<ModelReply | ErrorResponse> {
    await using sdk = sdkFetch({ ports, target, key, limits, signal });
    try {
      const reply = await protocol.ask(wireRequest(request), settings, {
        fetch: sdk.fetch,
        baseURL,
        apiKey: key ?? NO_KEY,
        timeout: LONGEST_TIMER_MS,
        show,
      });
      // The packages end an aborted stream silently: what came is not the whole answer.
      if (signal.aborted) throw modelFault(target, "cancelled", "it was cancelled");
      if (sdk.fault() !== undefined) throw sdk.fault();
      if (reply === undefined) {
        throw modelFault(target, "protocol", "its answer broke off before the end");
      }
      await sdk.drain();
      return replyOf(request, reply);
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
    for (;;) {
      const reply = await once(request, signal, show);
      if (!(reply instanceof ErrorResponse)) return reply;
      const next = protocol.easier(settings, reply);
      if (next !== undefined) settings = next;
      else if (!UNREADABLE.test(reply.text) || !clean.unseal(request.messages)) {
        throw responseFault(target, reply, { redact, now: clock.now() });
      }
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
