/** What a program, a file or a model wrote, as plain text: nothing in it moves a cursor or sets a title. */

/** CSI, OSC, DCS and the like, and two-byte sequences of ECMA-48; none is taken beyond its line. */
const SEQUENCES =
  // deno-lint-ignore no-control-regex -- they are what is taken out
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x9c|\x1b\\)?|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]*(?:\x9c|\x1b\\)?|\x1b[ -/]*[0-~]?/g;

// deno-lint-ignore no-control-regex -- they are what is taken out
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/**
 * Without terminal sequences and control characters but tab and line feed; carriage returns end a
 * line, as they do for whoever reads a progress bar's log. Half of a surrogate pair becomes U+FFFD.
 */
export function plainText(text: string): string {
  return text.toWellFormed()
    .replaceAll(/\r+\n?/g, "\n")
    .replaceAll(SEQUENCES, "")
    .replaceAll(CONTROLS, "");
}

/** Invisible, or turning the direction of what follows; and variation selectors, which change a width. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

/**
 * For one line of a terminal: no line ends, nothing invisible, nothing that turns the direction of
 * writing; of marks over one character two stay. Empty for a text of such characters only.
 */
export function oneLine(text: string): string {
  return plainText(text)
    .replaceAll(/\s+/gu, " ")
    .replaceAll(UNSEEN, "")
    .normalize("NFC")
    .replaceAll(/(\p{M}{2})\p{M}+/gu, "$1")
    .replace(/^[\p{M} ]+/u, "")
    .trimEnd();
}

/** For many lines of a terminal: as `oneLine`, but line ends, tabs and spaces stay. */
export function plainLines(text: string): string {
  const seen = (char: string) => char === "\n" || char === "\t" ? char : "";
  return plainText(text).replaceAll(UNSEEN, seen);
}

/** What JSON leaves as it is although a terminal acts on it, or turns the direction of what follows. */
const LIVE_IN_JSON = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The same JSON, with characters escaped that would do something to the terminal it is shown on. */
export function inertJson(json: string): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return json.replaceAll(LIVE_IN_JSON, escaped);
}
