/** What servers look for in a chat request. Each finder says what is wrong; a server words its own error from it. */

interface WireCall {
  readonly id?: unknown;
  readonly type?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
}

export interface WireMessage {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: readonly WireCall[] | null;
  readonly tool_call_id?: unknown;
  readonly [field: string]: unknown;
}

export const isJsonBody = (headers: Headers): boolean =>
  /^application\/json\b/i.test(headers.get("content-type") ?? "");

/** The first field that is not among the known ones. */
export function unknownField(value: object, known: readonly string[]): string | undefined {
  return Object.keys(value).find((field) => !known.includes(field));
}

export interface OrderFault {
  /** Index of the message at fault. */
  readonly at: number;
  readonly kind: "unanswered" | "orphan" | "twice";
  readonly id: string;
}

/** Each call has its result right behind the message that made it, and each result has its call. */
export function resultOrder(messages: readonly WireMessage[]): OrderFault | undefined {
  let open: string[] = [];
  const seen = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      const id = String(message.tool_call_id);
      if (!open.includes(id)) return { at, kind: "orphan", id };
      open = open.filter((one) => one !== id);
      continue;
    }
    if (open.length > 0) return { at, kind: "unanswered", id: open[0]! };
    for (const call of message.tool_calls ?? []) {
      const id = String(call.id);
      if (seen.has(id)) return { at, kind: "twice", id };
      seen.add(id);
      open.push(id);
    }
  }
  return open.length > 0 ? { at: messages.length, kind: "unanswered", id: open[0]! } : undefined;
}

export interface CallFault {
  readonly at: number;
  readonly call: WireCall;
  readonly text: string;
}

/** The first call whose arguments are no JSON object in a text: chat templates parse them. */
export function badArguments(messages: readonly WireMessage[]): CallFault | undefined {
  for (const [at, { tool_calls }] of messages.entries()) {
    for (const call of tool_calls ?? []) {
      const text = call.function?.arguments;
      try {
        const value = JSON.parse(text as string);
        if (typeof value === "object" && value !== null && !Array.isArray(value)) continue;
      } catch {
        // reported below
      }
      return { at, call, text: String(text) };
    }
  }
}

/** The first message that a template with strict roles refuses, and why. */
export function roleFault(messages: readonly WireMessage[]): string | undefined {
  for (const [at, { role }] of messages.entries()) {
    if (role === "system" && at > 0) return "System message must be at the beginning.";
    const before = messages[at - 1]?.role;
    const afterUser = role === "user" && before === "user";
    const afterTool = role === "user" && before === "tool";
    if (afterUser || afterTool || (role === "assistant" && before === "assistant")) {
      return "Conversation roles must alternate user/assistant/user/assistant/...";
    }
  }
}

/** Templates of Llama 3.x and Nemotron take one call a message, in these words. */
export function severalCalls(messages: readonly WireMessage[]): string | undefined {
  return messages.some(({ tool_calls }) => (tool_calls?.length ?? 0) > 1)
    ? "This model only supports single tool-calls at once!"
    : undefined;
}

/** OpenAI's pattern of function names (platform.openai.com/docs/api-reference/chat/create). */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

interface WireTool {
  readonly function?: { readonly name?: unknown };
}

export function badToolName(tools: readonly WireTool[] = []): string | undefined {
  return tools.map((tool) => String(tool.function?.name)).find((name) => !TOOL_NAME.test(name));
}

/** The first message with neither words nor calls. */
export function emptyMessage(messages: readonly WireMessage[]): number | undefined {
  const at = messages.findIndex(({ role, content, tool_calls }) =>
    role === "assistant" && !content && !tool_calls?.length
  );
  return at === -1 ? undefined : at;
}
