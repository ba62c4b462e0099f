/** Quotes a text that is not svc's own in a prompt, so that nothing in it can end the quotation. */
import { withoutEnding } from "svc/core/text_ends.ts";
import { plainText } from "svc/core/plain_text.ts";

/** Reordering marks, and characters that a reader does not see but a model reads. */
const UNSEEN = /[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/**
 * Servers obey the turn marks of Llama, Qwen, Gemma, Mistral, DeepSeek (with U+FF5C), Nemotron, Seed and MiniMax wherever
 * they stand, and Qwen's end of a tool's answer makes what follows the user's word; a space in them ends that.
 */
const TURN_MARKS =
  /(?:<(?=[|\uff5c]|\/?s>|(?:start|end)_of_turn>|[be]os>|\/?tool_(?:call|response)>|seed:|extra_id_|SPECIAL_)|\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|e~\[)|\](?=~!?b[\][]))/g;

/** Fences the text with one backtick more than it has anywhere in a row: the same text, the same fence. */
export function fenced(text: string): string {
  const clean = plainText(text).replaceAll(UNSEEN, "").replaceAll(TURN_MARKS, "$& ").trimEnd();
  const runs = clean.match(/`+/g) ?? [];
  const fence = "`".repeat(runs.reduce((most, run) => Math.max(most, run.length + 1), 3));
  return `${fence}text\n${clean}\n${fence}`;
}

export function firstLines(
  text: string,
  maxBytes: number,
): { readonly text: string; readonly cutBytes: number } {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return { text, cutBytes: 0 };
  // Drops a character that was cut in two.
  const head = withoutEnding(new TextDecoder().decode(bytes.subarray(0, maxBytes)), "\ufffd");
  const kept = head.slice(0, head.lastIndexOf("\n") + 1) || head;
  return { text: kept, cutBytes: bytes.length - new TextEncoder().encode(kept).length };
}
