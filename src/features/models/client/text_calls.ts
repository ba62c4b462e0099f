/** Finds tool calls in a model's text: for small models, and servers that leak what they should parse. */
import {
  jsonCalls,
  type OfferedTools,
  TAG_FORMATS,
  tagFormatAt,
  type TextCall,
  trailingCalls,
} from "./text_call_formats.ts";
import { definitionsOf } from "./text_tools.ts";

interface TextCalls {
  readonly calls: readonly TextCall[];
  readonly text: string;
}

interface TextPiece {
  readonly kind: "text" | "tagged" | "fence" | "quote";
  readonly source: string;
  readonly lead: string;
  readonly inner: string;
  readonly label: string;
}

const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([\w-]*)[^\n]*$/;
/** An opening tag that is not in a quoted line and not right behind a quotation mark. */
const TAG = new RegExp(
  `^(?![ \\t]*>)(?:|.*?[^\`"'\\\\])(?=(${
    TAG_FORMATS.map(({ pattern }) => pattern).join("|")
  })\\s*(?:[{[<]|[\\w.-]|$))`,
);
const RESULT = /^[ \t]*<tool_result\b/;

function after(lines: readonly string[], at: number, ends: (line: string) => boolean): number {
  for (let n = at; n < lines.length; n++) if (ends(lines[n]!)) return n + 1;
  return lines.length;
}

function pieceAt(lines: readonly string[], at: number): TextPiece & { readonly end: number } {
  const line = lines[at]!;
  const [, marks, label = ""] = FENCE.exec(line) ?? [];
  const piece = (kind: TextPiece["kind"], end: number, inner = "", lead = "") => {
    return { kind, end, inner, lead, label, source: lines.slice(at, end).join("\n") };
  };
  if (marks !== undefined) {
    const closes = (other: string) => other.trim().startsWith(marks);
    const end = after(lines, at + 1, closes);
    const closed = end > at + 1 && closes(lines[end - 1]!);
    const inner = lines.slice(at + 1, closed ? end - 1 : end).join("\n");
    const forCalls = /^(?:json|xml|tool_?call|tool_code|)$/i.test(label);
    return piece(forCalls ? "fence" : "quote", end, inner);
  }
  if (RESULT.test(line)) {
    return piece(
      "quote",
      after(lines, at, (l) => l.includes("</tool_result>")),
    );
  }
  const [lead, tag] = TAG.exec(line) ?? [];
  if (lead === undefined || tag === undefined) return piece("text", at + 1);
  const { closing } = tagFormatAt(tag)!;
  const end = after(lines, at, (other) => other.includes(closing));
  return piece("tagged", end, lines.slice(at, end).join("\n").slice(lead.length).trim(), lead);
}

function piecesOf(text: string): TextPiece[] {
  const lines = text.split("\n");
  const pieces: TextPiece[] = [];
  for (let at = 0; at < lines.length;) {
    const piece = pieceAt(lines, at);
    pieces.push(piece);
    at = piece.end;
  }
  return pieces;
}

/** The calls of a fenced block that holds nothing else; tags in one without a label are an example. */
function fencedCalls(
  { kind, inner, label }: TextPiece,
  offered: OfferedTools,
): readonly TextCall[] {
  if (kind !== "fence") return [];
  const text = inner.trim();
  const format = label === "" ? undefined : tagFormatAt(text);
  return format === undefined ? jsonCalls(text, offered) : format.read(text, offered);
}

/** Fenced calls and bare JSON count only at the end of the reply: elsewhere they may be a quoted file. */
export function readTextCalls(text: string, tools: readonly unknown[]): TextCalls {
  const offered: OfferedTools = new Map(definitionsOf(tools).map((tool) => [tool.name, tool]));
  if (offered.size === 0) return { calls: [], text };
  const pieces = piecesOf(text);
  const read = pieces.map(({ kind, inner }) =>
    kind === "tagged" ? tagFormatAt(inner)!.read(inner, offered) : []
  );
  const isCall = (at: number) => read[at]!.length > 0;
  const fenced = pieces.map((piece) => fencedCalls(piece, offered));
  // Words may stand between fenced calls when every block of the reply is one: none is an example then.
  const nothingElse = pieces.every(({ kind }, at) =>
    kind === "text" || kind === "tagged" || fenced[at]!.length > 0
  );
  let ended = false;
  for (let at = pieces.length - 1; at >= 0; at--) {
    const piece = pieces[at]!;
    if (isCall(at) || piece.source.trim() === "") continue;
    if (piece.kind === "fence") read[at] = [...fenced[at]!];
    if (isCall(at)) ended = true;
    else if (!ended || !nothingElse) break;
  }
  if (read.some((calls) => calls.length > 0)) {
    const left = pieces.map(({ source, lead }, at) => isCall(at) ? lead : source);
    return { calls: read.flat(), text: left.join("\n").trim() };
  }
  const last = pieces.findLastIndex(({ kind }) => kind !== "text");
  const sourceOf = (some: readonly TextPiece[]) => some.map(({ source }) => source).join("\n");
  const before = sourceOf(pieces.slice(0, last + 1));
  const { calls, rest } = trailingCalls(sourceOf(pieces.slice(last + 1)), offered);
  if (calls.length === 0) return { calls: [], text };
  return { calls, text: `${before}\n${rest}`.trim() };
}
