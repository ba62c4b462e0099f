/** The agent's view of a model: one request, then one reply or one fault of a closed set. */
import type { FailureCategory } from "svc/core/disposition.ts";
import type { Protocol } from "svc/core/model_protocol.ts";
import type { StatedSizes } from "./overflow.ts";

export interface ToolCall {
  /** Unique in the conversation; made up where the model gave none or repeated one. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; may be invalid. */
  readonly args: string;
  /** What the vendor wants back with this call, unchanged: Gemini's `extra_content` (thought signatures). */
  readonly extra?: unknown;
}

/** A reply's thinking, sent back with it where the vendor asks for that; never shown as its text. */
export interface Reasoning {
  readonly text: string;
  /** The field of a chat message in which it came and goes back. */
  readonly field?:
    | "reasoning_content"
    | "reasoning"
    | "reasoning_details"
    | "content"
    | "extra_content";
  /** What goes back unchanged: signed thinking blocks of Anthropic, reasoning items of OpenAI Responses. */
  readonly items?: readonly unknown[];
  /** Endpoint and model that wrote `items`: no other can read them, so no other gets them. */
  readonly madeBy?: string;
}

export type Message =
  | { readonly role: "system" | "user"; readonly text: string }
  | {
    readonly role: "assistant";
    readonly text: string;
    readonly calls: readonly ToolCall[];
    readonly reasoning?: Reasoning;
  }
  | { readonly role: "tool"; readonly callId: string; readonly text: string };

export interface ModelRequest {
  readonly messages: readonly Message[];
  /** Definitions in OpenAI's form; the same objects in every turn, so that the prompt's start stays. */
  readonly tools: readonly unknown[];
  readonly maxTokens?: number | undefined;
  /** The model must call a tool; left out where the server does not take it. */
  readonly toolChoice?: "required" | undefined;
}

export interface Usage {
  /** All tokens of the prompt, those from the server's cache among them. */
  readonly tokensIn: number;
  /** Those among `tokensIn` that the server had in its cache, where it says so. */
  readonly cachedIn?: number | undefined;
  /** Those among `tokensIn` that the server took into its cache, where it bills that. */
  readonly cacheWriteIn?: number | undefined;
  readonly tokensOut: number;
  readonly estimated: boolean;
}

export type Repeated = "text" | "reasoning" | "arguments";

export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly textCalls: boolean;
  readonly reasoning?: Reasoning | undefined;
  readonly usage: Usage;
  readonly end: "stop" | "calls" | "length";
  /** The text that repeated itself until svc stopped the reply; the text before it is kept here. */
  readonly repeated?: Repeated | undefined;
  /** The server seems to have dropped part of the prompt without saying so. */
  readonly truncatedPrompt: boolean;
}

export const MODEL_FAULTS = [
  "unreachable",
  "idle",
  "server",
  "rate_limited",
  "auth",
  "quota",
  "not_found",
  "bad_request",
  "context_overflow",
  "protocol",
  "too_large",
  "cancelled",
] as const;
export type ModelFaultKind = typeof MODEL_FAULTS[number];

/** Its message is safe to show: it never holds a key or a raw body. */
export class ModelFault extends Error {
  override readonly name = "ModelFault";
  constructor(
    readonly kind: ModelFaultKind,
    message: string,
    readonly detail: {
      readonly category: FailureCategory;
      readonly transient: boolean;
      readonly retryAfterMs?: number;
      /** Auth, quota or configuration: no other job with this provider and model would fare better. */
      readonly pausesLane: boolean;
      readonly remedy: string;
      /** HTTP status of the answer, or the one that an error inside a stream names. */
      readonly status?: number;
      /** Numbers that came with a `context_overflow`. */
      readonly stated?: StatedSizes | undefined;
      /** Set for a `not_found` whose words speak of the model: the path is right. */
      readonly ofModel?: true;
    },
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Sent only where set: a server's own defaults stand otherwise. */
export interface Sampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly minP?: number | undefined;
  readonly repetitionPenalty?: number | undefined;
  readonly reasoningEffort?: "minimal" | "low" | "medium" | "high" | undefined;
}

export interface ModelRoute {
  readonly provider: string;
  readonly endpoint: string;
  readonly model: string;
  readonly apiKeyEnv?: string;
  /** Tokens, as configured; the probe may find less. */
  readonly contextWindow?: number;
  /** `chat` where it is left out. */
  readonly protocol?: Protocol;
  readonly sampling?: Sampling;
  readonly because: string;
}

export interface ModelProfile {
  readonly endpoint: string;
  readonly model: string;
  /** `owned_by: svc-fixture` in /v1/models: nothing it does is live evidence. */
  readonly evidence: "live" | "fixture";
  readonly tools: "native" | "text";
  /** Tokens: the smaller of declared and probed. */
  readonly contextWindow: number;
  readonly usageReported: boolean;
  /** Epoch ms. */
  readonly probedAt: number;
}

export interface ModelClient {
  readonly route: ModelRoute;
  readonly profile: ModelProfile;
  /** Streams, and retries transient faults. @throws ModelFault, also when cancelled */
  ask(request: ModelRequest, options: {
    readonly signal: AbortSignal;
    readonly onText?: ((delta: string) => void) | undefined;
    readonly onRetry?:
      | ((retry: { readonly fault: ModelFault; readonly waitMs: number }) => void)
      | undefined;
  }): Promise<ModelReply>;
}
