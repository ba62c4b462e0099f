/** OpenAI chat completions as each server speaks them: how a request is read, and the shapes of a reply. */
import type { ChatMessage, ChatRequest, ScriptedCall } from "tests/kit/model_scenario.ts";
import type { Asked, Said, ZooProtocol } from "./zoo.ts";

/** Where servers differ in how they write a reply. */
export interface ChatStyle {
  readonly replyId: (turn: number) => string;
  readonly callId: (turn: number, index: number) => string;
  /** Delta of the first event; undefined: none is sent before the first words. */
  readonly opening: Readonly<Record<string, unknown>> | undefined;
  /** Field of a message in which the model's reasoning stands. */
  readonly reasoning: "reasoning_content" | "reasoning" | undefined;
  /** Arguments in several events, as OpenAI has it, or each call in one. */
  readonly calls: "pieces" | "whole";
  /** When usage is sent in a stream: as an event of its own if asked for, in the last event if asked for, or always. */
  readonly usage: "asked" | "asked_with_finish" | "always";
  readonly usageOf: (said: Said["usage"]) => Readonly<Record<string, unknown>>;
  /** Finish reason of a reply with calls; "tool_calls" unless given. */
  readonly finishOfCalls?: string;
  /** Further fields of every reply, chunk or whole. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** What stands in every delta of a stream, where nothing else does. */
  readonly deltaFields?: Readonly<Record<string, unknown>>;
  /** What a vendor adds to each call, such as Gemini's `extra_content`. */
  readonly callFields?: (turn: number, index: number) => Readonly<Record<string, unknown>>;
}

export const plainUsage = ({ prompt, completion }: Said["usage"]) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

/** With the tokens from the prefix cache (platform.openai.com/docs/guides/prompt-caching). */
export const cachedUsage = (usage: Said["usage"]) => ({
  ...plainUsage(usage),
  prompt_tokens_details: { cached_tokens: usage.cached },
});

const CREATED = 1_700_000_000;

export const sse = (value: unknown): string =>
  `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;

export function thirds(text: string): string[] {
  const step = Math.max(1, Math.ceil(text.length / 3));
  return text.match(new RegExp(`[\\s\\S]{1,${step}}`, "g")) ?? [];
}

export const argsOf = ({ args }: ScriptedCall): string =>
  typeof args === "string" ? args : JSON.stringify(args);

function callsOf({ reply, turn }: Said, style: ChatStyle) {
  return (reply.calls ?? []).map((call, index) => ({
    index,
    id: call.id ?? style.callId(turn, index),
    type: "function",
    function: { name: call.name, arguments: argsOf(call) },
    ...style.callFields?.(turn, index),
  }));
}

function finishOf({ reply }: Said, style: ChatStyle): string {
  return reply.finish ?? (reply.calls?.length ? style.finishOfCalls ?? "tool_calls" : "stop");
}

function callDeltas(said: Said, style: ChatStyle): object[] {
  return callsOf(said, style).flatMap((call) => {
    if (style.calls === "whole") return [{ tool_calls: [call] }];
    const { name, arguments: args } = call.function;
    return [
      { tool_calls: [{ ...call, function: { name, arguments: "" } }] },
      ...thirds(args).map((part) => ({
        tool_calls: [{ index: call.index, function: { arguments: part } }],
      })),
    ];
  });
}

function streamOf(style: ChatStyle) {
  return ({ body }: Asked, said: Said): string[] => {
    const { reply, turn, usage } = said;
    const asked = body.stream_options?.include_usage === true;
    const counted = { usage: style.usageOf(usage) };
    const event = (choices: unknown[], more = {}) =>
      sse({
        id: style.replyId(turn),
        object: "chat.completion.chunk",
        created: CREATED,
        model: body.model,
        ...style.fields,
        choices,
        ...more,
      });
    const chunk = (own: object, finish_reason: string | null = null, more = {}) => {
      const delta = { ...style.deltaFields, ...own };
      return event([{ index: 0, delta, logprobs: null, finish_reason }], more);
    };
    const withFinish = style.usage === "always" || (style.usage === "asked_with_finish" && asked);
    return [
      ...(style.opening ? [chunk(style.opening)] : []),
      ...(style.reasoning
        ? thirds(reply.reasoning ?? "").map((part) => chunk({ [style.reasoning!]: part }))
        : []),
      ...thirds(reply.text ?? "").map((content) => chunk({ content })),
      ...callDeltas(said, style).map((delta) => chunk(delta)),
      chunk({}, finishOf(said, style), withFinish ? counted : {}),
      ...(style.usage === "asked" && asked ? [event([], counted)] : []),
      sse("[DONE]"),
    ];
  };
}

function wholeOf(style: ChatStyle) {
  return ({ body }: Asked, said: Said) => {
    const tool_calls = callsOf(said, style).map(({ index: _, ...call }) => call);
    const { reply, turn, usage } = said;
    return {
      id: style.replyId(turn),
      object: "chat.completion",
      created: CREATED,
      model: body.model,
      ...style.fields,
      choices: [{
        index: 0,
        message: {
          role: "assistant",
          content: reply.text || null,
          ...(style.reasoning && reply.reasoning && { [style.reasoning]: reply.reasoning }),
          ...(tool_calls.length > 0 && { tool_calls }),
        },
        finish_reason: finishOf(said, style),
      }],
      usage: style.usageOf(usage),
    };
  };
}

function contentText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.map((part) => part?.text ?? "").join("");
}

export function readChat({ body }: Asked): ChatRequest {
  const messages = body.messages.map((message: Record<string, unknown>) => ({
    ...message,
    // OpenAI's newer name of the system prompt.
    role: message["role"] === "developer" ? "system" : message["role"],
    content: contentText(message["content"]),
  })) as ChatMessage[];
  return { ...body, messages };
}

/** The protocol of a server from its style, its rules and its answer to a prompt that is too long. */
export function chatProtocol(
  style: ChatStyle,
  server: Pick<ZooProtocol, "target" | "rules" | "overflow"> & {
    /** Tokens of a reply for which no limit was asked. */
    readonly defaultLimit?: number;
  },
): ZooProtocol {
  const { target, rules, overflow, defaultLimit } = server;
  return {
    target,
    rules,
    overflow,
    read: readChat,
    replyLimit: ({ body }) => body.max_completion_tokens ?? body.max_tokens ?? defaultLimit,
    stream: streamOf(style),
    whole: wholeOf(style),
  };
}
