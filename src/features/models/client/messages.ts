/** Turns a request into wire messages: redacted, and the same bytes for the same messages. */
import type { Redact } from "svc/core/redact.ts";
import type { Message, ModelProfile, ModelRequest, ToolCall } from "./model.ts";
import { callAsText, resultAsText, toolAddendum } from "./text_tools.ts";

/** A message in OpenAI's form (platform.openai.com/docs/api-reference/chat/create). */
type WireMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | {
    readonly role: "assistant";
    readonly content: string;
    readonly tool_calls?: readonly WireCall[];
  }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

interface WireCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface WireRequest {
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly unknown[];
}

function isJsonObject(text: string): boolean {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false; // a model wrote it by hand
  }
}

/** Repairs broken names and arguments: servers parse the calls that they are sent back. */
function wireCall({ id, name, args }: ToolCall, redact: Redact): WireCall {
  const safe = redact(args);
  return {
    id,
    type: "function",
    function: {
      name: name.replaceAll(/[^\w-]/g, "_") || "unnamed",
      arguments: isJsonObject(safe) ? safe : "{}",
    },
  };
}

/** Some servers refuse an empty assistant message. */
const SAID_NOTHING = "(no answer)";

function native(message: Message, redact: Redact): WireMessage {
  if (message.role === "tool") {
    return { role: "tool", tool_call_id: message.callId, content: redact(message.text) };
  }
  const content = redact(message.text);
  if (message.role !== "assistant") return { role: message.role, content };
  if (message.calls.length === 0) return { role: "assistant", content: content || SAID_NOTHING };
  const tool_calls = message.calls.map((call) => wireCall(call, redact));
  return { role: "assistant", content, tool_calls };
}

/** Templates of Llama 3.x and Nemotron refuse two calls a reply ("only supports single tool-calls at once"). */
function inSingleCalls(messages: readonly WireMessage[]): WireMessage[] {
  const wire: WireMessage[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    const calls = message.role === "assistant" ? message.tool_calls ?? [] : [];
    const results = messages.slice(index + 1, index + 1 + calls.length);
    const inOrder = calls.every(({ id }, at) => {
      const result = results[at];
      return result?.role === "tool" && result.tool_call_id === id;
    });
    if (calls.length < 2 || !inOrder) {
      wire.push(message);
      continue;
    }
    calls.forEach((call, at) => {
      const content = at === 0 ? message.content : "";
      wire.push({ role: "assistant", content, tool_calls: [call] }, results[at]!);
    });
    index += results.length;
  }
  return wire;
}

function redactedTools(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactedTools(item, redact));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, redactedTools(item, redact)]);
  return Object.fromEntries(entries);
}

function textMessages(
  messages: readonly Message[],
  tools: readonly unknown[],
  redact: Redact,
): WireMessage[] {
  const names = new Map<string, string>();
  const wire: WireMessage[] = [];
  let results: string[] = [];
  const flush = () => {
    if (results.length > 0) wire.push({ role: "user", content: results.join("\n") });
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      const name = names.get(message.callId) ?? "tool";
      results.push(resultAsText(message.callId, name, redact(message.text)));
      continue;
    }
    flush();
    const said = redact(message.text);
    if (message.role !== "assistant") {
      wire.push({ role: message.role, content: said });
      continue;
    }
    for (const { id, name } of message.calls) names.set(id, name);
    const calls = message.calls.map(({ name, args }) => callAsText(name, redact(args)));
    const content = [said, ...calls].filter((part) => part !== "").join("\n");
    wire.push({ role: "assistant", content: content || SAID_NOTHING });
  }
  flush();
  if (tools.length === 0) return wire;
  const addendum = toolAddendum(tools);
  const [first, ...rest] = wire;
  if (first?.role !== "system") return [{ role: "system", content: addendum }, ...wire];
  return [{ role: "system", content: `${first.content}\n\n${addendum}` }, ...rest];
}

/** Caches wire forms by message object, since an agent passes the same objects turn after turn. */
export function serialiser(redact: Redact) {
  const made = new WeakMap<Message, WireMessage>();
  const madeTools = new WeakMap<readonly unknown[], readonly unknown[]>();
  const once = (message: Message) => {
    const known = made.get(message) ?? native(message, redact);
    made.set(message, known);
    return known;
  };
  const toolsOnce = (tools: readonly unknown[]) => {
    const known = madeTools.get(tools) ?? tools.map((tool) => redactedTools(tool, redact));
    madeTools.set(tools, known);
    return known;
  };
  return {
    wire({ messages, tools }: ModelRequest, how: ModelProfile["tools"]): WireRequest {
      const safe = toolsOnce(tools);
      if (how === "text") return { messages: textMessages(messages, safe, redact) };
      return {
        messages: inSingleCalls(messages.map(once)),
        ...(safe.length > 0 && { tools: safe }),
      };
    },
  };
}

export function callIds(messages: readonly Message[]): Set<string> {
  return new Set(
    messages.flatMap((message) =>
      message.role === "assistant" ? message.calls.map(({ id }) => id) : []
    ),
  );
}
