/** Reads what a model gave as arguments: JSON text or its value, also encoded twice or wrapped once more. */
import { quoted } from "svc/core/repo_path.ts";
import { offeredToolName } from "svc/core/tool_names.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { definitionOf } from "svc/features/tools/definitions.ts";
import type { LoadMender } from "./mend_json.ts";
import { foldedKey } from "./other_keys.ts";

export type ReadValue =
  | { readonly value: object; readonly repairs: readonly string[] }
  | { readonly fault: string };

/** Times that JSON may hold its own text. */
const ENCODED_TIMES = 3;

function parseFault(thrown: unknown, text: string): string {
  // V8 says where, except for short texts.
  const why = (thrown as SyntaxError).message.slice(0, 200);
  const at = Number(/at position (\d+)/.exec(why)?.[1]);
  const near = Number.isNaN(at)
    ? ""
    : `, near ${quoted(text.slice(Math.max(0, at - 30), at + 10))}`;
  return `not valid JSON: ${why}${near}`;
}

async function fromText(
  text: string,
  tool: AnyTool | undefined,
  load: LoadMender | undefined,
): Promise<{ readonly value: unknown; readonly mended?: true } | { readonly fault: string }> {
  if (text.trim() === "") return { value: {} };
  try {
    return { value: JSON.parse(text) };
  } catch (thrown) {
    const fault = parseFault(thrown, text);
    if (load === undefined) return { fault };
    const guess = tool?.capability === "read" || tool?.capability === "finish";
    const mended = (await load())(text, { guess });
    return "value" in mended
      ? { value: mended.value, mended: true }
      : { fault: `${fault}; ${mended.fault}` };
  }
}

/** What servers and models put around arguments. */
const WRAPPERS = new Set(
  ("arguments args input inputs parameters params properties kwargs tool_input tool_args " +
    "tool_parameters function_args").replaceAll("_", "").split(" "),
);

/** What may stand beside them: the tool's own name, or the kind of the object. */
const NAMES = new Set(["name", "tool", "toolname", "function", "functionname", "recipientname"]);
const KINDS = new Set(["type", "id", "callid", "toolcallid"]);
const KINDS_SAID = new Set(["function", "object", "tool_use", "tool_call", "function_call"]);

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function decoded(value: unknown): unknown {
  if (typeof value !== "string" || !value.trimStart().startsWith("{")) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value; // no object; the fields are checked next
  }
}

/** The arguments inside, and the name of what they were in. */
function unwrapped(
  value: object,
  tool: AnyTool,
): { inner: object; key: string } | undefined {
  const declared = definitionOf(tool).function.parameters["properties"] ?? {};
  const strange = (key: string) => !Object.hasOwn(declared, key);
  const keys = Object.keys(value);
  if (keys.length > 4) return undefined;
  const around = keys.filter((key) => strange(key) && WRAPPERS.has(foldedKey(key)));
  const [key] = around;
  if (key === undefined || around.length > 1) return undefined;
  const fields = value as Record<string, unknown>;
  const beside = keys.filter((other) => other !== key).every((other) => {
    const said = fields[other];
    if (typeof said === "string" && KINDS.has(foldedKey(other))) {
      return strange(other) || KINDS_SAID.has(said);
    }
    return NAMES.has(foldedKey(other)) && typeof said === "string" &&
      offeredToolName(said, new Set([tool.name])) !== undefined;
  });
  const inner = decoded(fields[key]);
  return beside && isObject(inner) ? { inner, key } : undefined;
}

/** Its start and its kind, for an error. */
export function shownValue(value: unknown): string {
  const kind = Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
  return `${quoted(String(textOf(value)).slice(0, 60))} (${kind})`;
}

function textOf(value: unknown): string | undefined {
  try {
    return typeof value === "string" ? value : JSON.stringify(value);
  } catch {
    return "…"; // nested too deeply
  }
}

/** @param tool undefined where the name is not known yet: wrappers stay then */
export async function readValue(
  tool: AnyTool | undefined,
  given: unknown,
  load: LoadMender | undefined,
): Promise<ReadValue> {
  const repairs: string[] = [];
  let value = given;
  for (let times = 0; typeof value === "string" && times < ENCODED_TIMES; times++) {
    const read = await fromText(value, tool, load);
    // Inside a text nobody promised JSON.
    if ("fault" in read && times > 0) break;
    if ("fault" in read) return read;
    value = read.value;
    if (read.mended) repairs.push("json");
    if (times > 0) repairs.push("encoded_twice");
  }
  value ??= {};
  if (!isObject(value)) return { fault: `a JSON object is needed, not ${shownValue(value)}` };
  for (let times = 0; tool !== undefined && times < ENCODED_TIMES; times++) {
    const found = unwrapped(value as object, tool);
    if (found === undefined) break;
    value = found.inner;
    repairs.push(`wrapped:${found.key}`);
  }
  return { value: value as object, repairs };
}
