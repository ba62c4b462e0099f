/** The client of Anthropic Messages: Claude, with its signed thinking and its prompt cache. */
import Anthropic from "@anthropic-ai/sdk";
import type { Stream } from "@anthropic-ai/sdk/core/streaming";
import type {
  ContentBlock,
  RawContentBlockDelta,
  RawMessageDeltaEvent,
  RawMessageStreamEvent,
  StopReason,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { ClientPlan } from "svc/features/models/client/client.ts";
import { errorObject, type ErrorResponse } from "svc/features/models/client/error_response.ts";
import type { ModelClient, Usage } from "svc/features/models/client/model.ts";
import { anthropicBody, type AnthropicSettings } from "./anthropic_request.ts";
import type { ReplyPart } from "./reply_order.ts";
import {
  RefusedReply,
  type SdkConnection,
  vendorClient,
  type VendorReply,
  type VendorRequest,
} from "./vendor_client.ts";

/** Everything is said here, since the package reads what is missing from ANTHROPIC_… variables and files. */
function connect({ fetch, baseURL, apiKey, timeout }: SdkConnection): Anthropic {
  return new Anthropic({
    fetch,
    baseURL,
    apiKey,
    authToken: null,
    webhookKey: null,
    timeout,
    maxRetries: 0,
    logLevel: "off",
    openTelemetry: false,
  });
}

interface OpenBlock {
  readonly start: ContentBlock;
  text: string;
  signature: string;
}

function extend(block: OpenBlock, delta: RawContentBlockDelta): void {
  if (delta.type === "text_delta") block.text += delta.text;
  else if (delta.type === "thinking_delta") block.text += delta.thinking;
  else if (delta.type === "input_json_delta") block.text += delta.partial_json;
  else if (delta.type === "signature_delta") block.signature += delta.signature;
}

function partOf({ start, text, signature }: OpenBlock): ReplyPart[] {
  switch (start.type) {
    case "text": {
      const said = (start.text + text).trim();
      return said === "" ? [] : [{ kind: "text", text: said }];
    }
    case "tool_use": {
      const { id, name, input } = start;
      // Whole at once where a server does not stream it.
      return [{ kind: "call", call: { id, name, args: text || JSON.stringify(input ?? {}) } }];
    }
    case "thinking": {
      const thinking = start.thinking + text;
      const sign = start.signature + signature;
      // A limit may have cut it before it was signed.
      if (sign === "") return [];
      const item = { type: "thinking", thinking, signature: sign };
      return [{ kind: "sealed", item, text: thinking }];
    }
    case "redacted_thinking":
      return [{ kind: "sealed", item: { type: start.type, data: start.data }, text: "" }];
    default:
      return []; // of tools that run at Anthropic: none is asked for
  }
}

type Counts = Partial<RawMessageDeltaEvent["usage"]>;

/** Anthropic counts what it read from its cache, and what it wrote to it, apart from the rest. */
function usageOf(counts: Counts): Usage | undefined {
  const { input_tokens, output_tokens } = counts;
  const cachedIn = counts.cache_read_input_tokens ?? 0;
  const tokensIn = (input_tokens ?? 0) + cachedIn + (counts.cache_creation_input_tokens ?? 0);
  if (!Number.isSafeInteger(tokensIn) || tokensIn <= 0) return undefined;
  return { tokensIn, cachedIn, tokensOut: output_tokens ?? 0, estimated: false };
}

function refuse(why: StopReason | null, details: RawMessageDeltaEvent.Delta["stop_details"]): void {
  if (why === "refusal") {
    const category = details?.category ? ` (${details.category})` : "";
    throw new RefusedReply("bad_request", `it refuses to answer${category}`);
  }
  if (why === "model_context_window_exceeded") {
    throw new RefusedReply(
      "context_overflow",
      "prompt and reply are longer than its context window",
    );
  }
}

function messageReader(show: (delta: string) => void) {
  const blocks: OpenBlock[] = [];
  let counts: Counts = {};
  let stop: RawMessageDeltaEvent.Delta | undefined;
  let ended = false;
  /** Counts are cumulative; null for those that an event does not hold. */
  const count = (some: Counts | null | undefined) => {
    const known = Object.entries(some ?? {}).filter(([, value]) => typeof value === "number");
    counts = { ...counts, ...Object.fromEntries(known) };
  };
  return {
    take(event: RawMessageStreamEvent): boolean {
      if (event.type === "message_start") count(event.message.usage);
      else if (event.type === "content_block_start") {
        blocks[event.index] = { start: event.content_block, text: "", signature: "" };
      } else if (event.type === "content_block_delta") {
        const block = blocks[event.index];
        if (block !== undefined) extend(block, event.delta);
        if (event.delta.type === "text_delta") show(event.delta.text);
      } else if (event.type === "message_delta") {
        stop = event.delta;
        count(event.usage);
      } else if (event.type === "message_stop") ended = true;
      return !ended;
    },
    reply(): VendorReply | undefined {
      if (!ended && stop?.stop_reason == null) return undefined;
      const why = stop?.stop_reason ?? null;
      refuse(why, stop?.stop_details ?? null);
      const whole = blocks.flat();
      return {
        parts: whole.flatMap(partOf),
        end: why === "max_tokens" ? "length" : "stop",
        usage: usageOf(counts),
        chars: whole.reduce((sum, { text }) => sum + text.length, 0),
      };
    },
  };
}

async function ask(
  request: VendorRequest,
  settings: AnthropicSettings,
  connection: SdkConnection,
): Promise<VendorReply | undefined> {
  const body = anthropicBody(request, settings);
  // `messages.create` does the same, but writes to the console for some models.
  const events = await connect(connection)
    .post<Stream<RawMessageStreamEvent>>("/messages", { body, stream: true });
  const reader = messageReader(connection.show);
  for await (const event of events) if (!reader.take(event)) break;
  return reader.reply();
}

const FIRST: AnthropicSettings = {
  thinking: "adaptive",
  effort: true,
  sampling: true,
  forcedTools: true,
  mostTokens: Infinity,
};

/** Refusals as they came from the service (docker/docker-agent#3381, SigmaNight/basiliskLLM#1185, and the issues that they name). */
function easier(settings: AnthropicSettings, { status, text }: ErrorResponse) {
  if (status !== 400) return undefined;
  const { message } = errorObject(text);
  const { thinking, effort, sampling, forcedTools, mostTokens } = settings;
  const most = /max_tokens: \d+ > (\d+)/.exec(message)?.[1];
  if (most !== undefined && Number(most) < mostTokens) {
    return { ...settings, mostTokens: Number(most) };
  }
  if (/tool_choice/i.test(message) && forcedTools) return { ...settings, forcedTools: false };
  if (/effort/i.test(message) && /not support|extra inputs/i.test(message) && effort) {
    return { ...settings, effort: false };
  }
  if (/temperature|top_[pk]/i.test(message) && sampling) return { ...settings, sampling: false };
  if (
    thinking === "adaptive" && /adaptive/i.test(message) && !/thinking\.type\.enabled/.test(message)
  ) {
    return { ...settings, thinking: "enabled" as const };
  }
  const unsigned = /must start with a thinking block/i.test(message);
  const none = /thinking/i.test(message) &&
    /not supported|does not support|extra inputs/i.test(message);
  if (thinking !== "none" && (none || unsigned)) return { ...settings, thinking: "none" as const };
  return undefined;
}

/** @throws as `vendorClient` */
export function anthropicClient(plan: ClientPlan): ModelClient {
  return vendorClient(plan, { settings: FIRST, ask, easier });
}
