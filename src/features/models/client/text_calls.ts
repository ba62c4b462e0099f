/** Reads tool calls out of a model's text: small models, and servers that leak what they should parse. */
import { definitionsOf, type ToolDefinition } from "./text_tools.ts";

export interface TextCall {
  readonly name: string;
  /** JSON text; as the model wrote it where it is broken. */
  readonly args: string;
}

export interface TextCalls {
  readonly calls: readonly TextCall[];
  /** What is left when the calls are taken out. */
  readonly text: string;
}

type Offered = ReadonlyMap<string, ToolDefinition>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // what a model wrote by hand
  }
}

function offeredName(value: unknown, offered: Offered): string | undefined {
  if (typeof value !== "string") return undefined;
  const name = value.trim().replace(/^functions?\./, "");
  return offered.has(name) ? name : undefined;
}

function argsText(value: unknown): string {
  if (value === undefined || value === null) return "{}";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** `{"name", "arguments"}`, `{"name", "parameters"}`, or either inside `{"function": …}`. */
function callOf(value: unknown, offered: Offered): TextCall | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const outer = value as Record<string, unknown>;
  const inner = outer["function"];
  const from = typeof inner === "object" && inner !== null
    ? inner as Record<string, unknown>
    : outer;
  const name = offeredName(from["name"] ?? from["tool"] ?? inner, offered);
  if (name === undefined) return undefined;
  const keys = ["arguments", "parameters", "args", "input"];
  const key = keys.find((key) => key in from) ?? keys.find((key) => key in outer);
  // A tool without arguments is told from any object with a name by its tags alone.
  if (key === undefined) return undefined;
  return { name, args: argsText(key in from ? from[key] : outer[key]) };
}

/** One call or a list of nothing but calls, which may stand in `{"tool_calls": …}`. */
function callsOf(value: unknown, offered: Offered): TextCall[] {
  const named = (value as { tool_calls?: unknown } | null | undefined)?.tool_calls;
  const inner = Array.isArray(named) ? named : value;
  const list = Array.isArray(inner) ? inner : [inner];
  const calls = list.map((item) => callOf(item, offered));
  return calls.every((call) => call !== undefined) ? calls : [];
}

/** Type that a tool's schema gives a parameter. */
function typeIn(parameters: unknown, key: string): unknown {
  const { properties } = (parameters ?? {}) as { properties?: Record<string, { type?: unknown }> };
  return properties !== undefined && Object.hasOwn(properties, key)
    ? properties[key]?.type
    : undefined;
}

