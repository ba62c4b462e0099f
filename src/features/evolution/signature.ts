/** The part of a failure's reason that is the same each time. Pure. */
import { PATTERN_CHARS } from "svc/core/bounds.ts";

/** What differs from one time to the next, most telling first. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<id>"],
  [/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, "<time>"],
  [/\bT-\d{4,9}\b/g, "<ticket>"],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/gi, "<hash>"],
  [/\d+(?:\.\d+)*/g, "<n>"],
];

/** On one line; the same for reasons that differ in numbers, ids, times and hashes alone. */
export function signatureOf(reason: string): string {
  let text = reason.slice(0, 4 * PATTERN_CHARS);
  for (const [varying, name] of VARYING) text = text.replace(varying, name);
  text = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return text.length <= PATTERN_CHARS ? text : `${text.slice(0, PATTERN_CHARS)}…`;
}
