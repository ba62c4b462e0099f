/** Recognises placeholder text for left-out code, which a model sometimes writes instead of the code. */
import { REDACTED } from "svc/core/redact.ts";

/** Starts and ends of comments in common languages, and brackets around such notes. */
const OPENING = /^\s*(?:\/\/+|\/\*+|\*+|#+|--|;+|%+|<!--|\{\s*\/\*+|"""|''')?\s*[[(<{]*\s*/;
const CLOSING = /\s*[\])>}]*\s*(?:\*+\/\s*\}?|-->|"""|''')?\s*$/;

const DOTS = String.raw`(?:\.{3,}|\u2026)`;
const ABSENT = String.raw`(?:exist|rest of|remain|unchanged|omitted|truncated|snipped|as before|` +
  String
    .raw`same as|(?:previous|original|other|more) (?:code|content|function|method|import|line|test|class))`;
const CODE = String
  .raw`(?:code|file|content|function|method|class|import|line|implementation|test|component|module)s?`;

const NOTES = [
  new RegExp(String.raw`^${DOTS}.{0,40}\b${ABSENT}`, "i"),
  new RegExp(String.raw`\b${ABSENT}.{0,60}${DOTS}$`, "i"),
  new RegExp(
    String.raw`^(?:the |your |all )*(?:existing|remaining) ${CODE}(?: (?:goes )?here)?$`,
    "i",
  ),
  new RegExp(
    String.raw`^(?:(?:the |your |all )*(?:rest of (?:the |your |this )*${CODE}|` +
      String.raw`(?:existing|remaining|other) ${CODE}))\b.{0,30}` +
      String.raw`\b(?:unchanged|same|as (?:is|before)|omitted|goes here|stays|here)\W*$`,
    "i",
  ),
  new RegExp(String.raw`^rest of (?:the |your |this )*${CODE}$`, "i"),
];

/** The first line that is only such a note and that `old` does not have; trimmed. */
export function placeholderIn(text: string, old: string): string | undefined {
  for (const line of text.split("\n")) {
    // A longer line is no note, and would make the patterns slow.
    if (line.length > 200) continue;
    const note = line.replace(OPENING, "").replace(CLOSING, "");
    if (NOTES.some((pattern) => pattern.test(note)) && !old.includes(line.trim())) {
      return line.trim();
    }
  }
  return undefined;
}

const count = (text: string, part: string) => text.split(part).length - 1;

/** Whether `text` would put the mark of a redacted secret where `old` has the secret. */
export function hidesSecret(text: string, old: string, redact: (text: string) => string): boolean {
  return count(text, REDACTED) > count(old, REDACTED) && redact(old) !== old;
}
