/** Turns a request into wire messages: redacted, and the same bytes for the same messages. */
import type { Redact } from "svc/core/redact.ts";
import type { Message, ModelProfile, ModelRequest, ToolCall } from "./model.ts";
import { isClean, type ReasoningFields, reasoningFields, thinkingChunks } from "./reasoning.ts";
import { callAsText, resultAsText, toolAddendum } from "./text_tools.ts";

/** A message in OpenAI's form (platform.openai.com/docs/api-reference/chat/create), with vendors' reasoning. */
export type WireMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | WireReply
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

export interface WireReply extends ReasoningFields {
  readonly role: "assistant";
  /** A list where Mistral's thinking stands before the text. */
  readonly content: string | readonly unknown[];
  readonly tool_calls?: readonly WireCall[];
}

interface WireCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: unknown;
}

/** What a server turned out to require, or to refuse, in messages. */
export interface WireHabits {
  /** Fields of messages that it refuses. */
  readonly refused: ReadonlySet<string>;
  /** Each reply must hold `reasoning_content`, also one that came without. */
  readonly reasonsAlways: boolean;
  /** Calls without a signature must hold Gemini's placeholder for one. */
  readonly signsAlways: boolean;
  /** Each call must be a reply of its own, also where their reasoning is one. */
  readonly partsAlways: boolean;
  /** A reply must not hold words beside its calls. */
  readonly callsAlone: boolean;
  /** Ids of calls must be nine letters and digits. */
  readonly nineIds: boolean;
}

export const NO_HABITS: WireHabits = {
  refused: new Set(),
  reasonsAlways: false,
  signsAlways: false,
  partsAlways: false,
  callsAlone: false,
  nineIds: false,
};

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

/** For an id that another server made; the same for the same id (FNV-1a, 64 bits, in base 36). */
function wireId(id: string, { nineIds }: WireHabits): string {
  if (!nineIds || /^[a-zA-Z0-9]{9}$/.test(id)) return id;
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(id)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(36).slice(-9).padStart(9, "0");
}

/** Repairs broken names and arguments: servers parse the calls that they are sent back. */
export function safeCall({ name, args }: ToolCall, redact: Redact): WireCall["function"] {
  const safe = redact(args);
  return {
    name: name.replaceAll(/[^\w-]/g, "_") || "unnamed",
    arguments: isJsonObject(safe) ? safe : "{}",
  };
}

function wireCall(call: ToolCall, redact: Redact, habits: WireHabits): WireCall {
  const { id, extra } = call;
  const refused = habits.refused.has("extra_content");
  const whole = extra !== undefined && !refused && isClean(extra, redact);
  return {
    ...(whole && { extra_content: extra }),
    id: wireId(id, habits),
    type: "function",
    function: safeCall(call, redact),
  };
}

/** Some servers refuse an empty assistant message. */
export const SAID_NOTHING = "(no answer)";

/** For histories that another model wrote (ai.google.dev/gemini-api/docs/thought-signatures). */
const PLACEHOLDER = { google: { thought_signature: "skip_thought_signature_validator" } };

function signed(calls: readonly WireCall[]): readonly WireCall[] {
  // Only the first of several calls carries a signature.
  if (calls.some(({ extra_content }) => extra_content !== undefined)) return calls;
  return calls.map((call, at) => at === 0 ? { ...call, extra_content: PLACEHOLDER } : call);
}

function native(message: Message, redact: Redact, habits: WireHabits): WireMessage {
  if (message.role === "tool") {
    const tool_call_id = wireId(message.callId, habits);
    return { role: "tool", tool_call_id, content: redact(message.text) };
  }
  const { role, text } = message;
  if (role !== "assistant") return { role, content: redact(text) };
  const { reasoning, calls } = message;
  const alone = habits.callsAlone && calls.length > 0;
  const said = alone ? "" : redact(text);
  const thoughts = alone ? [] : thinkingChunks(reasoning, redact);
  const always = habits.reasonsAlways && !habits.refused.has("reasoning_content");
  const content = said || (calls.length === 0 ? SAID_NOTHING : "");
  const texts = content === "" ? [] : [{ type: "text", text: content }];
  const fields = Object.entries(reasoningFields(reasoning, redact));
  const made = calls.map((call) => wireCall(call, redact, habits));
  return {
    role: "assistant",
    content: thoughts.length > 0 ? [...thoughts, ...texts] : content,
    ...Object.fromEntries(fields.filter(([field]) => !habits.refused.has(field))),
    ...(always && { reasoning_content: redact(reasoning?.text ?? "") }),
    ...(calls.length > 0 && { tool_calls: made }),
  };
}

/** What a vendor wants back whole: a reply's reasoning and signatures hold for all of its calls. */
function isOneReply({ role: _, content, tool_calls = [], ...reasoning }: WireReply): boolean {
  return typeof content !== "string" || Object.keys(reasoning).length > 0 ||
    tool_calls.some(({ extra_content }) => extra_content !== undefined);
}

/** Templates of Llama 3.x and Nemotron refuse two calls a reply ("only supports single tool-calls at once"). */
function inSingleCalls(messages: readonly WireMessage[], partsAlways: boolean): WireMessage[] {
  const wire: WireMessage[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    const calls = message.role === "assistant" ? message.tool_calls ?? [] : [];
    const results = messages.slice(index + 1, index + 1 + calls.length);
    const inOrder = calls.every(({ id }, at) => {
      const result = results[at];
      return result?.role === "tool" && result.tool_call_id === id;
    });
    const parts = message.role === "assistant" && calls.length > 1 && inOrder &&
      (partsAlways || !isOneReply(message));
    if (!parts) {
      wire.push(message);
      continue;
    }
    calls.forEach((call, at) => {
      const bare = { role: "assistant", content: "" } as const;
      wire.push({ ...(at === 0 ? message : bare), tool_calls: [call] }, results[at]!);
    });
    index += results.length;
  }
  return wire;
}

/** Signs after the calls are parted: each reply of a turn is a step of its own then. */
function withSignatures(messages: readonly WireMessage[]): readonly WireMessage[] {
  return messages.map((message) =>
    message.role === "assistant" && message.tool_calls !== undefined
      ? { ...message, tool_calls: signed(message.tool_calls) }
      : message
  );
}

export function redactedTools(value: unknown, redact: Redact): unknown {
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
  let made = new WeakMap<Message, WireMessage>();
  let madeFor = NO_HABITS;
  const madeTools = new WeakMap<readonly unknown[], readonly unknown[]>();
  const once = (message: Message, habits: WireHabits) => {
    const known = made.get(message) ?? native(message, redact, habits);
    made.set(message, known);
    return known;
  };
  const toolsOnce = (tools: readonly unknown[]) => {
    const known = madeTools.get(tools) ?? tools.map((tool) => redactedTools(tool, redact));
    madeTools.set(tools, known);
    return known;
  };
  return {
    wire(
      { messages, tools }: ModelRequest,
      how: ModelProfile["tools"],
      habits: WireHabits = NO_HABITS,
    ): WireRequest {
      const safe = toolsOnce(tools);
      if (how === "text") return { messages: textMessages(messages, safe, redact) };
      if (habits !== madeFor) made = new WeakMap();
      madeFor = habits;
      const parted = inSingleCalls(
        messages.map((message) => once(message, habits)),
        habits.partsAlways,
      );
      return {
        messages: habits.signsAlways ? withSignatures(parted) : parted,
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
