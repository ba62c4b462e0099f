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
import { tokenCount } from "svc/features/models/client/usage.ts";
import { anthropicBody, type AnthropicSettings } from "./anthropic_request.ts";
import { Numbered } from "./numbered.ts";
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
  complete: boolean;
}

/** False when the reply has said enough. */
function extend(
  block: OpenBlock,
  delta: RawContentBlockDelta,
  hear: SdkConnection["hear"],
): boolean {
  switch (delta.type) {
    case "text_delta":
      block.text += delta.text;
      return hear("text", delta.text);
    case "thinking_delta":
      block.text += delta.thinking;
      return hear("reasoning", delta.thinking);
    case "input_json_delta":
      block.text += delta.partial_json;
      return hear("arguments", delta.partial_json);
    case "signature_delta":
      block.signature += delta.signature;
      return true;
    default:
      return true;
  }
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
  const counted = (value: number | null | undefined) => tokenCount(value) ?? 0;
  const cachedIn = counted(counts.cache_read_input_tokens);
  const cacheWriteIn = counted(counts.cache_creation_input_tokens);
  const tokensIn = counted(counts.input_tokens) + cachedIn + cacheWriteIn;
  if (tokensIn === 0) return undefined;
  const tokensOut = counted(counts.output_tokens);
  return { tokensIn, cachedIn, cacheWriteIn, tokensOut, estimated: false };
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

function messageReader(hear: SdkConnection["hear"]) {
  const blocks = new Numbered<OpenBlock>();
  let counts: Counts = {};
  let stop: RawMessageDeltaEvent.Delta | undefined;
  /** Counts are cumulative; null for those that an event does not hold. */
  const count = (some: Counts | null | undefined) => {
    const known = Object.entries(some ?? {}).filter(([, value]) => typeof value === "number");
    counts = { ...counts, ...Object.fromEntries(known) };
  };
  return {
    /** False when the reply is complete, or has said enough. */
    take(event: RawMessageStreamEvent): boolean {
      switch (event.type) {
        case "message_start":
          count(event.message.usage);
          return true;
        case "content_block_start": {
          const { index, content_block: start } = event;
          return blocks.put(index, { start, text: "", signature: "", complete: false });
        }
        case "content_block_delta": {
          const block = blocks.at(event.index);
          return block === undefined || extend(block, event.delta, hear);
        }
        case "content_block_stop": {
          const block = blocks.at(event.index);
          if (block !== undefined) block.complete = true;
          return true;
        }
        case "message_delta":
          stop = event.delta;
          count(event.usage);
          return true;
        case "message_stop":
          return false;
        default:
          return true;
      }
    },
    reply(): VendorReply {
      const why = stop?.stop_reason ?? null;
      refuse(why, stop?.stop_details ?? null);
      // A limit may end a reply within a block; its call is then told so.
      const whole = why === null ? blocks.all().filter((one) => one.complete) : blocks.all();
      return {
        parts: whole.flatMap(partOf),
        end: why === null ? undefined : why === "max_tokens" ? "length" : "stop",
        usage: why === null ? undefined : usageOf(counts),
      };
    },
  };
}

async function ask(
  request: VendorRequest,
  settings: AnthropicSettings,
  connection: SdkConnection,
): Promise<VendorReply> {
  const body = anthropicBody(request, settings);
  // `messages.create` does the same, but writes to the console for some models.
  const events = await connect(connection)
    .post<Stream<RawMessageStreamEvent>>("/messages", { body, stream: true });
  const reader = messageReader(connection.hear);
  for await (const event of events) if (!reader.take(event)) break;
  return reader.reply();
}

const FIRST: AnthropicSettings = {
  thinking: "adaptive",
  effort: true,
  sampling: true,
  forcedTools: true,
};

/** Refusals as they came from the service (docker/docker-agent#3381, SigmaNight/basiliskLLM#1185, and the issues that they name). */
function easier(settings: AnthropicSettings, { status, text }: ErrorResponse) {
  if (status !== 400) return undefined;
  const { message } = errorObject(text);
  const { thinking, effort, sampling, forcedTools } = settings;
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
