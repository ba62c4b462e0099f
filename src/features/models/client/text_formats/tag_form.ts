/** Calls between tags: `<function=name>`, `<invoke name="…">`, `<arg_key>`, and the tool's name as a tag. */
import type { TextToolDefinition } from "svc/features/models/client/text_tools.ts";
import {
  argNames,
  argsText,
  calledName,
  type OfferedTools,
  parsedJson,
  type Reading,
  type TextCall,
  typedValue,
} from "./call.ts";

/** DeepSeek V3.2 puts `｜DSML｜` before the names of its tags (SGLang's deepseekv32_detector.py), Claude a namespace. */
const PREFIX = "(?:｜DSML｜|antml:)?";
export const CALL_TAG =
  `<${PREFIX}(?:function(?:=|\\s+name=)|(?:invoke|tool)\\s+name=)["']?[\\w.:-]+["']?\\s*>`;
export const CALL_TAG_END = `</${PREFIX}(?:function|invoke|tool)>`;
const CALL_NAME = /=["']?([\w.:-]+)/;
const FIELD =
  `<${PREFIX}parameter(?:=|\\s+name=)["']?([\\w.-]+)["']?(?:\\s+string=["']\\w+["'])?\\s*>` +
  `|<arg_key>\\s*([\\w.-]+)\\s*</arg_key>\\s*<arg_value>`;
const FIELD_END = `</${PREFIX}(?:parameter|arg_value)>`;

interface Block {
  readonly opening: RegExpExecArray;
  readonly inner: string;
  /** Behind the closing tag, or where the text between the tags ends without one. */
  readonly end: number;
}

/** Cuts at each opening tag; what stands between it and the next ends with the last closing tag there. */
function blocks(text: string, opening: string, closing: string): Block[] {
  const found = [...text.matchAll(new RegExp(opening, "g"))];
  return found.map((one, at) => {
    const from = one.index + one[0].length;
    const until = found[at + 1]?.index ?? text.length;
    const last = [...text.slice(from, until).matchAll(new RegExp(closing, "g"))].at(-1);
    const end = last === undefined ? until : from + last.index;
    return { opening: one, inner: text.slice(from, end), end: end + (last?.[0].length ?? 0) };
  });
}

/** Templates put a value on lines of its own; an unfinished tag behind it is what a limit left. */
function bare(text: string): string {
  return text.replace(/^\r?\n/, "").replace(/(?:\r?\n)?(?:<\/[\w｜:]*)?$/, "");
}

function argsIn(
  fields: Iterable<readonly [string, string]>,
  tool: TextToolDefinition | undefined,
): string {
  // Without a prototype, since the key "__proto__" would set one.
  const args: Record<string, unknown> = Object.create(null);
  for (const [name, value] of fields) args[name] = typedValue(tool, name, bare(value));
  return JSON.stringify(args);
}

function fieldsIn(text: string): [string, string][] {
  return blocks(text, FIELD, FIELD_END).map(({ opening, inner }) => {
    return [opening[1] ?? opening[2]!, inner];
  });
}

function bodyArgs(body: string, tool: TextToolDefinition | undefined): string {
  const text = body.trim();
  if (text.startsWith("{")) return argsText(parsedJson(text) ?? text);
  const fields = fieldsIn(body);
  return argsIn(fields.length > 0 ? fields : namedFields(body, argNames(tool)), tool);
}

/** One or several `<function=…>` or `<invoke name=…>`, as Qwen3-Coder, MiniMax M2, Seed and DeepSeek V3.2 write them. */
export function functionTags(text: string, offered: OfferedTools): Reading | undefined {
  const calls: TextCall[] = [];
  let end = 0;
  for (const block of blocks(text, CALL_TAG, CALL_TAG_END)) {
    const name = calledName(CALL_NAME.exec(block.opening[0])?.[1], offered);
    if (name === undefined) continue;
    calls.push({ name, args: bodyArgs(block.inner, offered.get(name)) });
    end = block.end;
  }
  return calls.length === 0 ? undefined : { calls, end };
}

const BEFORE_KEYS = /^\s*([\w.:-]+)\s*(?=<arg_key>|$)/;

/** `name`, then pairs of `<arg_key>` and `<arg_value>`: GLM 4.5 to 4.7 (llama.cpp's models/templates/GLM-4.6.jinja). */
export function keyedTags(text: string, offered: OfferedTools): Reading | undefined {
  const name = calledName(BEFORE_KEYS.exec(text)?.[1], offered);
  if (name === undefined) return undefined;
  const args = argsIn(fieldsIn(text), offered.get(name));
  return { calls: [{ name, args }], end: text.length };
}

/** The end of a value is the first closing tag behind which another known tag stands, or nothing. */
function valueEnd(text: string, from: number, name: string, next: RegExp): number | undefined {
  const closing = `</${name}>`;
  let first: number | undefined;
  for (let at = text.indexOf(closing, from); at !== -1; at = text.indexOf(closing, at + 1)) {
    first ??= at;
    next.lastIndex = at + closing.length;
    if (next.test(text)) return at;
  }
  return first;
}

function namedFields(text: string, names: readonly string[]): [string, string][] {
  if (names.length === 0) return [];
  const any = names.map(RegExp.escape).join("|");
  const next = new RegExp(`\\s*(?:$|<(?:${any})>)`, "y");
  const opening = new RegExp(`<(${any})>`, "g");
  const fields = new Map<string, string>();
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const name = found[1]!;
    if (fields.has(name)) continue;
    const end = valueEnd(text, opening.lastIndex, name, next) ?? text.length;
    fields.set(name, text.slice(opening.lastIndex, end));
    opening.lastIndex = end;
  }
  return [...fields];
}

