/** Calls as JSON: `{"name", "arguments"}` and its relatives, one or several, also where the JSON is broken. */
import {
  argNames,
  argsText,
  calledName,
  type OfferedTools,
  parsedJson,
  type Reading,
  type TextCall,
} from "./call.ts";
import { literalAt } from "./literal.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `tool_name` is Command-R's, `action` LangChain's, `recipient_name` that of OpenAI's parallel calls. */
const NAME_KEYS = ["name", "tool", "tool_name", "function_name", "recipient_name", "action"];
const ARGS_KEYS = ["arguments", "parameters", "args", "input", "tool_input", "action_input"];
/** `tool_call` is llama.cpp's generic form (common/chat.cpp). */
const WRAPPERS = ["tool_calls", "tool_uses", "tool_call", "function_call"];

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The schema of a tool's arguments, not arguments. */
function isDefinition({ parameters }: Fields): boolean {
  return isFields(parameters) && parameters["type"] === "object" && "properties" in parameters;
}

/** The keys of one call: also inside `{"function": …}`, flat beside the name, or `{"<name>": {…}}`. */
function callOf(outer: unknown, offered: OfferedTools): TextCall | undefined {
  if (!isFields(outer)) return undefined;
  const inner = outer["function"];
  const from = isFields(inner) ? inner : outer;
  if (isDefinition(from)) return undefined;
  const nameKey = NAME_KEYS.find((key) => calledName(from[key], offered) !== undefined);
  const name = calledName(nameKey === undefined ? inner : from[nameKey], offered);
  if (name === undefined) return keyedCall(outer, offered);
  const holder = ARGS_KEYS.some((key) => key in from) ? from : outer;
  const key = ARGS_KEYS.find((key) => key in holder);
  if (key !== undefined) return { name, args: argsText(holder[key]) };
  // Without arguments only tags could tell a call from any object with a name.
  const rest = Object.entries(from).filter(([key]) => key !== nameKey);
  const known = argNames(offered.get(name));
  if (rest.length === 0 || !rest.every(([key]) => known.includes(key))) return undefined;
  return { name, args: JSON.stringify(Object.fromEntries(rest)) };
}

/** Apertus writes `[{"<name>": {…}}]` (vLLM's apertus_tool_parser.py), and so do small models. */
function keyedCall(value: Fields, offered: OfferedTools): TextCall | undefined {
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0 || !isFields(entry[1])) return undefined;
  return offered.has(entry[0]) ? { name: entry[0], args: JSON.stringify(entry[1]) } : undefined;
}

function callsOf(value: unknown, offered: OfferedTools): readonly TextCall[] {
  const wrapper = isFields(value) ? WRAPPERS.find((key) => key in value) : undefined;
  const inner = wrapper === undefined ? value : (value as Fields)[wrapper];
  const calls = (Array.isArray(inner) ? inner : [inner]).map((item) => callOf(item, offered));
  return calls.every((call) => call !== undefined) ? calls : [];
}

/** Behind the bracket that closes the one at `from`; undefined where none does. */
export function jsonEnd(text: string, from: number): number | undefined {
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

/** Also a dictionary as Python prints it, with single quotes and `None`. */
function valueAt(text: string, at: number) {
  const end = jsonEnd(text, at);
  const value = end === undefined ? undefined : parsedJson(text.slice(at, end));
  return value === undefined ? literalAt(text, at) : { value, end: end! };
}

const BETWEEN = /[\s,;]*/y;

/** The calls that the text begins with. */
export function jsonCalls(text: string, offered: OfferedTools): Reading | undefined {
  const all: TextCall[] = [];
  let end = 0;
  for (let at = 0; text[at] === "{" || text[at] === "[";) {
    const found = valueAt(text, at);
    const calls = found === undefined ? [] : callsOf(found.value, offered);
    if (calls.length === 0) break;
    all.push(...calls);
    BETWEEN.lastIndex = end = found!.end;
    BETWEEN.exec(text);
    at = BETWEEN.lastIndex;
  }
  return all.length === 0 ? unlistedCalls(text, offered) : { calls: all, end };
}

/** A list without commas, as the templates of Ollama show it to Devstral and Mistral. */
function unlistedCalls(text: string, offered: OfferedTools): Reading | undefined {
  const inner = /^\[\s*(?=\{)/.exec(text)?.[0].length;
  const read = inner === undefined ? undefined : jsonCalls(text.slice(inner), offered);
  if (inner === undefined || read === undefined) return undefined;
  BETWEEN.lastIndex = inner + read.end;
  BETWEEN.exec(text);
  const end = BETWEEN.lastIndex;
  return text[end] === "]" ? { ...read, end: end + 1 } : undefined;
}

const BROKEN_NAME = /["']?(?:name|tool|function)["']?\s*:\s*["']([\w.:-]+)["']/;
const BROKEN_ARGS = /["']?(?:arguments|parameters|args|input)["']?\s*:\s*/;

/** Only between marks, where nothing else is meant: a bare name, or JSON whose error goes back to the model. */
export function brokenCall(text: string, offered: OfferedTools): Reading | undefined {
  const name = calledName(BROKEN_NAME.exec(text.slice(0, 400))?.[1], offered);
  if (name === undefined) return undefined;
  const key = BROKEN_ARGS.exec(text);
  const value = parsedJson(text);
  if (key === null) {
    return { calls: [{ name, args: isFields(value) ? "{}" : text }], end: text.length };
  }
  // Nothing is broken in it: it is something else than a call.
  if (value !== undefined) return undefined;
  const from = key.index + key[0].length;
  const end = jsonEnd(text, from);
  const rest = text.slice(from, text[from] === "{" ? end : undefined).trim();
  // Where quotes do not pair, the last bracket is that of the call.
  const args = end === undefined && rest.endsWith("}}") ? rest.slice(0, -1) : rest;
  return { calls: [{ name, args }], end: text.length };
}
