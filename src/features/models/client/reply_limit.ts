/** Reads from a refusal how long a reply the server lets be asked for. */

/** Below this a reply holds no tool call: the fault itself tells more. */
const REPLY_LIMIT_LEAST_TOKENS = 256;

export interface ReplyLimit {
  readonly tokens: number;
  /** Whether the model or the account sets it, rather than what this prompt leaves of the window. */
  readonly lasting: boolean;
}

/** Wordings that name the window and the prompt; the difference is left for the reply. */
const SUMS = [
  // vLLM: "…context length is 64001 tokens and your request has 24235 input tokens"
  /context length is (\d+) tokens and your request has (\d+) input tokens/i,
  // OpenAI and older vLLM: "However, you requested 8256 tokens (64 in the messages, 8192 in the completion)"
  /context length is (\d+) tokens.{0,80}?\((\d+) in the (?:messages|prompt)/is,
  // SGLang: "…context length of 8192 tokens. You requested a total of 9000 tokens: 800 tokens from the input…"
  /context length of (\d+) tokens\. You requested a total of \d+ tokens: (\d+) tokens from/i,
  // TGI: "`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 5000 `inputs` tokens and …"
  /must be <= (\d+)\. Given: (\d+) `inputs` tokens/i,
];

/** Anthropic: "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000" */
const SUM_OVER = /\b(\d{1,9}) \+ \d{1,9} > (\d{1,9})/;

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
function leftOver(said: string): number | undefined {
  for (const pattern of SUMS) {
    const [, window, prompt] = pattern.exec(said) ?? [];
    if (window !== undefined) return Number(window) - Number(prompt) - 1;
  }
  const [, prompt, window] = SUM_OVER.exec(said) ?? [];
  return window === undefined ? undefined : Number(window) - Number(prompt) - 1;
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
export function lowerReplyLimit(said: string, asked: number | undefined): ReplyLimit | undefined {
  if (asked === undefined) return undefined;
  const enough = (tokens: number, lasting: boolean) =>
    tokens >= REPLY_LIMIT_LEAST_TOKENS && tokens < asked ? { tokens, lasting } : undefined;
  const left = leftOver(said);
  if (left !== undefined) return enough(left, false);
  const [, limit, requested] = RATE.exec(said) ?? [];
  if (limit !== undefined) {
    const over = Number(requested) - Number(limit);
    // Half of the limit leaves room for a prompt that grows.
    return enough(Math.min(asked - over, Math.floor(Number(limit) / 2)), true);
  }
  if (!NAMED.test(said) || !TOO_LARGE.test(said)) return undefined;
  return enough(statedLimit(said, asked), true);
}
