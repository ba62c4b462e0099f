/** A run's messages, a list that only grows at its end, and the size of the prompt that they make. */
import { TOKEN_CHARS } from "svc/core/bounds.ts";
import type { Message, Usage } from "svc/features/models/client/model.ts";
import { withNote } from "svc/features/models/client/note.ts";
import { reasoningChars } from "svc/features/models/client/reasoning.ts";

/** The system prompt and the task: no compaction frees them. */
export const FIXED_MESSAGES = 2;

const FRAME_CHARS = 16;

/** Templates of Command-R, Mistral and Devstral refuse a user message after another ("roles must alternate"). */
export function joined(messages: readonly Message[], added: readonly Message[]): Message[] {
  const all = [...messages];
  for (const message of added) {
    const last = all.at(-1);
    if (message.role === "user" && last?.role === "user") {
      all[all.length - 1] = { role: "user", text: `${last.text}\n\n${message.text}` };
    } else if (message.role === "user" && last?.role === "tool") {
      all[all.length - 1] = { ...last, text: withNote(last.text, message.text) };
    } else all.push(message);
  }
  return all;
}

export function charsOf(message: Message): number {
  if (message.role !== "assistant") return message.text.length + FRAME_CHARS;
  const { text, calls, reasoning } = message;
  const called = calls.reduce(
    (sum, { name, args, extra }) =>
      sum + name.length + args.length + (extra === undefined ? 0 : JSON.stringify(extra).length),
    0,
  );
  const thought = reasoning === undefined ? 0 : reasoningChars(reasoning);
  return text.length + called + thought + FRAME_CHARS * (1 + calls.length);
}

export function totalChars(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + charsOf(message), 0);
}

/** The tail has at most `chars` characters and starts with a reply: no call is parted from its results. */
export function newestFrom(messages: readonly Message[], chars: number): number {
  let from = messages.length;
  let size = 0;
  for (let index = messages.length - 1; index >= FIXED_MESSAGES; index--) {
    size += charsOf(messages[index]!);
    if (size > chars) break;
    if (messages[index]!.role === "assistant") from = index;
  }
  return from;
}

export function lastTurn(messages: readonly Message[]): number {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return last === -1 ? messages.length : last;
}

/** By how much the tokens per character of new text may exceed those of earlier text: code against prose. */
const DENSER = 1.5;

/** Tokens that a chat template, and svc's own words on tools in text, add to a prompt not yet counted. */
const UNCOUNTED = { chars: 0, tokens: 256 };

export class TokenScale {
  #tokensPerChar = 1 / TOKEN_CHARS;
  #counted = UNCOUNTED;

  tokens(chars: number): number {
    return Math.ceil(chars * this.#tokensPerChar);
  }

  /** An upper bound: the server's last count, plus everything since at the highest expected density. */
  atMost(chars: number): number {
    const known = chars >= this.#counted.chars ? this.#counted : UNCOUNTED;
    return known.tokens + Math.ceil((chars - known.chars) * this.#tokensPerChar * DENSER);
  }

  chars(tokens: number): number {
    return Math.floor(tokens / this.#tokensPerChar);
  }

  /** Ignores an implausible count, such as one of uncached tokens only. */
  learn(chars: number, usage: Usage): void {
    if (usage.estimated || chars === 0) return;
    const counted = usage.tokensIn / chars;
    if (counted < 1 / 8 || counted > 2) return;
    this.#tokensPerChar = counted;
    this.#counted = { chars, tokens: usage.tokensIn };
  }
}
