/** Token counts: the server's own, or an estimate of four characters a token. */
import { MODEL_WINDOW_DECLARED } from "svc/core/bounds.ts";
import type { Usage } from "./model.ts";
import type { WireReply, WireRequest } from "./messages.ts";

/** Tokens of a prompt below which its count does not tell whether it was cut. */
const MODEL_TRUNCATION_TOKENS = 512;

/** Usual for English text and code (OpenAI's help page says the same). */
const CHARS_A_TOKEN = 4;

/** Tokens that a message takes beside its text, for its role and marks. */
const TOKENS_A_MESSAGE = 4;

/** Share of the estimate below which the server has not read the whole prompt. */
const TRUNCATED_BELOW = 0.6;

/** llama.cpp keeps between half of its window and all of it; no window that svc works with is smaller. */
const CUT_LEAVES = MODEL_WINDOW_DECLARED.min / 2;

/** Characters in runs of one character (indentation, rules of dashes) take hardly any tokens. */
function denseChars(text: string): number {
  let saved = 0;
  for (const [run] of text.matchAll(/(\s)\1{2,}|([-=_*#.~])\2{3,}/g)) saved += run.length - 1;
  return text.length - saved;
}

/** What a reply adds beside its text; not all servers put its reasoning into the prompt. */
function replyChars({ role: _, content, tool_calls = [], ...reasoning }: WireReply): number {
  const thoughts = typeof content === "string" ? 0 : JSON.stringify(content).length;
  const signed = tool_calls.reduce(
    (sum, { extra_content }) =>
      sum + (extra_content === undefined ? 0 : JSON.stringify(extra_content).length),
    0,
  );
  return thoughts + signed + Object.values(reasoning).reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value : JSON.stringify(value)).length,
    0,
  );
}

/** @param dense a lower bound, to compare with what a server counted: runs as one character, no reasoning */
export function promptTokens({ messages, tools }: WireRequest, dense = false): number {
  const charsOf = (text: string) => dense ? denseChars(text) : text.length;
  let chars = tools === undefined ? 0 : JSON.stringify(tools).length;
  for (const message of messages) {
    if (typeof message.content === "string") chars += charsOf(message.content);
    if (message.role !== "assistant") continue;
    if (!dense) chars += replyChars(message);
    for (const { function: { name, arguments: args } } of message.tool_calls ?? []) {
      chars += name.length + charsOf(args);
    }
  }
  return Math.ceil(chars / CHARS_A_TOKEN) + messages.length * TOKENS_A_MESSAGE;
}

export function estimatedUsage(wire: WireRequest, chars: number): Usage {
  const tokensOut = Math.ceil(chars / CHARS_A_TOKEN);
  return { tokensIn: promptTokens(wire), tokensOut, estimated: true };
}

interface Counts {
  readonly prompt_tokens?: unknown;
  readonly completion_tokens?: unknown;
  readonly total_tokens?: unknown;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: unknown;
    readonly cache_write_tokens?: unknown;
  } | null;
  readonly prompt_cache_hit_tokens?: unknown;
  readonly cached_tokens?: unknown;
  readonly cache_read_input_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
  readonly timings?: Readonly<Record<string, unknown>>;
}

/** Ten times the largest window. Sums of more would leave the numbers that a database gives back exactly, and no
 * command could read the jobs any more. */
const TOKENS_MOST = 100_000_000;

/** Undefined for what no server can have counted. */
export const tokenCount = (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= TOKENS_MOST
    ? value as number
    : undefined;

/**
 * `prompt_tokens_details` of OpenAI, vLLM, SGLang, OpenRouter and Gemini; DeepSeek's
 * `prompt_cache_hit_tokens` (api-docs.deepseek.com/guides/kv_cache); Moonshot's `cached_tokens`;
 * Anthropic's name, as proxies pass it on; llama.cpp's `timings` (ggml-org/llama.cpp#15827).
 */
function cachedIn(usage: Counts): number | undefined {
  return tokenCount(usage.prompt_tokens_details?.cached_tokens) ??
    tokenCount(usage.prompt_cache_hit_tokens) ??
    tokenCount(usage.cached_tokens) ??
    tokenCount(usage.cache_read_input_tokens) ??
    tokenCount(usage.timings?.cache_n);
}

/** OpenRouter's name, of models that bill it (openrouter.ai/docs/features/prompt-caching); Anthropic's, as proxies pass it on. */
function cacheWriteIn(usage: Counts): number | undefined {
  return tokenCount(usage.prompt_tokens_details?.cache_write_tokens) ??
    tokenCount(usage.cache_creation_input_tokens);
}

/**
 * Some gateways pass Anthropic's and Bedrock's own counts on, in which the cache is no part of the prompt:
 * prompt 368, cache 10,536, total 10,923 (Portkey-AI/gateway#1211).
 */
function besidePrompt(usage: Counts, prompt: number, replied: number): number {
  const cached = (tokenCount(usage.cache_read_input_tokens) ?? 0) +
    (tokenCount(usage.cache_creation_input_tokens) ?? 0);
  const whole = (tokenCount(usage.total_tokens) ?? 0) - replied;
  return cached > prompt || whole === prompt + cached ? cached : 0;
}

export function reportedUsage(value: unknown): Usage | undefined {
  const usage = (value ?? {}) as Counts;
  const { prompt_n, cache_n, predicted_n } = usage.timings ?? {};
  const read = tokenCount(prompt_n);
  const prompt = tokenCount(usage.prompt_tokens) ??
    (read === undefined ? undefined : read + (tokenCount(cache_n) ?? 0));
  if (prompt === undefined) return undefined;
  const replied = tokenCount(usage.completion_tokens) ?? tokenCount(predicted_n) ?? 0;
  const tokensIn = prompt + besidePrompt(usage, prompt, replied);
  if (tokensIn === 0) return undefined;
  // Gemini and xAI count what a model thinks in the total alone.
  const tokensOut = Math.max(replied, (tokenCount(usage.total_tokens) ?? 0) - tokensIn);
  const cached = cachedIn(usage);
  const written = cacheWriteIn(usage);
  const unread = Math.max(0, tokensIn - (cached ?? 0));
  return {
    tokensIn,
    ...(cached !== undefined && { cachedIn: Math.min(cached, tokensIn) }),
    ...(written !== undefined && { cacheWriteIn: Math.min(written, unread) }),
    tokensOut,
    estimated: false,
  };
}

/**
 * Some local servers silently cut at their window. Ignores tool schemas, which templates shorten. What is less than any
 * window leaves is no cut but a count that cannot be believed, as gateways and scripted servers have them.
 */
export function looksTruncated(wire: WireRequest, usage: Usage): boolean {
  if (usage.estimated || usage.tokensIn < CUT_LEAVES) return false;
  const estimate = promptTokens({ messages: wire.messages }, true);
  return estimate >= MODEL_TRUNCATION_TOKENS && usage.tokensIn < TRUNCATED_BELOW * estimate;
}