const OPENED = /^<([\w.-]+)((?:\s+[\w-]+="[^"<>]*")*)\s*(\/?)>/;
const ATTRIBUTE = /\s([\w-]{1,60})="([^"]*)"/g;

/** The tool's name as a tag around its arguments, as Cline's and Roo's prompts teach it, or with them as attributes. */
export function toolTag(text: string, offered: OfferedTools): Reading | undefined {
  const [opening = "", written = "", attributes = "", closed] = OPENED.exec(text) ?? [];
  const tool = offered.get(written);
  if (tool === undefined) return undefined;
  const given = [...attributes.matchAll(ATTRIBUTE)].map(([, name = "", value = ""]) => {
    return [name, value] as const;
  });
  const { name } = tool;
  if (closed) return { calls: [{ name, args: argsIn(given, tool) }], end: opening.length };
  const closing = text.lastIndexOf(`</${name}>`);
  if (closing === -1) return undefined;
  const inner = text.slice(opening.length, closing);
  const fields = [...given, ...namedFields(inner, argNames(tool))];
  const json = inner.trim().startsWith("{");
  if (!json && fields.length === 0 && inner.trim() !== "") return undefined;
  const args = json ? bodyArgs(inner, tool) : argsIn(fields, tool);
  return { calls: [{ name, args }], end: closing + name.length + 3 };
}

const NAME_TAG =
  /^<(?:tool_)?name>\s*([\w.:-]+)\s*<\/(?:tool_)?name>\s*<(?:arguments|parameters|input|args)>/;

/** `<name>` and `<arguments>`, which some write between the tags around a call. */
export function nameTags(text: string, offered: OfferedTools): Reading | undefined {
  const [opening = "", written] = NAME_TAG.exec(text) ?? [];
  const name = calledName(written, offered);
  if (name === undefined) return undefined;
  const closing = text.lastIndexOf("</");
  const inner = text.slice(opening.length, closing < opening.length ? undefined : closing);
  return { calls: [{ name, args: bodyArgs(inner, offered.get(name)) }], end: text.length };
}
