/** What a server turned out not to understand; later requests leave it out. */
import { errorObject, type ErrorResponse } from "./error_response.ts";
import type { ModelProfile } from "./model.ts";

export interface Dialect {
  readonly tools: ModelProfile["tools"];
  /** Whether `stream_options: {include_usage: true}` may be sent. */
  readonly usage: boolean;
  /** OpenAI's newer models know only the second, most other servers only the first. */
  readonly limit: "max_tokens" | "max_completion_tokens";
}

const NO_TOOLS =
  /does ?n[o']t support (?:tools|function|tool)|tools? (?:is|are|use is) not supported|(?:tool|function)[ _-]?call\w* (?:is|are) not supported|requires?.{0,20}--(?:jinja|enable-auto-tool-choice)|no endpoints found that support tool/i;

/** What the chat templates of Command-R, Mistral and Llama 3.x raise for tool calls that they cannot show. */
const NO_TOOL_TURNS = /roles must alternate|only supports single tool-?calls/i;

export function easier(dialect: Dialect, { status, text }: ErrorResponse): Dialect | undefined {
  if (status === 401 || status === 402 || status === 403 || status === 429) return undefined;
  const said = errorObject(text).message || text;
  if (dialect.usage && /stream_options|include_usage/i.test(said)) {
    return { ...dialect, usage: false };
  }
  if (dialect.limit === "max_tokens" && /max_completion_tokens/i.test(said)) {
    return { ...dialect, limit: "max_completion_tokens" };
  }
  if (dialect.tools === "native" && (NO_TOOLS.test(said) || NO_TOOL_TURNS.test(said))) {
    return { ...dialect, tools: "text" };
  }
  return undefined;
}
