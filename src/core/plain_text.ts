/** Makes text safe for a terminal: nothing moves a cursor or sets a title. */

/** CSI, OSC, DCS and the like, and two-byte sequences of ECMA-48; none extends beyond its line. */
const SEQUENCES =
  // deno-lint-ignore no-control-regex -- they are what is taken out
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x9c|\x1b\\)?|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]*(?:\x9c|\x1b\\)?|\x1b[ -/]*[0-~]?/g;

// deno-lint-ignore no-control-regex -- they are what is taken out
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** A carriage return, as of a progress bar, becomes a line feed; half a surrogate pair U+FFFD. */
export function plainText(text: string): string {
  return text.toWellFormed()
    .replaceAll(/\r+\n?/g, "\n")
    .replaceAll(SEQUENCES, "")
    .replaceAll(CONTROLS, "");
}

/** Invisible characters, those that turn the direction of writing, and variation selectors (widths). */
export const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

/** Also removes what turns the direction of writing; at most two marks stay on one character. */
export function oneLine(text: string): string {
  return plainText(text)
    .replaceAll(/\s+/gu, " ")
    .replaceAll(UNSEEN, "")
    .normalize("NFC")
    .replaceAll(/(\p{M}{2})\p{M}+/gu, "$1")
    .replace(/^[\p{M} ]+/u, "")
    .trimEnd();
}

/** As `oneLine`, but line ends, tabs and spaces stay. */
export function plainLines(text: string): string {
  const seen = (char: string) => char === "\n" || char === "\t" ? char : "";
  return plainText(text).replaceAll(UNSEEN, seen);
}

/** JSON does not escape these, but a terminal acts on them, or they turn the direction of writing. */
const LIVE_IN_JSON = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export function inertJson(json: string): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return json.replaceAll(LIVE_IN_JSON, escaped);
}
