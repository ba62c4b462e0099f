/** Shorter forms of a conversation. Pure: calls and their results stay together, the task stays first. */
import { shortened } from "svc/core/shortened.ts";
import type { Message } from "svc/features/models/client/model.ts";
import { FIXED_MESSAGES, joined } from "./conversation.ts";
import { CALLS_INTRO, MASKED_NOTE, NO_SUMMARY, RULES_AGAIN, stub, SUMMARY_INTRO } from "./says.ts";

const COMPACT_STUB_CHARS = 240;

const COMPACT_LISTED_CALLS = 40;

const ARGS_CHARS = 120;

export function stubbed(messages: readonly Message[], from: number): Message[] {
  const names = new Map<string, string>();
  return messages.map((message, index) => {
    if (message.role === "assistant") {
      for (const { id, name } of message.calls) names.set(id, name);
    }
    if (message.role !== "tool" || index >= from || message.text.length <= COMPACT_STUB_CHARS) {
      return message;
    }
    return { ...message, text: stub(names.get(message.callId) ?? "a tool", message.text) };
  });
}

export function masked(
  messages: readonly Message[],
  { from, rules, told = [] }: {
    readonly from: number;
    readonly rules: string;
    /** Notes of a person, which the left-out outputs may have contained. */
    readonly told?: readonly string[];
  },
): Message[] {
  const left = stubbed(messages, from);
  const text = [`${MASKED_NOTE}\n${rules}`, ...missing(left, told)].join("\n\n");
  return joined(left, [{ role: "user", text }]);
}

const missing = (messages: readonly Message[], told: readonly string[]) =>
  told.filter((text) => !messages.some((message) => message.text.includes(text)));

export function summarised(messages: readonly Message[], parts: {
  readonly from: number;
  readonly task: string;
  readonly summary: string;
  readonly rules: string;
  readonly told?: readonly string[];
}): Message[] {
  const { from, task, summary, rules, told = [] } = parts;
  const kept = messages.slice(from);
  const text = [
    task,
    summary === "" ? NO_SUMMARY : `${SUMMARY_INTRO}\n${summary}`,
    `${CALLS_INTRO}\n${listedCalls(messages.slice(FIXED_MESSAGES, from)).join("\n")}`,
    `${RULES_AGAIN}\n${rules}`,
    ...missing(kept, told),
  ].join("\n\n");
  return [messages[0]!, { role: "user", text }, ...kept];
}

/** Lists the calls, one line each, since a summary must not get them wrong. */
function listedCalls(messages: readonly Message[]): string[] {
  const lines = messages.flatMap((message) =>
    message.role === "assistant"
      ? message.calls.map(({ name, args }) =>
        `- ${name} ${shortened(args.replaceAll(/\s+/g, " "), ARGS_CHARS)}`
      )
      : []
  );
  const shown = lines.slice(-COMPACT_LISTED_CALLS);
  return shown.length === lines.length
    ? lines
    : [`- ${lines.length - shown.length} more`, ...shown];
}

export function fitted(
  messages: readonly Message[],
  fits: (messages: readonly Message[]) => boolean,
): readonly Message[] {
  const starts = messages.flatMap(({ role }, index) => role === "assistant" ? [index] : []);
  const head = messages.slice(0, FIXED_MESSAGES);
  for (const start of [FIXED_MESSAGES, ...starts, messages.length]) {
    const rest = [...head, ...messages.slice(start)];
    if (fits(rest)) return rest;
  }
  return head;
}
