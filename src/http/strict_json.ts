/** JSON from outside: UTF-8 without a byte order mark, one value, no duplicate names, not deep. */
import { JSON_DEPTH } from "svc/core/bounds.ts";

/** Strings and structural characters of JSON (RFC 8259). */
const PARTS = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** Expects valid JSON. */
function isPlain(text: string): boolean {
  const open: (Set<string> | undefined)[] = [];
  let string = "";
  for (const [part] of text.matchAll(PARTS)) {
    if (part === "{" || part === "[") {
      if (open.push(part === "{" ? new Set() : undefined) > JSON_DEPTH) return false;
    } else if (part === "}" || part === "]") open.pop();
    else if (part === ":") {
      const name: string = JSON.parse(string);
      const names = open.at(-1)!;
      if (names.has(name)) return false;
      names.add(name);
    } else if (part !== ",") string = part;
  }
  return true;
}

export function strictJson(
  bytes: Uint8Array<ArrayBuffer>,
): { readonly value: unknown } | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return isPlain(text) ? { value } : undefined;
  } catch {
    return undefined; // as said above
  }
}

/** Undefined unless it is an object of texts: all of `names`, none empty, and any of `optional`. */
export function strictFields(
  bytes: Uint8Array<ArrayBuffer>,
  names: readonly string[],
  optional: readonly string[] = [],
): Readonly<Record<string, string>> | undefined {
  const value = strictJson(bytes)?.value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const pairs = Object.entries(value);
  const known = pairs.every(([name, text]) =>
    typeof text === "string" && (optional.includes(name) || (names.includes(name) && text !== ""))
  );
  const whole = names.every((name) => Object.hasOwn(value, name));
  return known && whole ? Object.fromEntries(pairs) : undefined;
}
