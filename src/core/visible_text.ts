/** Text of others as a person sees it whole: what a terminal would act on, or not show, is written out. */
import { UNSEEN } from "./plain_text.ts";
import type { Redact } from "./redact.ts";

/** A class of the `v` flag; separators of lines and paragraphs are seen nowhere either. */
const NOT_SHOWN = `[${UNSEEN.source}\\u2028\\u2029]`;
const ANY_NOT_SHOWN = new RegExp(NOT_SHOWN, "v");

/** Scripts whose spelling needs joiners (Unicode Standard Annex 31, section 2.3.1). */
const JOINED =
  "Arabic Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala"
    .split(" ").map((script) => `\\p{Script=${script}}`).join("");

/** Built when a text needs it: the list of emoji takes milliseconds. */
let parts: RegExp | undefined;

/** @param unseen of a character that is not shown, outside emoji and the spelling of a script */
function replaced(text: string, unseen: (char: string) => string): string {
  if (!ANY_NOT_SHOWN.test(text)) return text;
  const joined = `(?<=[${JOINED}\\p{Mn}\\p{Mc}])[\\u200c\\u200d](?=[${JOINED}])`;
  // The selector of an emoji that is one without it, as phones type it, is of no sequence of that list.
  const typed = "\\p{Emoji_Presentation}\\ufe0f";
  parts ??= new RegExp(`(${typed}|\\p{RGI_Emoji}|${joined})|${NOT_SHOWN}`, "gv");
  return text.replace(parts, (part, kept) => kept === undefined ? unseen(part) : part);
}

/** `␛`, `␊`, `␡` (Control Pictures, U+2400), else such as `<U+202E>`. */
function picture(char: string): string {
  const code = char.codePointAt(0)!;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** One line, whatever the text holds: a line end in it is shown too. */
export function visible(text: string): string {
  return replaced(text, picture);
}

/** Keeps line ends and tabs, for texts of several lines. */
export function visibleLines(text: string): string {
  return text.replaceAll("\r\n", "\n").split(/([\n\t])/)
    .map((part, at) => at % 2 === 1 ? part : visible(part)).join("");
}

/** A secret that unseen characters part is redacted as well; where one is, they are left out. */
export function visibleWithout(redact: Redact, show: Redact = visible): Redact {
  return (text) => {
    const seen = replaced(text, (char) => char === "\n" || char === "\t" ? char : "");
    const clean = redact(seen);
    return clean === seen ? redact(show(text)) : show(clean);
  };
}
