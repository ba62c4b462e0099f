/** OpenAI's Responses on the wire: items, encrypted reasoning, errors, and the events of a streamed reply. */
import { sse } from "tests/kit/model_answers.ts";
import type { ChatMessage, ChatRequest } from "tests/kit/model_scenario.ts";
import type { Asked, Said } from "./zoo.ts";

interface WireText {
  readonly type: string;
  readonly text: string;
  readonly annotations?: readonly unknown[];
}

export interface WireItem {
  readonly type?: string;
  readonly id?: string;
  readonly role?: string;
  readonly status?: string;
  readonly content?: string | readonly WireText[];
  readonly phase?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly output?: string;
  readonly summary?: readonly unknown[];
  readonly encrypted_content?: string;
}

/** platform.openai.com/docs/guides/error-codes */
export function failed(status: number, message: string, more: object = {}): Response {
  const error = { message, type: "invalid_request_error", param: null, code: null, ...more };
  return Response.json({ error }, { status });
}

const hashed = (text: string, prime: bigint) => {
  let hash = 0n;
  for (const char of text) hash = (hash * prime + BigInt(char.codePointAt(0)!)) % (1n << 96n);
  return hash.toString(36);
};

/** What a reasoning item of this id thought; legible, so that a test sees whether it came back. */
export function encrypted(id: string, thought: string): string {
  return `gAAAAAB${hashed(id, 1_000_003n)}${hashed(thought, 998_244_353n)}-${thought}`;
}

/** Whether an item's encrypted content is its own, and as it was made. */
export function isIntact({ id = "", encrypted_content = "" }: WireItem): boolean {
  const thought = encrypted_content.slice(encrypted_content.indexOf("-") + 1);
  return encrypted_content === encrypted(id, thought);
}

const itemId = (kind: string, { turn }: Said, index = 0) => `${kind}_zoo${turn}x${index}`;

export const callId = (turn: number, index: number) => `call_zoo${turn}x${index}`;

/** Codex models say which text is commentary (`phase` in npm `openai`, 7.57.0). */
export function itemsOf(said: Said): WireItem[] {
  const { reply: { reasoning = "", text = "", calls = [] }, turn } = said;
  const reasoningId = itemId("rs", said);
  const status = said.reply.finish === "length" ? "incomplete" : "completed";
  return [
    ...(reasoning === "" ? [] : [{
      type: "reasoning",
      id: reasoningId,
      summary: [],
      encrypted_content: encrypted(reasoningId, reasoning),
    }]),
    ...(text === "" ? [] : [{
      type: "message",
      id: itemId("msg", said),
      role: "assistant",
      status,
      phase: calls.length > 0 ? "commentary" : "final_answer",
      content: [{ type: "output_text", text, annotations: [] }],
    }]),
    ...calls.map(({ name, args, id }, index) => ({
      type: "function_call",
      id: itemId("fc", said, index),
      call_id: id ?? callId(turn, index),
      name,
      arguments: typeof args === "string" ? args : JSON.stringify(args),
      status,
    })),
  ];
}

function usageOf({ prompt, completion, cached }: Said["usage"]) {
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: completion,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: prompt + completion,
  };
}

const cut = ({ reply: { finish } }: Said) => finish === "length" || finish === "content_filter";

export function responseOf({ body }: Asked, said: Said, done: boolean) {
  const reason = said.reply.finish === "length" ? "max_output_tokens" : said.reply.finish;
  return {
    id: `resp_zoo${said.turn}`,
    object: "response",
    created_at: 1_700_000_000,
    status: !done ? "in_progress" : cut(said) ? "incomplete" : "completed",
    error: null,
    incomplete_details: done && cut(said) ? { reason } : null,
    model: body.model,
    output: done ? itemsOf(said) : [],
    parallel_tool_calls: true,
    store: body.store ?? true,
    usage: done ? usageOf(said.usage) : null,
  };
}

/** As an item is announced: what comes in deltas is missing. */
function begun(item: WireItem): WireItem {
  if (item.type === "message") return { ...item, status: "in_progress", content: [] };
  if (item.type === "function_call") return { ...item, status: "in_progress", arguments: "" };
  return { ...item, encrypted_content: "" };
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== "");
}

type EventOf = (type: string, fields: object) => string;

function textEvents(event: EventOf, item: object, part: WireText): string[] {
  const at = { ...item, content_index: 0 };
  return [
    event("response.content_part.added", { ...at, part: { ...part, text: "" } }),
    ...halves(part.text).map((delta) =>
      event("response.output_text.delta", { ...at, delta, logprobs: [] })
    ),
    event("response.output_text.done", { ...at, text: part.text, logprobs: [] }),
    event("response.content_part.done", { ...at, part }),
  ];
}

/** platform.openai.com/docs/api-reference/responses-streaming; a sequence number in each. */
export function streamOf(asked: Asked, said: Said): string[] {
  let sequence_number = 0;
  const event: EventOf = (type, fields) =>
    `event: ${type}\n${sse({ type, sequence_number: sequence_number++, ...fields })}`;
  const response = (done: boolean) => ({ response: responseOf(asked, said, done) });
  const opening = event("response.created", response(false)) +
    event("response.in_progress", response(false));
  const items = itemsOf(said).flatMap((item, output_index) => {
    const at = { output_index, item_id: item.id };
    const added = event("response.output_item.added", { output_index, item: begun(item) });
    const deltas = item.type === "message"
      ? textEvents(event, at, (item.content as readonly WireText[])[0]!)
      : item.type === "function_call"
      ? [
        ...halves(item.arguments!).map((delta) =>
          event("response.function_call_arguments.delta", { ...at, delta })
        ),
        event("response.function_call_arguments.done", { ...at, arguments: item.arguments }),
      ]
      : [];
    return [added, ...deltas, event("response.output_item.done", { output_index, item })];
  });
  const end = event(cut(said) ? "response.incomplete" : "response.completed", response(true));
  return [opening, ...items, end];
}

function textOf({ content = "" }: WireItem): string {
  return typeof content === "string" ? content : content.map(({ text }) => text).join("");
}

/** The conversation as scenarios see it: items of one reply are one message. */
export function readInput({ body }: Asked): ChatRequest {
  const messages: ChatMessage[] = body.instructions === undefined
    ? []
    : [{ role: "system", content: body.instructions }];
  for (const item of body.input as readonly WireItem[]) {
    const before = messages.at(-1);
    if (item.type === "reasoning") continue;
    if (item.type === "function_call_output") {
      messages.push({ role: "tool", tool_call_id: item.call_id!, content: item.output! });
    } else if (item.type === "function_call") {
      const call = {
        id: item.call_id!,
        function: { name: item.name!, arguments: item.arguments! },
      };
      if (before?.role === "assistant") {
        messages[messages.length - 1] = {
          ...before,
          tool_calls: [...before.tool_calls ?? [], call],
        };
      } else messages.push({ role: "assistant", content: "", tool_calls: [call] });
    } else messages.push({ role: item.role as "user", content: textOf(item) });
  }
  const tools = body.tools?.map(({ type, ...tool }: { type: string }) => ({
    type,
    function: tool,
  }));
  return { model: body.model, stream: body.stream, messages, ...(tools && { tools }) };
}
