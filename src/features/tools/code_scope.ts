/** What the code tools share: the code of the session's work tree, and how a position in it is written. */
import { TOOL_LINE_CHARS } from "svc/core/bounds.ts";
import { plainText } from "svc/core/plain_text.ts";
import type { Redact } from "svc/core/redact.ts";
import { shortened } from "svc/core/shortened.ts";
import type { CodeScope } from "svc/features/code_intel/code_file.ts";
import { grepShowable } from "./credential_files.ts";
import { isReadable } from "./path_arg.ts";
import type { CallContext, ToolSession } from "./tool.ts";

export function codeScope(
  session: ToolSession,
  { signal }: CallContext,
): CodeScope {
  const { tree: { git, folder }, parsers } = session;
  const grep: CodeScope["git"]["grep"] = (query) => grepShowable(session, query);
  return { git: { ...git, grep }, folder, parsers, signal, allowed: isReadable };
}

/** `12-20`, or `12`. */
export const lines = ({ line, endLine }: { readonly line: number; readonly endLine: number }) =>
  endLine > line ? `${line}-${endLine}` : `${line}`;

/** Cut after redaction: half of a secret is not known as one. */
export function shortLine(line: string, redact: Redact, mark?: string): string {
  return line.length <= TOOL_LINE_CHARS
    ? line
    : shortened(redact(plainText(line)), TOOL_LINE_CHARS, mark);
}
