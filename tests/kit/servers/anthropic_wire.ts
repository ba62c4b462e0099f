/** Anthropic's Messages on the wire: blocks, signatures, errors, and the events of a streamed reply. */
import type { ChatMessage, ChatRequest } from "tests/kit/model_scenario.ts";
import { sse } from "tests/kit/model_answers.ts";
import type { Asked, Said } from "./zoo.ts";

export interface WireBlock {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly data?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: string;
  readonly cache_control?: { readonly type: string };
}

export function readBlocks(
  { content }: { readonly content: string | readonly WireBlock[] },
): readonly WireBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** platform.claude.com/docs/en/api/errors */
export function failed(status: number, type: string, message: string, headers = {}): Response {
  const body = { type: "error", error: { type, message }, request_id: "req_zoo" };
  return Response.json(body, { status, headers });
}

export const invalid = (message: string): Response => failed(400, "invalid_request_error", message);

/** Any change of the thinking changes it; it looks like the service's. */
export function signatureOf(thinking: string): string {
  let hash = 0n;
  for (const char of thinking) {
    hash = (hash * 1_000_003n + BigInt(char.codePointAt(0)!)) % (1n << 96n);
  }
  return btoa(`zoo-signature-${hash.toString(36)}`);
}

/** Replies whose thinking begins with this come as `redacted_thinking`. */
export const REDACTED_MARK = "[redacted]";

export const callId = (turn: number, index: number) =>
  `toolu_${String(turn).padStart(4, "0")}${String(index).padStart(20, "0")}`;

/** Thinking, text, then calls: the order in which Claude writes them. */
export function blocksOf({ reply, turn }: Said): WireBlock[] {
  const { reasoning = "", text = "", calls = [] } = reply;
  const thinking: WireBlock[] = reasoning === ""
    ? []
    : reasoning.startsWith(REDACTED_MARK)
    ? [{ type: "redacted_thinking", data: signatureOf(reasoning) }]
    : [{ type: "thinking", thinking: reasoning, signature: signatureOf(reasoning) }];
  return [
    ...thinking,
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(({ name, args, id }, index) => ({
      type: "tool_use",
      id: id ?? callId(turn, index),
      name,
      input: args,
    })),
  ];
}

const STOPS: Readonly<Record<string, string>> = { length: "max_tokens", stop: "end_turn" };

const stopOf = ({ reply: { finish, calls = [] } }: Said) =>
  finish !== undefined ? STOPS[finish] ?? finish : calls.length > 0 ? "tool_use" : "end_turn";

/** Cached tokens are counted apart; what is new goes into the cache where marks ask for it. */
function usageOf(asked: Asked, { prompt, cached }: Said["usage"]) {
  const marked = asked.text.includes('"cache_control"');
  return {
    input_tokens: marked ? 0 : prompt,
    cache_read_input_tokens: marked ? cached : 0,
    cache_creation_input_tokens: marked ? prompt - cached : 0,
    cache_creation: {
      ephemeral_5m_input_tokens: marked ? prompt - cached : 0,
      ephemeral_1h_input_tokens: 0,
    },
    service_tier: "standard",
  };
}

const event = (type: string, fields: object = {}) => `event: ${type}\n${sse({ type, ...fields })}`;

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== "");
}

function blockEvents(block: WireBlock, index: number): string[] {
  const deltas = (type: string, field: string, text: string) =>
    halves(text).map((part) =>
      event("content_block_delta", { index, delta: { type, [field]: part } })
    );
  const start = (content_block: object) => event("content_block_start", { index, content_block });
  const stop = event("content_block_stop", { index });
  switch (block.type) {
    case "thinking":
      return [
        start({ type: "thinking", thinking: "", signature: "" }),
        ...deltas("thinking_delta", "thinking", block.thinking!),
        event("content_block_delta", {
          index,
          delta: { type: "signature_delta", signature: block.signature },
        }),
        stop,
      ];
    case "text":
      return [
        start({ type: "text", text: "", citations: null }),
        ...deltas("text_delta", "text", block.text!),
        stop,
      ];
    case "tool_use": {
      const { type, id, name, input } = block;
      const json = typeof input === "string" ? input : JSON.stringify(input);
      return [
        start({ type, id, name, input: {} }),
        event("content_block_delta", {
          index,
          delta: { type: "input_json_delta", partial_json: "" },
        }),
        ...deltas("input_json_delta", "partial_json", json),
        stop,
      ];
    }
    default:
      return [start(block), stop];
  }
}

function messageOf(asked: Asked, said: Said) {
  return {
    id: `msg_${String(said.turn).padStart(24, "0")}`,
    type: "message",
    role: "assistant",
    model: asked.body.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: { ...usageOf(asked, said.usage), output_tokens: 1 },
  };
}

/** platform.claude.com/docs/en/build-with-claude/streaming, "Event types". */
export function streamOf(asked: Asked, said: Said): string[] {
  return [
    event("message_start", { message: messageOf(asked, said) }),
    event("ping"),
    ...blocksOf(said).flatMap(blockEvents),
    event("message_delta", {
      delta: { stop_reason: stopOf(said), stop_sequence: null, stop_details: null },
      usage: { ...usageOf(asked, said.usage), output_tokens: said.usage.completion },
    }),
    event("message_stop"),
  ];
}

export function wholeOf(asked: Asked, said: Said) {
  return {
    ...messageOf(asked, said),
    content: blocksOf(said),
    stop_reason: stopOf(said),
    usage: { ...usageOf(asked, said.usage), output_tokens: said.usage.completion },
  };
}

function textOf(blocks: readonly WireBlock[]): string {
  return blocks.filter(({ type }) => type === "text").map(({ text }) => text).join("\n\n");
}

/** The conversation as scenarios see it; a note that follows results is the last message. */
export function readMessages({ body }: Asked): ChatRequest {
  const system: ChatMessage[] = body.system === undefined
    ? []
    : [{ role: "system", content: textOf(readBlocks({ content: body.system })) }];
  const messages = body.messages.flatMap(
    (message: { role: "user" | "assistant"; content: string | readonly WireBlock[] }) => {
      const content = readBlocks(message);
      const text = textOf(content);
      if (message.role === "assistant") {
        const tool_calls = content.filter(({ type }) => type === "tool_use").map((block) => ({
          id: block.id!,
          function: { name: block.name!, arguments: JSON.stringify(block.input) },
        }));
        return [{ role: "assistant", content: text, ...(tool_calls.length > 0 && { tool_calls }) }];
      }
      const results = content.filter(({ type }) => type === "tool_result").map((block) => ({
        role: "tool",
        tool_call_id: block.tool_use_id!,
        content: block.content ?? "",
      }));
      return [...results, ...(text === "" ? [] : [{ role: "user", content: text }])];
    },
  );
  const tools = body.tools?.map((
    tool: { name: string; input_schema: unknown; description: string },
  ) => ({
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: tool.input_schema },
  }));
  return {
    model: body.model,
    stream: body.stream,
    messages: [...system, ...messages],
    ...(tools && { tools }),
  };
}
