/** Finds keys that svc itself uses in what a role commits, since no rule knows the shape of every key. */
import { type Redact, redactor } from "svc/core/redact.ts";

/** Shorter ones, addresses, and words such as `sk-no-key-required` stand in files that know no key. */
const KEY_CHARS = 16;

function isKey(value: string): boolean {
  return value.length >= KEY_CHARS && /\d/.test(value) && /[a-z]/i.test(value) &&
    !/\s|:\/\//.test(value);
}

/** Takes them out of a text, in every form; undefined where there is none. */
export function keyFinder(values: readonly string[]): Redact | undefined {
  const keys = values.filter(isKey);
  return keys.length === 0 ? undefined : redactor(keys);
}

/** The line of the first key, from 1; undefined where the text holds none. */
export function lineOfKey(text: string, without: Redact): number | undefined {
  const clean = without(text);
  if (clean === text) return undefined;
  const [lines, left] = [text.split("\n"), clean.split("\n")];
  return lines.findIndex((line, at) => line !== left[at]) + 1;
}
