/** Fields that a server turned out not to understand; later requests leave them out. */
import type { ErrorResponse } from "./error_response.ts";
import type { WireHabits } from "./messages.ts";
import type { ModelProfile } from "./model.ts";
import { lowerReplyLimit, type ReplyLimit } from "./reply_limit.ts";

/** `refused` holds fields of the body too, such as `stream_options` and `top_k`. */
export interface Dialect extends WireHabits {
  readonly tools: ModelProfile["tools"];
  /** OpenAI's newer models know only the second, most other servers only the first. */
  readonly limit: "max_tokens" | "max_completion_tokens";
  /** Tokens: the longest reply that the server lets be asked for. */
  readonly replyTokens: number;
}

export function firstDialect({ tools, usageReported }: ModelProfile): Dialect {
  return {
    tools,
    limit: "max_tokens",
    replyTokens: Infinity,
    refused: new Set(usageReported ? [] : ["stream_options"]),
    reasonsAlways: false,
    signsAlways: false,
    partsAlways: false,
    callsAlone: false,
    nineIds: false,
  };
}

const NO_TOOLS =
  /does ?n[o']t support (?:tools|function|tool)|tools? (?:is|are|use is) not supported|(?:tool|function)[ _-]?call\w* (?:is|are) not supported|requires?.{0,20}--(?:jinja|enable-auto-tool-choice)|no endpoints found that support tool/i;

/** What the chat templates of Llama 3.x and Nemotron raise, and those of Command-R and Mistral. */
const SINGLE_CALLS = /only supports single tool-?calls/i;
const NO_TOOL_TURNS = /roles must alternate/i;

/**
 * Fields that a reply can do without. OpenAI refuses `top_k` ("Unrecognized request argument supplied") and
 * `temperature` for gpt-5 ("does not support 0.2 with this model"); Mistral, NIM and other pydantic servers
 * whatever they do not know ("Extra inputs are not permitted", named in `loc`); DeepSeek and DashScope
 * `tool_choice` in thinking mode (cloudwego/eino#994); Groq and Cerebras `reasoning_content` ("property
 * 'reasoning_content' is unsupported"), deepseek-reasoner of 2025 too ("Please remove the reasoning_content").
 */
const OPTIONAL = [
  "stream_options",
  "tool_choice",
  "temperature",
  "top_p",
  "top_k",
  "min_p",
  "repetition_penalty",
  "repeat_penalty",
  "reasoning_effort",
  "chat_template_kwargs",
  "reasoning_content",
  "reasoning_details",
  "extra_content",
] as const;

/** "Missing `reasoning_content` field", "must be passed back" (api-docs.deepseek.com/guides/thinking_mode), "is missing" (Moonshot). */
const REASONING_MISSED =
  /missing.{0,20}reasoning_content|reasoning_content.{0,80}(?:must be passed back|is missing|is required)/is;

/** Gemini 3: "Function call is missing a thought_signature in functionCall parts." */
const SIGNATURE_MISSED = /missing a .?thought_?signature/i;

/** Mistral's older models (langchain-ai/langchain#21196), and some that it hosts (github/copilot-cli#4884). */
const CALLS_ALONE = /either content or tool_calls, but not both/i;

/** Mistral, its templates elsewhere (ml-explore/mlx-lm#1375), and OpenAI with 40 characters (vercel/ai#5171). */
const NINE_IDS = /tool call id.{0,200}length of 9|tool_calls.{0,20}\.id'?: string too long/is;

/** Statuses about the account or the moment, which no other body mends. */
const OTHER_MATTERS: ReadonlySet<number> = new Set([401, 402, 403, 408, 413, 429, 502, 503, 504]);

/** All texts of an error, without the input that pydantic repeats in it. */
function saidIn(text: string): string {
  const parts: string[] = [];
  const collect = (value: unknown, key = ""): void => {
    if (key === "input" || key === "ctx") return;
    if (Array.isArray(value)) {
      if (key === "loc") parts.push(value.join("."));
      else value.forEach((item) => collect(item));
    } else if (typeof value === "object" && value !== null) {
      for (const [name, item] of Object.entries(value)) collect(item, name);
    } else if (typeof value === "string") parts.push(value);
  };
  try {
    collect(JSON.parse(text));
    return parts.join("\n");
  } catch {
    return text; // an error in plain words
  }
}

const names = (said: string, field: string) =>
  new RegExp(`(?<![\\w-])${field}(?![\\w-])`, "i").test(said);

/** The field `reasoning` is an everyday word too: it counts where it is quoted or has a path. */
const namesReasoning = (said: string) => /['"\`.]reasoning(?=['"\`:\s]|$)/.test(said);

function refusedIn(said: string, sent: ReadonlySet<string>): string[] {
  const refused: string[] = OPTIONAL.filter((field) => sent.has(field) && names(said, field));
  if (/include_usage/i.test(said) && sent.has("stream_options")) refused.push("stream_options");
  if (refused.length === 0 && sent.has("reasoning") && namesReasoning(said)) return ["reasoning"];
  return refused;
}

/** Names of the fields of a body, its messages and their calls. */
function fieldsOf(body: { readonly messages: readonly object[] }): Set<string> {
  const calls = body.messages.flatMap((message) =>
    "tool_calls" in message ? message.tool_calls as object[] : []
  );
  return new Set([body, ...body.messages, ...calls].flatMap((part) => Object.keys(part)));
}

/** What to leave out or to put in, so that the server takes the request; each once. */
export function easier(
  dialect: Dialect,
  { status, text }: ErrorResponse,
  body: { readonly messages: readonly object[] },
): Dialect | undefined {
  if (OTHER_MATTERS.has(status)) return undefined;
  const said = saidIn(text);
  if (!dialect.reasonsAlways && REASONING_MISSED.test(said)) {
    const refused = new Set([...dialect.refused].filter((field) => field !== "reasoning_content"));
    return { ...dialect, reasonsAlways: true, refused };
  }
  if (!dialect.signsAlways && SIGNATURE_MISSED.test(said)) return { ...dialect, signsAlways: true };
  if (!dialect.callsAlone && CALLS_ALONE.test(said)) return { ...dialect, callsAlone: true };
  if (!dialect.nineIds && NINE_IDS.test(said)) return { ...dialect, nineIds: true };
  const refused = refusedIn(said, fieldsOf(body));
  if (refused.length > 0) {
    return { ...dialect, refused: new Set([...dialect.refused, ...refused]) };
  }
  const otherName = names(said, "max_completion_tokens") && !/too large/i.test(said);
  if (dialect.limit === "max_tokens" && otherName) {
    return { ...dialect, limit: "max_completion_tokens" };
  }
  if (dialect.tools === "text") return undefined;
  if (SINGLE_CALLS.test(said) && !dialect.partsAlways) return { ...dialect, partsAlways: true };
  if ([NO_TOOLS, SINGLE_CALLS, NO_TOOL_TURNS].some((words) => words.test(said))) {
    return { ...dialect, tools: "text" };
  }
  return undefined;
}

/** @param asked tokens that the refused request allowed its reply */
export function shorterReply(
  { status, text }: ErrorResponse,
  asked: number | undefined,
): ReplyLimit | undefined {
  const said = saidIn(text);
  // With these statuses, only the words about the request's own size are about its body.
  if (OTHER_MATTERS.has(status) && !/request too large|can only afford/i.test(said)) {
    return undefined;
  }
  return lowerReplyLimit(status, said, asked);
}
