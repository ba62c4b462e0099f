/** Messages as they may leave svc: redacted, with ids that vendors accept, and sealed items of this model alone. */
import { type Redact, redactedJson } from "svc/core/redact.ts";
import { redactedTools, safeCall } from "svc/features/models/client/messages.ts";
import type { Message, Reasoning } from "svc/features/models/client/model.ts";
import { isClean } from "svc/features/models/client/reasoning.ts";
import { definitionsOf, type TextToolDefinition } from "svc/features/models/client/text_tools.ts";
import type { AssistantMessage } from "./reply_order.ts";

/** Anthropic's pattern, and OpenAI's length: "Expected a string with maximum length 64" (openai/codex#14355). */
const CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/;

interface Cleaner {
  /** The same object for the same message, so that the prompt's bytes stay. */
  message(message: Message): Message;
  tools(tools: readonly unknown[]): readonly TextToolDefinition[];
  /** The vendor could not read what these messages hold. True when there was any to leave out from now on. */
  unseal(messages: readonly Message[]): boolean;
}

/** Redaction would break a signature: an item that it changes is left out. */
function sealedItems(
  { items = [], ...rest }: Reasoning,
  redact: Redact,
): Reasoning {
  const kept = items.flatMap((item): unknown[] => {
    if (isClean(item, redact)) return [item];
    const place = (item as { readonly place?: unknown } | null)?.place;
    return place === undefined ? [] : [JSON.parse(redactedJson(item, redact))];
  });
  return { ...rest, items: kept };
}

export function cleaner(redact: Redact, madeBy: string): Cleaner {
  const made = new WeakMap<Message, Message>();
  const madeTools = new WeakMap<readonly unknown[], readonly TextToolDefinition[]>();
  const unreadable = new WeakSet<Message>();
  const ids = new Map<string, string>();

  function idOf(id: string): string {
    if (CALL_ID.test(id)) return id;
    const known = ids.get(id) ?? `svc_call_${ids.size + 1}`;
    ids.set(id, known);
    return known;
  }

  function assistant(message: AssistantMessage): AssistantMessage {
    const { calls, reasoning } = message;
    const kept = reasoning?.madeBy === madeBy && !unreadable.has(message);
    return {
      role: "assistant",
      text: redact(message.text),
      calls: calls.map((call) => {
        const { name, arguments: args } = safeCall(call, redact);
        return { id: idOf(call.id), name, args };
      }),
      ...(kept && { reasoning: sealedItems(reasoning, redact) }),
    };
  }

  function clean(message: Message): Message {
    if (message.role === "assistant") return assistant(message);
    const text = redact(message.text);
    return message.role === "tool"
      ? { role: "tool", callId: idOf(message.callId), text }
      : { role: message.role, text };
  }

  return {
    message(message) {
      const known = made.get(message) ?? clean(message);
      made.set(message, known);
      return known;
    },
    tools(tools) {
      const known = madeTools.get(tools) ??
        definitionsOf(tools.map((tool) => redactedTools(tool, redact)));
      madeTools.set(tools, known);
      return known;
    },
    unseal(messages) {
      const sealed = messages.filter((message) =>
        message.role === "assistant" && message.reasoning?.madeBy === madeBy &&
        !unreadable.has(message)
      );
      for (const message of sealed) {
        unreadable.add(message);
        made.delete(message);
      }
      return sealed.length > 0;
    },
  };
}
