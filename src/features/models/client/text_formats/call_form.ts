/** Calls as code, `name(key="value")`, also in a list, and a name in front of its JSON. */
import { offeredToolName } from "svc/core/tool_names.ts";
import { withoutEnding } from "svc/core/text_ends.ts";
import {
  argNames,
  argsText,
  calledName,
  type OfferedTools,
  parsedJson,
  type Reading,
  type TextCall,
} from "./call.ts";
import { jsonEnd } from "./json_form.ts";
import { entriesAt, literalAt } from "./literal.ts";

/** What may stand before a call in code; Gemma writes `print(default_api.name(…))`. */
const BEFORE_CALL =
  /(?:[\s,;]|#[^\n]*\n|await\s|print\((?=[\w.]+\()|\w{1,40}\s?=\s?(?=[\w.]+\())*/y;
/** Llama's built-in tools are called `name.call(…)`. */
const CALLED = /([A-Za-z_][\w.:]*?)(?:\.call)?\(/y;
const AFTER_CALL = /[ \t]*\)/y;

function stepped(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text) === null ? at : pattern.lastIndex;
}

function callAt(text: string, at: number, offered: OfferedTools) {
  CALLED.lastIndex = at;
  const name = offeredToolName(CALLED.exec(text)?.[1] ?? "", offered);
  if (name === undefined) return undefined;
  const entries = entriesAt(text, CALLED.lastIndex, ")");
  if (entries === undefined) return undefined;
  const { named, unnamed, end } = entries;
  const [only] = unnamed;
  if (unnamed.length === 1 && typeof only === "object" && only !== null && !Array.isArray(only)) {
    return { call: { name, args: JSON.stringify({ ...only, ...named }) }, end };
  }
  const names = argNames(offered.get(name));
  if (unnamed.length > names.length) return undefined;
  const args: Record<string, unknown> = Object.assign(Object.create(null), named);
  unnamed.forEach((value, index) => args[names[index]!] = value);
  return { call: { name, args: JSON.stringify(args) }, end };
}

/** The calls that the text begins with: Llama's and ToolACE's lists, Olmo's lines, Gemma's `tool_code`. */
export function codeCalls(text: string, offered: OfferedTools): Reading | undefined {
  const start = stepped(/\s*/y, text, 0);
  const listed = text[start] === "[";
  const calls: TextCall[] = [];
  let end = 0;
  for (let at = listed ? start + 1 : start;;) {
    const from = stepped(BEFORE_CALL, text, at);
    const found = callAt(text, from, offered);
    if (found === undefined) break;
    calls.push(found.call);
    const printed = text.slice(at, from).includes("print(");
    at = end = printed ? stepped(AFTER_CALL, text, found.end) : found.end;
  }
  if (calls.length === 0) return undefined;
  const closed = listed ? stepped(/\s*\]/y, text, end) : end;
  return listed && closed === end ? undefined : { calls, end: closed };
}

const RAW_CALL = /^\s*([A-Za-z_][\w.:]*)\(([\s\S]*)\)$/;

/** A call whose arguments cannot be read: they go on as written, so that the model learns of its error. */
export function brokenCode(text: string, offered: OfferedTools): Reading | undefined {
  const [, written, args = ""] = RAW_CALL.exec(text) ?? [];
  const name = offeredToolName(written ?? "", offered);
  // Without a value it is a mention: `finish(...)`, `finish(disposition, evidence)`.
  return name === undefined || !/[:=]\s*["'“{[\d]/.test(args)
    ? undefined
    : { calls: [{ name, args }], end: text.length };
}

/**
 * A name and its JSON, with what stands between them: `[ARGS]` and `[CALL_ID]` of Mistral's newer models,
 * `<|tool_call_argument_begin|>` of Kimi K2, `<｜tool▁sep｜>` and a fence of DeepSeek, `call:` of Gemma 4.
 */
const NAMED = new RegExp(
  "\\s*(?:function<｜tool[▁_ ]sep｜>|call:|to=)?([\\w./-]{1,100}(?::\\d{1,6})?)\\s*" +
    "(?:\\[CALL_ID\\][\\w-]{0,60})?(?:\\[ARGS\\]|<\\|tool_call_argument_begin\\|>|<｜tool[▁_ ]sep｜>" +
    "|:|✿ARGS✿:|(?:<\\|constrain\\|>)?json(?:<\\|message\\|>)?)?\\s*(?:```(?:json)?\\s*)?(?=\\{)",
  "y",
);
const AFTER_NAMED = /(?:```|[\s,;])*/y;

function namedAt(text: string, at: number, offered: OfferedTools) {
  NAMED.lastIndex = at;
  const name = calledName(NAMED.exec(text)?.[1], offered);
  if (name === undefined) return undefined;
  const from = NAMED.lastIndex;
  const end = jsonEnd(text, from);
  const json = end === undefined ? undefined : parsedJson(text.slice(from, end));
  const literal = json === undefined ? literalAt(text, from) : undefined;
  if (literal !== undefined) {
    return { call: { name, args: argsText(literal.value) }, end: literal.end };
  }
  const args = withoutEnding(text.slice(from, end), " \t\r\n`");
  return { call: { name, args }, end: end ?? text.length };
}

export function namedJson(text: string, offered: OfferedTools): Reading | undefined {
  const calls: TextCall[] = [];
  let end = 0;
  for (let at = 0;;) {
    const found = namedAt(text, at, offered);
    if (found === undefined) break;
    calls.push(found.call);
    end = stepped(/\s*```/y, text, found.end);
    at = stepped(AFTER_NAMED, text, found.end);
  }
  return calls.length === 0 ? undefined : { calls, end };
}
