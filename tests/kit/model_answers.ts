/** Replies of a scripted model in OpenAI's wire form, streamed and whole. */
import type { ChatRequest, ScriptedCall, ScriptedReply } from "./model_scenario.ts";

const CREATED = 1_700_000_000;

const argsOf = ({ args }: ScriptedCall) => typeof args === "string" ? args : JSON.stringify(args);

const finishOf = ({ finish, calls = [] }: ScriptedReply) =>
  finish ?? (calls.length > 0 ? "tool_calls" : "stop");

function callsOf(reply: ScriptedReply, turn: number) {
  return (reply.calls ?? []).map((call, index) => ({
    index,
    id: call.id ?? `call_${turn}_${index}`,
    type: "function",
    function: { name: call.name, arguments: argsOf(call) },
  }));
}

export function usageOf(request: ChatRequest, { usage, text = "", calls = [] }: ScriptedReply) {
  const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);
  const counted = usage ?? {
    prompt_tokens: tokens([request.messages, request.tools ?? []]),
    completion_tokens: tokens([text, calls]),
  };
  return { ...counted, total_tokens: counted.prompt_tokens + counted.completion_tokens };
}

export const sse = (value: unknown): string =>
  `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;

function thirds(text: string): string[] {
  const step = Math.max(1, Math.ceil(text.length / 3));
  return text.match(new RegExp(`[\\s\\S]{1,${step}}`, "g")) ?? [];
}

/** The events of a streamed reply, `[DONE]` included. */
export function eventsOf(request: ChatRequest, reply: ScriptedReply, turn: number): string[] {
  const chunk = (delta: unknown, finish_reason: string | null = null) =>
    sse({
      id: `chatcmpl-${turn}`,
      object: "chat.completion.chunk",
      created: CREATED,
      model: request.model,
      choices: [{ index: 0, delta, finish_reason }],
    });
  const calls = callsOf(reply, turn).flatMap((call) => {
    const [head = "", ...rest] = thirds(call.function.arguments);
    return [
      chunk({ tool_calls: [{ ...call, function: { ...call.function, arguments: head } }] }),
      ...rest.map((part) =>
        chunk({ tool_calls: [{ index: call.index, function: { arguments: part } }] })
      ),
    ];
  });
  const counted = request.stream_options?.include_usage === true;
  return [
    chunk({ role: "assistant", content: "" }),
    ...thirds(reply.text ?? "").map((content) => chunk({ content })),
    ...calls,
    chunk({}, finishOf(reply)),
    ...(counted
      ? [sse({
        id: `chatcmpl-${turn}`,
        object: "chat.completion.chunk",
        created: CREATED,
        model: request.model,
        choices: [],
        usage: usageOf(request, reply),
      })]
      : []),
    sse("[DONE]"),
  ];
}

/** The whole reply of a request without `stream`. */
export function completionOf(request: ChatRequest, reply: ScriptedReply, turn: number) {
  const tool_calls = callsOf(reply, turn).map(({ index: _, ...call }) => call);
  return {
    id: `chatcmpl-${turn}`,
    object: "chat.completion",
    created: CREATED,
    model: request.model,
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content: reply.text ?? null,
        ...(tool_calls.length > 0 && { tool_calls }),
      },
      finish_reason: finishOf(reply),
    }],
    usage: usageOf(request, reply),
  };
}
