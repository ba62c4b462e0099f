/** Repairs the names and types of arguments by the tool's own schema; what is left is checked as strictly as before. */
import { CUSTOM_NAME } from "svc/features/tools/custom/file.ts";
import { type AskedArgs, type FieldSchema, isTrue, sameValue, scalarText } from "./asked.ts";
import type { MendJson } from "./mend_json.ts";
import { ALWAYS_ON, COMMENTARY, foldedKey, otherKeysOf, SWITCHES, UNREAD } from "./other_keys.ts";

/** The declared name of each strange one: by case, hyphens and underscores first, then by what others call it. */
function meantKeys(asked: AskedArgs): ReadonlyMap<string, readonly string[]> {
  const byFold = new Map(asked.declaredKeys().map((key) => [foldedKey(key), key]));
  const others = otherKeysOf(asked.tool);
  const meant = new Map<string, string[]>();
  for (const key of asked.strangeKeys()) {
    const ours = byFold.get(foldedKey(key)) ?? others.get(foldedKey(key));
    if (ours !== undefined) meant.set(ours, [...meant.get(ours) ?? [], key]);
  }
  return meant;
}

/** Another name counts where the right one is missing, and where it is the only one. */
export function repairKeys(asked: AskedArgs): void {
  for (const [ours, [key, ...more]] of meantKeys(asked)) {
    if (key === undefined || more.length > 0) continue;
    const value = asked.get(key);
    if (!asked.has(ours)) {
      asked.drop(key);
      asked.set(ours, value, `key:${key}=${ours}`);
    } else if (sameValue(asked.get(ours), value)) asked.drop(key, `key:${key}=${ours}`);
  }
}

const isOff = (value: unknown) => /^(?:false|no|0)$/i.test(scalarText(value)) || value === "";

export function dropCommentary(asked: AskedArgs): void {
  for (const key of asked.strangeKeys()) {
    const name = foldedKey(key);
    const value = asked.get(key);
    const idle = COMMENTARY.has(name) || UNREAD[asked.tool]?.has(name) ||
      (SWITCHES.has(name) && isOff(value)) ||
      (ALWAYS_ON.has(name) && isTrue(value));
    if (idle) asked.drop(key, `left_out:${key}`);
  }
}

/** Programs may read such a text as it is. */
const FREE_TEXT = new Set(["stdin"]);

export const NOTHING = /^(?:none|null|undefined|nil)$/i;

/** A list stays: an empty one is a mistake, since left out it may mean "all". */
function dropEmpty(asked: AskedArgs, key: string, { type, enum: choices }: FieldSchema): boolean {
  const value = asked.get(key);
  if (typeof value !== "string" || type === "array" || FREE_TEXT.has(key)) return false;
  if (!asked.optional(key) || choices?.includes(value)) return false;
  if (value !== "" && !NOTHING.test(value)) return false;
  asked.drop(key, `empty:${key}`);
  return true;
}

const folded = (text: string) => text.toLowerCase().replace(/[-_\s]/g, "");

function choice(value: string, choices: readonly unknown[]): unknown {
  if (choices.includes(value)) return value;
  const fits = choices.filter((one) => typeof one === "string" && folded(one) === folded(value));
  return fits.length === 1 ? fits[0] : value;
}

function scalar(value: unknown, { type, enum: choices }: FieldSchema): unknown {
  if (typeof value === "string") {
    const text = value.length > 100 ? "" : value.trim();
    if ((type === "integer" || type === "number") && /^[+-]?\d{1,15}(?:\.0{1,9})?$/.test(text)) {
      return Number(text);
    }
    if (type === "boolean" && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
    return choices === undefined || text === "" ? value : choice(text, choices);
  }
  const wantsText = type === "string" && choices === undefined;
  return wantsText && Number.isSafeInteger(value) ? String(value) : value;
}

/** The list that a text spells, or undefined. */
function listIn(text: string, mend: MendJson | undefined): readonly unknown[] | undefined {
  if (!text.trimStart().startsWith("[")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    // A model wrote it by hand.
    const mended = mend?.(text, { guess: false });
    return mended !== undefined && "value" in mended && Array.isArray(mended.value)
      ? mended.value
      : undefined;
  }
}

function list(value: unknown, schema: FieldSchema, mend: MendJson | undefined): unknown {
  const items = schema.items ?? {};
  const spelt = typeof value === "string" ? listIn(value, mend) : undefined;
  const whole = spelt ?? value;
  if (Array.isArray(whole)) return whole.map((item) => scalar(item, items));
  // A text that starts like a list and is none is a broken list.
  const single = typeof whole === "string" && whole !== "" && !whole.trimStart().startsWith("[");
  return items.type === "string" && single ? [scalar(whole, items)] : value;
}

export function repairTypes(asked: AskedArgs, mend: MendJson | undefined): void {
  for (const key of asked.keys().filter((one) => asked.declares(one))) {
    const schema = asked.schema(key);
    if (dropEmpty(asked, key, schema)) continue;
    const value = asked.get(key);
    const now = schema.type === "array" ? list(value, schema, mend) : scalar(value, schema);
    if (sameValue(now, value)) continue;
    const kind = schema.type === "array"
      ? typeof value === "string" ? "list" : "type"
      : schema.enum === undefined
      ? "type"
      : "choice";
    asked.set(key, now, `${kind}:${key}`);
  }
}

const PATHS = ["path", "cwd", "paths"];

/** A path of the work tree may be written in full: it names the same file. */
export function repairPaths(asked: AskedArgs, root: string): void {
  if (CUSTOM_NAME.test(asked.tool)) return;
  const below = (value: unknown) => {
    if (value === root || value === `${root}/`) return ".";
    return typeof value === "string" && value.startsWith(`${root}/`)
      ? value.slice(root.length + 1)
      : value;
  };
  for (const key of PATHS.filter((one) => asked.declares(one) && asked.has(one))) {
    const value = asked.get(key);
    const now = Array.isArray(value) ? value.map(below) : below(value);
    if (!sameValue(now, value)) asked.set(key, now, `root:${key}`);
  }
}
