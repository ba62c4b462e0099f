/** Token counts: the server's own, or an estimate of four characters a token. */
import type { Usage } from "./model.ts";
import type { WireRequest } from "./messages.ts";

/** Tokens of a prompt below which its count does not tell whether it was cut. */
const MODEL_TRUNCATION_TOKENS = 512;

/** Usual for English text and code (OpenAI's help page says the same). */
const CHARS_A_TOKEN = 4;

/** Tokens that a message takes beside its text, for its role and marks. */
const TOKENS_A_MESSAGE = 4;

/** Share of the estimate below which the server has not read the whole prompt. */
const TRUNCATED_BELOW = 0.6;

/** Characters in runs of one character (indentation, rules of dashes) take hardly any tokens. */
function denseChars(text: string): number {
  let saved = 0;
  for (const [run] of text.matchAll(/(\s)\1{2,}|([-=_*#.~])\2{3,}/g)) saved += run.length - 1;
  return text.length - saved;
}

/** @param dense counts runs as one character: a lower bound, to compare with what a server counted */
export function promptTokens({ messages, tools }: WireRequest, dense = false): number {
  const charsOf = (text: string) => dense ? denseChars(text) : text.length;
  let chars = tools === undefined ? 0 : JSON.stringify(tools).length;
  for (const message of messages) {
    chars += charsOf(message.content);
    if (message.role !== "assistant") continue;
    for (const { function: { name, arguments: args } } of message.tool_calls ?? []) {
      chars += name.length + charsOf(args);
    }
  }
  return Math.ceil(chars / CHARS_A_TOKEN) + messages.length * TOKENS_A_MESSAGE;
}

export function estimatedUsage(wire: WireRequest, chars: number): Usage {
  const tokensOut = Math.ceil(chars / CHARS_A_TOKEN);
  return { tokensIn: promptTokens(wire), tokensOut, estimated: true };
}

export function reportedUsage(value: unknown): Usage | undefined {
  const usage = value as { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown };
  const [tokensIn, tokensOut] = [usage?.prompt_tokens, usage?.completion_tokens];
  if (!Number.isSafeInteger(tokensIn) || (tokensIn as number) <= 0) return undefined;
  const out = Number.isSafeInteger(tokensOut) ? Math.max(0, tokensOut as number) : 0;
  return { tokensIn: tokensIn as number, tokensOut: out, estimated: false };
}

/** Some local servers silently cut at their window. Ignores tool schemas, which templates shorten. */
export function looksTruncated(wire: WireRequest, usage: Usage): boolean {
  if (usage.estimated) return false;
  const estimate = promptTokens({ messages: wire.messages }, true);
  return estimate >= MODEL_TRUNCATION_TOKENS && usage.tokensIn < TRUNCATED_BELOW * estimate;
}
