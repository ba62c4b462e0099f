/** How models write tool calls in their text: a list of tag formats, a list of marks, and JSON. */
import { knownToolName } from "svc/core/tool_name.ts";
import type { TextToolDefinition } from "./text_tools.ts";

export interface TextCall {
  readonly name: string;
  /** JSON text; as the model wrote it where it is broken. */
  readonly args: string;
}

/** Definitions that were offered to the model, by name; a call of any other name is text. */
export type OfferedTools = ReadonlyMap<string, TextToolDefinition>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a model wrote it by hand
  }
}

function offeredName(value: unknown, offered: OfferedTools): string | undefined {
  return typeof value === "string" ? knownToolName(value, offered) : undefined;
}

function argsText(value: unknown): string {
  if (value === undefined || value === null) return "{}";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** `{"name", "arguments"}`, `{"name", "parameters"}`, or either inside `{"function": …}`. */
function callOf(value: unknown, offered: OfferedTools): TextCall | undefined {
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
  // Without arguments only tags could tell a call from any object with a name.
  if (key === undefined) return undefined;
  return { name, args: argsText(key in from ? from[key] : outer[key]) };
}

function callsOf(value: unknown, offered: OfferedTools): TextCall[] {
  const named = (value as { tool_calls?: unknown } | null | undefined)?.tool_calls;
  const inner = Array.isArray(named) ? named : value;
  const list = Array.isArray(inner) ? inner : [inner];
  const calls = list.map((item) => callOf(item, offered));
  return calls.every((call) => call !== undefined) ? calls : [];
}

function typeIn(parameters: unknown, key: string): unknown {
  const { properties } = (parameters ?? {}) as { properties?: Record<string, { type?: unknown }> };
  return properties !== undefined && Object.hasOwn(properties, key)
    ? properties[key]?.type
    : undefined;
}

const FUNCTION = /^<function=["']?([\w.-]+)["']?>([\s\S]*?)(?:<\/function>|$)/;
const PARAMETER = /<parameter=["']?([\w.-]+)["']?>([\s\S]*?)(?:<\/parameter>|(?=<parameter=)|$)/g;

/** `<function=name><parameter=key>bare text</parameter></function>` or `<function=name>{"key": …}</function>`. */
function functionCalls(text: string, offered: OfferedTools): TextCall[] {
  const [, written, body = ""] = FUNCTION.exec(text) ?? [];
  const name = offeredName(written, offered);
  if (name === undefined) return [];
  if (body.trimStart().startsWith("{")) {
    return [{ name, args: argsText(parsed(body) ?? body.trim()) }];
  }
  const { parameters } = offered.get(name)!;
  const args: Record<string, unknown> = Object.create(null);
  for (const [, key, bare = ""] of body.matchAll(PARAMETER)) {
    const value = bare.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
    const isText = typeIn(parameters, key!) === "string";
    args[key!] = isText ? value : parsed(value) ?? value;
  }
  return [{ name, args: JSON.stringify(args) }];
}

const BROKEN_NAME = /["']?name["']?\s*:\s*["']([\w.-]+)["']/;

/** Reads the text inside `<tool_call>` tags. A broken call counts too: its error goes back to the model. */
function taggedCalls(inner: string, offered: OfferedTools): TextCall[] {
  const text = inner.trim();
  if (text.startsWith("<function=")) return functionCalls(text, offered);
  const value = parsed(text);
  if (value !== undefined) {
    const bare = offeredName((value as { name?: unknown } | null)?.name, offered);
    const calls = callsOf(value, offered);
    return calls.length === 0 && bare !== undefined ? [{ name: bare, args: "{}" }] : calls;
  }
  const name = offeredName(BROKEN_NAME.exec(text)?.[1], offered);
  return name === undefined ? [] : [{ name, args: text }];
}

interface TagFormat {
  readonly opening: string;
  readonly pattern: string;
  readonly closing: string;
  read(text: string, offered: OfferedTools): TextCall[];
}

const TOOL_CALLS = /<tool_call>([\s\S]*?)(?:<\/tool_call>|(?=<tool_call>)|$)/g;

export const TAG_FORMATS: readonly TagFormat[] = [
  {
    opening: "<tool_call>",
    pattern: "<tool_call>",
    closing: "</tool_call>",
    read: (text, offered) =>
      [...text.matchAll(TOOL_CALLS)].flatMap(([, inner]) => taggedCalls(inner!, offered)),
  },
  {
    opening: "<function=",
    pattern: "<function=[\\w.-]",
    closing: "</function>",
    read: functionCalls,
  },
];

export function tagFormatAt(text: string): TagFormat | undefined {
  return TAG_FORMATS.find(({ opening }) => text.startsWith(opening));
}

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

export function jsonCalls(text: string, offered: OfferedTools): TextCall[] {
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

/** What Mistral's and Llama's models write before JSON calls, where their server leaves it in the text. */
const CALL_MARKS = ["\\[TOOL_CALLS\\]", "<\\|python_tag\\|>"].join("|");
const MARK = new RegExp(`^(?:${CALL_MARKS})\\s*`);
const JSON_START = new RegExp(`^[ \\t]*(?:[[{]|${CALL_MARKS})`, "gm");

/** Each start is parsed; a text with more of them is prose with brackets. */
const JSON_STARTS = 8;

export function trailingCalls(
  text: string,
  offered: OfferedTools,
): { readonly calls: readonly TextCall[]; readonly rest: string } {
  let starts = 0;
  for (const { index } of text.matchAll(JSON_START)) {
    if (++starts > JSON_STARTS) break;
    const json = text.slice(index).trim().replace(MARK, "");
    const calls = jsonCalls(json, offered);
    if (calls.length > 0) return { calls, rest: text.slice(0, index) };
  }
  return { calls: [], rest: text };
}
