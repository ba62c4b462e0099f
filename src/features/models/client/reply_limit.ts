/** Reads from a refusal how long a reply the server lets be asked for. */
import { overflowIn } from "./overflow.ts";

/** Below this a reply holds no tool call: the fault itself tells more. */
const REPLY_LIMIT_LEAST_TOKENS = 256;

export interface ReplyLimit {
  readonly tokens: number;
  /** Whether the model or the account sets it, rather than what this prompt leaves of the window. */
  readonly lasting: boolean;
}

/** OpenAI as 429, Groq as 413: "Request too large … (TPM): Limit 30000, Requested 37313"; both count the limit. */
const RATE = /request too large.{0,300}?limit:? (\d{1,9}).{0,40}?requested:? (\d{1,9})/is;

/**
 * What the server's own number is called: "supports at most 32768 completion tokens" (OpenAI), "32000 >
 * 8192, which is the maximum" (Anthropic), "must be less than or equal to `8192`" (Groq), "a value <=
 * 12288" (Volcengine), "valid range of max_tokens is [1, 8192]" (DeepSeek, DashScope), "can only afford
 * 9143" (OpenRouter, as 402), "1 (inclusive) to 8193 (exclusive)" (Vertex), "model limit of 8192" (Bedrock).
 */
const NAMED =
  /max_(?:completion_|new_|output_)?tokens|maxOutputTokens|completion tokens|maximum tokens you requested/i;
const TOO_LARGE =
  /too large|too high|too many|at most|maximum|exceed|afford|less than|<=|>|range|limit/i;

/** Numbers that stand in errors for another reason. */
const STATUSES: ReadonlySet<number> = new Set([400, 402, 413, 422, 429, 500]);

/** One less than what is left: SGLang wants prompt and reply to be smaller than the window together. */
function leftOver(status: number, said: string): number | undefined {
  const { window, prompt, reply } = overflowIn(status, said, {}) ?? {};
  if (window === undefined || prompt === undefined || reply === undefined) return undefined;
  return window - prompt - 1;
}

function statedLimit(said: string, asked: number): number {
  const numbers = [...said.matchAll(/(?<![\w.-])\d{3,7}(?![\w-])/g)].map(([digits]) =>
    Number(digits)
  );
  const below = numbers.filter((number) =>
    number < asked && number >= REPLY_LIMIT_LEAST_TOKENS && !STATUSES.has(number)
  );
  if (below.length === 0) return Math.floor(asked / 2);
  return Math.max(...below) - (/exclusive|lower than/i.test(said) ? 1 : 0);
}

/** @param asked tokens that the refused request allowed its reply */
export function lowerReplyLimit(
  status: number,
  said: string,
  asked: number | undefined,
): ReplyLimit | undefined {
  if (asked === undefined) return undefined;
  const enough = (tokens: number, lasting: boolean) =>
    tokens >= REPLY_LIMIT_LEAST_TOKENS && tokens < asked ? { tokens, lasting } : undefined;
  const [, limit, requested] = RATE.exec(said) ?? [];
  if (limit !== undefined) {
    const over = Number(requested) - Number(limit);
    // Half of the limit leaves room for a prompt that grows.
    return enough(Math.min(asked - over, Math.floor(Number(limit) / 2)), true);
  }
  const left = leftOver(status, said);
  if (left !== undefined) return enough(left, false);
  if (!NAMED.test(said) || !TOO_LARGE.test(said)) return undefined;
  return enough(statedLimit(said, asked), true);
}
