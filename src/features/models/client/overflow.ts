/** Reads from an error that a prompt is too long, and the numbers that the server states with it. */

/** Tokens, as the server counts them. */
export interface StatedSizes {
  /** The most that prompt and reply may have together; where the server bounds the prompt alone, that. */
  readonly window?: number;
  /** The prompt that was refused; some servers say "at least". */
  readonly prompt?: number;
  /** What was asked for as the longest reply. */
  readonly reply?: number;
}

/** How servers say that a prompt is too long; each from its documentation, source or a report of it. */
const OVERFLOW = new RegExp(
  [
    "context_length_exceeded|exceed_context_size|model_context_window_exceeded", // OpenAI; llama.cpp; z.ai
    "ContextWindowExceededError", // LiteLLM (docs/exception_mapping)
    "maximum context length|maximum model length", // OpenAI, OpenRouter, DeepSeek, Mistral, SGLang; vLLM
    "max_model_len=", // vLLM, vllm/renderers/params.py
    "context length is only", // vLLM 0.16 (vllm#17124); LM Studio (lmstudio-bug-tracker#237)
    "(?:available|max) context size|context (?:window|size|length) (?:exceed|limit|of)", // llama.cpp; MiniMax
    "exceed\\w* (?:the |this |max(?:imum)? |model'?s? )*context", // OpenAI Responses, Ollama
    "(?:prompt|input|request) is too long|prompt too long", // Anthropic, Bedrock; Ollama
    "prompt is longer than the context length", // Ollama, llm/server.go
    "prompt exceeds max length", // z.ai, code 1261
    "request_too_large|request exceeds the maximum size", // Anthropic, errors page: 413 over 32 MB
    "input token count .*exceeds", // Gemini
    "prompt token count of \\d+ exceeds", // GitHub Copilot
    "range of input length should be", // DashScope
    "reduce the length of the (?:messages|prompt|input)", // Groq, vLLM
    "(?:greater|longer|larger) than the (?:model'?s? )?(?:max\\w* )?context", // LM Studio; Together, SGLang
    "context the overflows|context overflow", // LM Studio (lmstudio-bug-tracker#546)
    "n_keep\\b.{0,20}>= n_ctx", // LM Studio 0.4 (opencode#11141), old llama.cpp
    "context size has been exceeded", // llama.cpp, as a 500 (llama.cpp#19774)
    "not fit in (?:the )?context", // LM Studio (lmstudio-bug-tracker#2139)
    "exceeds the maximum allowed length", // SGLang (sglang#8096)
    "exceeds the kv memory budget", // SGLang, managers/scheduler.py
    "tokens \\+ `?max_new_tokens`? must be <=|inputs`? must have less than", // TGI (router/src/validation.rs)
    "maximum prompt length", // xAI
    "exceeded model token limit|token limit exceeded|too many (?:input )?tokens", // Moonshot and others
    "request too large for .*tokens per min", // OpenAI with 429 (continue#11717), Groq with 413
  ].join("|"),
  "i",
);

/** Bedrock says "Too many tokens, please wait before trying again" when it throttles. */
const THROTTLED = /throttl|too many requests|rate.?limit|please wait|service unavailable/i;

/** More than the account may send in a minute: no waiting makes it fit. */
const TOO_LARGE_FOR_A_MINUTE = /request too large for .*tokens per min/i;

const N = String.raw`(\d[\d,_]*)`;

function numbered(words: readonly string[]): readonly RegExp[] {
  return words.map((each) => new RegExp(each.replaceAll(/\bN\b/g, N), "i"));
}

/** The number before which, or after which, a server states its window; the first that fits counts. */
const WINDOW = numbered([
  "maximum (?:context|prompt|model) length (?:is|of) N", // OpenAI, vLLM, SGLang, OpenRouter; xAI
  "context length is only N|context length of only N", // vLLM; LM Studio
  "with N maximum context length", // Mistral
  "(?:available|max) context size \\(N", // llama.cpp, tools/server/server-context.cpp
  "context length \\(N tokens", // SGLang, Together
  "maximum allowed length \\(N", // SGLang, the prompt alone
  "number of tokens allowed \\(N", // Gemini
  "max_model_len=(?:max_total_tokens=)?N", // vLLM 0.18
  "tokens > N maximum|\\+ \\d+ > N", // Anthropic
  "n_ctx:? ?\\(?N", // LM Studio
  "must be <= N|must have less than N tokens", // TGI
  "token limit: N", // Moonshot
  "exceeds the limit of N", // GitHub Copilot
  "input length should be \\[\\d+, N\\]", // DashScope
  "tokens per min[^:]*: Limit N", // OpenAI, Groq
]);

/** Not the tokens by which Ollama's "exceeded max context length by" is too long. */
const PROMPT = numbered([
  "N (?:in the (?:messages|input|prompt)|of text input|tokens from the input)", // OpenAI, OpenRouter, SGLang
  "(?:prompt contains|request has|passed|resulted in|contains) (?:at least )?N (?:input )?tokens", // vLLM, Mistral, xAI
  "(?:request|input|length) \\(N tokens\\)", // llama.cpp, SGLang, Together
  "too long: N tokens", // Anthropic
  "context limit: N \\+", // Anthropic
  "token count (?:of )?\\(?N\\)?", // Gemini, GitHub Copilot
  "Given: N", // TGI
  "prompt \\(length N\\)", // vLLM's engine
  "budget: input_len=N", // SGLang
  "requested:? N(?:[).,]|$)", // Moonshot; OpenAI and Groq
]);

const REPLY = numbered([
  "N in the (?:completion|output)", // OpenAI, OpenRouter
  "N (?:tokens for the completion|output tokens)", // SGLang; vLLM
  "too large: N\\.", // vLLM 0.11
  "tokens and N `max_new_tokens`", // TGI
  "context limit: \\d+ \\+ N", // Anthropic
]);

function tokensOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? value as number : undefined;
}

function firstIn(said: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const digits = pattern.exec(said)?.slice(1).find((group) => group !== undefined);
    if (digits !== undefined) return tokensOf(Number(digits.replaceAll(/[,_]/g, "")));
  }
  return undefined;
}

/** The numbers in words, and those of llama.cpp's fields `n_ctx` and `n_prompt_tokens`, which come first. */
function statedSizes(said: string, fields: Readonly<Record<string, unknown>>): StatedSizes {
  const window = tokensOf(fields["n_ctx"]) ?? firstIn(said, WINDOW);
  const prompt = tokensOf(fields["n_prompt_tokens"]) ?? firstIn(said, PROMPT);
  const reply = firstIn(said, REPLY);
  return {
    ...(window !== undefined && { window }),
    ...(prompt !== undefined && { prompt }),
    ...(reply !== undefined && { reply }),
  };
}

/** @returns undefined for an error that has another reason */
export function overflowIn(
  status: number,
  said: string,
  fields: Readonly<Record<string, unknown>>,
): StatedSizes | undefined {
  const atOnce = TOO_LARGE_FOR_A_MINUTE.test(said);
  if (!atOnce && (status === 429 || THROTTLED.test(said))) return undefined;
  return atOnce || status === 413 || OVERFLOW.test(said) ? statedSizes(said, fields) : undefined;
}
