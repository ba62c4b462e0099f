/** A request in the form of Anthropic Messages, with marks for its prompt cache. */
import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  OutputConfig,
  RedactedThinkingBlockParam,
  TextBlockParam,
  ThinkingBlockParam,
  ThinkingConfigParam,
  Tool,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages/messages";
import { SAID_NOTHING } from "svc/features/models/client/messages.ts";
import type { Message, Sampling } from "svc/features/models/client/model.ts";
import { noteApart } from "svc/features/models/client/note.ts";
import type { TextToolDefinition } from "svc/features/models/client/text_tools.ts";
import { type AssistantMessage, partsOf } from "./reply_order.ts";
import type { VendorRequest } from "./vendor_client.ts";

/** What a model takes; each learned from a refusal. */
export interface AnthropicSettings {
  /** Models before 4.6 know `enabled`, those from 4.7 on `adaptive` alone (their refusals name the other). */
  readonly thinking: "adaptive" | "enabled" | "none";
  readonly effort: boolean;
  readonly sampling: boolean;
  readonly forcedTools: boolean;
}

/** Tokens of a reply without a limit of its own: the form demands a number, and all models take this one. */
const REPLY_TOKENS = 4_096;

/** Tokens of thinking; `enabled` asks for a number of at least 1,024, below `max_tokens`. */
const THINKING_TOKENS = { minimal: 1_024, low: 2_048, medium: 8_192, high: 16_384 } as const;

type Thinking = ThinkingBlockParam | RedactedThinkingBlockParam;

function isThinking(item: unknown): item is Thinking {
  const { type } = (item ?? {}) as { readonly type?: unknown };
  return type === "thinking" || type === "redacted_thinking";
}

function assistantBlocks(message: AssistantMessage): ContentBlockParam[] {
  const blocks = partsOf(message).flatMap((part): ContentBlockParam[] => {
    if (part.kind === "sealed") return isThinking(part.item) ? [part.item] : [];
    if (part.kind === "call") {
      const { id, name, args } = part.call;
      return [{ type: "tool_use", id, name, input: JSON.parse(args) }];
    }
    // Refused: "text content blocks must be non-empty", "must contain non-whitespace text".
    const text = part.text.trim();
    return text === "" ? [] : [{ type: "text", text }];
  });
  // "The final block in an assistant message cannot be `thinking`."
  const last = blocks.at(-1);
  if (last === undefined || isThinking(last)) blocks.push({ type: "text", text: SAID_NOTHING });
  return blocks;
}

/** One message for all results of a reply: results first, then notes ("`tool_result` blocks must come first"). */
function userBlocks(messages: readonly Message[]): ContentBlockParam[] {
  const results: ToolResultBlockParam[] = [];
  const texts: TextBlockParam[] = [];
  const say = (text: string) => {
    if (text.trim() !== "") texts.push({ type: "text", text });
  };
  for (const message of messages) {
    if (message.role !== "tool") {
      say(message.text);
      continue;
    }
    const { output, note = "" } = noteApart(message.text);
    results.push({ type: "tool_result", tool_use_id: message.callId, content: output });
    say(note);
  }
  return [...results, ...texts];
}

function wireMessages(messages: readonly Message[]): MessageParam[] {
  const wire: MessageParam[] = [];
  for (let at = 0; at < messages.length;) {
    const message = messages[at]!;
    if (message.role === "assistant") {
      wire.push({ role: "assistant", content: assistantBlocks(message) });
      at++;
      continue;
    }
    const next = messages.findIndex(({ role }, index) => index > at && role === "assistant");
    const end = next === -1 ? messages.length : next;
    wire.push({ role: "user", content: userBlocks(messages.slice(at, end)) });
    at = end;
  }
  return wire;
}

function withoutThinking(messages: readonly MessageParam[]): MessageParam[] {
  return messages.map(({ role, content }) =>
    role === "assistant"
      ? { role, content: (content as ContentBlockParam[]).filter((block) => !isThinking(block)) }
      : { role, content } as MessageParam
  );
}

const MARK = { cache_control: { type: "ephemeral" } } as const;

function marked<T>(items: readonly T[]): T[] {
  return items.map((item, at) => at === items.length - 1 ? { ...item, ...MARK } : item);
}

/** Marks the last two turns: the newer is written to the cache, the older is what this request reads. */
function withMarks(messages: readonly MessageParam[]): MessageParam[] {
  const users = messages.flatMap(({ role }, at) => role === "user" ? [at] : []).slice(-2);
  return messages.map((message, at) =>
    users.includes(at)
      ? { role: "user", content: marked(message.content as ContentBlockParam[]) }
      : message
  );
}

function toolOf({ name, description, parameters }: TextToolDefinition): Tool {
  return { name, description, input_schema: parameters as Tool.InputSchema };
}

/** In `enabled` mode a turn of calls that began without thinking must go on without ("must start with a thinking block"). */
function beganWithThinking(messages: readonly MessageParam[]): boolean {
  const [before, last] = messages.slice(-2);
  const results = (last?.content as ContentBlockParam[] | undefined)?.[0]?.type === "tool_result";
  return !results || isThinking((before?.content as ContentBlockParam[])[0]);
}

interface Limits {
  readonly max_tokens: number;
  readonly thinking?: ThinkingConfigParam;
  readonly output_config?: OutputConfig;
}

function limitsOf(
  { sampling: { reasoningEffort }, maxTokens }: VendorRequest,
  settings: AnthropicSettings,
  messages: readonly MessageParam[],
): Limits {
  const max_tokens = maxTokens ?? REPLY_TOKENS;
  if (reasoningEffort === undefined || settings.thinking === "none") return { max_tokens };
  if (settings.thinking === "adaptive") {
    const effort = reasoningEffort === "minimal" ? "low" : reasoningEffort;
    return {
      max_tokens,
      thinking: { type: "adaptive" },
      ...(settings.effort && { output_config: { effort } }),
    };
  }
  // Half is left for the reply itself.
  const budget_tokens = Math.min(THINKING_TOKENS[reasoningEffort], Math.floor(max_tokens / 2));
  if (budget_tokens < THINKING_TOKENS.minimal || !beganWithThinking(messages)) {
    return { max_tokens };
  }
  return { max_tokens, thinking: { type: "enabled", budget_tokens } };
}

/** Newer models refuse `temperature` beside `top_p`, and any of them beside thinking. */
function samplingOf({ temperature, topP, topK }: Sampling) {
  return {
    ...(temperature !== undefined
      ? { temperature: Math.min(1, temperature) }
      : topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}

export function anthropicBody(
  request: VendorRequest,
  settings: AnthropicSettings,
): MessageCreateParamsStreaming {
  const { model, system, tools, sampling, toolChoice } = request;
  const messages = wireMessages(request.messages);
  const limits = limitsOf(request, settings, messages);
  const thinks = limits.thinking !== undefined;
  // "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`."
  const unthought = settings.thinking !== "adaptive" && !thinks;
  const forced = toolChoice === "required" && tools.length > 0 && settings.forcedTools && !thinks;
  return {
    model,
    stream: true,
    ...limits,
    ...(settings.sampling && !thinks && samplingOf(sampling)),
    ...(tools.length > 0 && { tools: marked(tools.map(toolOf)) }),
    ...(forced && { tool_choice: { type: "any" } }),
    ...(system !== "" && { system: [{ type: "text", text: system, ...MARK }] }),
    messages: withMarks(unthought ? withoutThinking(messages) : messages),
  };
}
