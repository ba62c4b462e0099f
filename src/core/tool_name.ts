/** Finds the name of a known tool in what a model wrote as one. */
import { withoutEnding } from "./text_ends.ts";

/** `functions.` is OpenAI's namespace, also written by Kimi K2; `default_api.` is Gemini's and Gemma's. */
const NAMESPACE = /^(?:functions?|tools?|default_api)[.:/]/;

/** gpt-oss leaks "file_read<|channel|>commentary" into names (vLLM PR 35906). */
const CHANNEL = /<\|[\s\S]*$/;

/** Kimi K2 numbers its calls: "functions.file_read:0" (its docs/tool_call_guidance.md). */
const CALL_NUMBER = /:\d+$/;

/** An exact name comes first, so that a tool may itself be called "functions.x". */
export function knownToolName(
  written: string,
  known: { has(name: string): boolean },
): string | undefined {
  const name = written.trim();
  if (known.has(name)) return name;
  const bare = withoutEnding(name.replace(CHANNEL, "").replace(/^[`"'*[]+/, ""), "`\"'*]").trim()
    .replace(NAMESPACE, "").replace(CALL_NUMBER, "");
  return known.has(bare) ? bare : undefined;
}