const FUNCTION = /^<function=["']?([\w.-]+)["']?>([\s\S]*?)(?:<\/function>|$)/;
const PARAMETER = /<parameter=["']?([\w.-]+)["']?>([\s\S]*?)(?:<\/parameter>|(?=<parameter=)|$)/g;

/**
 * `<function=name><parameter=key>value</parameter></function>`, where values are bare text, or
 * `<function=name>{"key": …}</function>`.
 */
function functionCall(text: string, offered: Offered): TextCall | undefined {
  const [, written, body = ""] = FUNCTION.exec(text) ?? [];
  const name = offeredName(written, offered);
  if (name === undefined) return undefined;
  if (body.trimStart().startsWith("{")) {
    return { name, args: argsText(parsed(body) ?? body.trim()) };
  }
  const { parameters } = offered.get(name)!;
  const args: Record<string, unknown> = Object.create(null);
  for (const [, key, bare = ""] of body.matchAll(PARAMETER)) {
    const value = bare.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
    const isText = typeIn(parameters, key!) === "string";
    args[key!] = isText ? value : parsed(value) ?? value;
  }
  return { name, args: JSON.stringify(args) };
}

const BROKEN_NAME = /["']?name["']?\s*:\s*["']([\w.-]+)["']/;

/** What stands between `<tool_call>` tags. A broken call is still one: its error goes back to the model. */
function taggedCalls(inner: string, offered: Offered): TextCall[] {
  const text = inner.trim();
  if (text.startsWith("<function=")) {
    const call = functionCall(text, offered);
    return call === undefined ? [] : [call];
  }
  const value = parsed(text);
  if (value !== undefined) {
    const bare = offeredName((value as { name?: unknown } | null)?.name, offered);
    const calls = callsOf(value, offered);
    return calls.length === 0 && bare !== undefined ? [{ name: bare, args: "{}" }] : calls;
  }
  const name = offeredName(BROKEN_NAME.exec(text)?.[1], offered);
  return name === undefined ? [] : [{ name, args: text }];
}

interface Piece {
  readonly kind: "text" | "tagged" | "fence" | "quote";
  readonly source: string;
  /** Before the tags on their line. */
  readonly lead: string;
  /** Between the tags or fences. */
  readonly inner: string;
  /** Of a fenced block, such as "json". */
  readonly label: string;
}

const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([\w-]*)[^\n]*$/;
/** Not in a quoted line, and not right behind a quotation mark. */
const TAG = /^(?![ \t]*>)(?:|.*?[^`"'\\])(?=(<tool_call>|<function=[\w.-])\s*(?:[{[<]|[\w.-]|$))/;
const RESULT = /^[ \t]*<tool_result\b/;

/** The line after the first one from `at` on that `ends`, or the end. */
function after(lines: readonly string[], at: number, ends: (line: string) => boolean): number {
  for (let n = at; n < lines.length; n++) if (ends(lines[n]!)) return n + 1;
  return lines.length;
}

function pieceAt(lines: readonly string[], at: number): Piece & { readonly end: number } {
  const line = lines[at]!;
  const [, marks, label = ""] = FENCE.exec(line) ?? [];
  const piece = (kind: Piece["kind"], end: number, inner = "", lead = "") => {
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
  const close = tag === "<tool_call>" ? "</tool_call>" : "</function>";
  const end = after(lines, at, (other) => other.includes(close));
  return piece("tagged", end, lines.slice(at, end).join("\n").slice(lead.length).trim(), lead);
}

/** Cuts a reply into calls between tags, fenced blocks, quoted results and the text between them. */
function piecesOf(text: string): Piece[] {
  const lines = text.split("\n");
  const pieces: Piece[] = [];
  for (let at = 0; at < lines.length;) {
    const piece = pieceAt(lines, at);
    pieces.push(piece);
    at = piece.end;
  }
  return pieces;
}

const BETWEEN_TAGS = /<tool_call>([\s\S]*?)(?:<\/tool_call>|(?=<tool_call>)|$)/g;

function callsBetweenTags(inner: string, offered: Offered): TextCall[] {
  if (inner.startsWith("<function=")) return taggedCalls(inner, offered);
  return [...inner.matchAll(BETWEEN_TAGS)].flatMap(([, one]) => taggedCalls(one!, offered));
}

/** Where the JSON object or list that begins at `from` ends; undefined when it does not. */
function jsonEnd(text: string, from: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (quoted) {
      if (char === "\\") at++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return at + 1;
  }
  return undefined;
}

const BETWEEN_JSON = /[\s,;]*/y;

/** JSON objects or lists, one after the other, and nothing else: else none of them is a call. */
function bareCalls(text: string, offered: Offered): TextCall[] {
  const all: TextCall[] = [];
  for (let at = 0; at < text.length;) {
    const end = jsonEnd(text, at);
    const calls = end === undefined ? [] : callsOf(parsed(text.slice(at, end)), offered);
    if (calls.length === 0) return [];
    all.push(...calls);
    BETWEEN_JSON.lastIndex = end!;
    BETWEEN_JSON.exec(text);
    at = BETWEEN_JSON.lastIndex;
  }
  return all;
}

/** Of a fenced block that is nothing but calls; tags in one without a label are an example. */
function fencedCalls({ kind, inner, label }: Piece, offered: Offered): TextCall[] {
  if (kind !== "fence") return [];
  const text = inner.trim();
  const tagged = label !== "" && /^<(?:tool_call>|function=)/.test(text);
  return tagged ? callsBetweenTags(text, offered) : bareCalls(text, offered);
}

/** More starts than this is prose with brackets, and each one is parsed. */
const JSON_STARTS = 8;

/** What Mistral's and Llama's models write before their calls, where a server does not take it away. */
const MARK = /^(?:\[TOOL_CALLS\]|<\|python_tag\|>)\s*/;

/** Where the JSON at the end of a text begins: the first line that starts with `{` or `[` and fits. */
function trailingCalls(text: string, offered: Offered): { calls: TextCall[]; rest: string } {
  let starts = 0;
  for (const { index } of text.matchAll(/^[ \t]*(?:[[{]|<\|python_tag\|>)/gm)) {
    if (++starts > JSON_STARTS) break;
    const json = text.slice(index).trim().replace(MARK, "");
    const calls = bareCalls(json, offered);
    if (calls.length > 0) return { calls, rest: text.slice(0, index) };
  }
  return { calls: [], rest: text };
}

/**
 * Calls between `<tool_call>` or `<function=…>` tags that begin a line are read anywhere, except in a
 * fenced block or a quoted result. Fenced calls and bare JSON are read only where the reply ends with
 * them, for there they are an act; elsewhere they may be a file that the model quotes.
 * @param tools definitions that were offered; other names are text
 */
export function readTextCalls(text: string, tools: readonly unknown[]): TextCalls {
  const offered: Offered = new Map(definitionsOf(tools).map((tool) => [tool.name, tool]));
  if (offered.size === 0) return { calls: [], text };
  const pieces = piecesOf(text);
  const read = pieces.map((piece) =>
    piece.kind === "tagged" ? callsBetweenTags(piece.inner, offered) : []
  );
  const isCall = (at: number) => read[at]!.length > 0;
  const fenced = pieces.map((piece) => fencedCalls(piece, offered));
  // With words between them too, when each block of the reply is one: none is an example then.
  const nothingElse = pieces.every(({ kind }, at) =>
    kind === "text" || kind === "tagged" || fenced[at]!.length > 0
  );
  // From the end on, as long as there is nothing but calls.
  let ended = false;
  for (let at = pieces.length - 1; at >= 0; at--) {
    const piece = pieces[at]!;
    if (isCall(at) || piece.source.trim() === "") continue;
    if (piece.kind === "fence") read[at] = fenced[at]!;
    if (isCall(at)) ended = true;
    else if (!ended || !nothingElse) break;
  }
  if (read.some((calls) => calls.length > 0)) {
    const left = pieces.map(({ source, lead }, at) => isCall(at) ? lead : source);
    return { calls: read.flat(), text: left.join("\n").trim() };
  }
  const last = pieces.findLastIndex(({ kind }) => kind !== "text");
  const sourceOf = (some: readonly Piece[]) => some.map(({ source }) => source).join("\n");
  const before = sourceOf(pieces.slice(0, last + 1));
  const { calls, rest } = trailingCalls(sourceOf(pieces.slice(last + 1)), offered);
  if (calls.length === 0) return { calls: [], text };
  return { calls, text: `${before}\n${rest}`.trim() };
}
