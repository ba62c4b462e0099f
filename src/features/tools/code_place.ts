/** What the code tools share: the session's repo as code is looked at, and how a place is written. */
import { TOOL_LINE_CHARS } from "svc/core/bounds.ts";
import type { CodePlace } from "svc/features/code_intel/code_place.ts";
import { isReadable } from "./path_arg.ts";
import type { CallContext, Workplace } from "./tool.ts";

export function codePlace(
  { repo, folder, parsers }: Workplace,
  { signal }: CallContext,
): CodePlace {
  return { repo, folder, parsers, signal, allowed: isReadable };
}

/** `12-20`, or `12`. */
export const lines = ({ line, endLine }: { readonly line: number; readonly endLine: number }) =>
  endLine > line ? `${line}-${endLine}` : `${line}`;

/** A line of source without its indent; a long one loses its end. */
export function shortLine(text: string): string {
  const plain = text.trim();
  return plain.length > TOOL_LINE_CHARS ? `${plain.slice(0, TOOL_LINE_CHARS)}…` : plain;
}
