/** A ticket's file as a text that a person edits: without a byte order mark, in the line ends of the file. */

const MARK = "\ufeff";

/** Undefined for bytes that are not UTF-8: as a text they could not be written back. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // as said above
  }
}

/** A file with one kind of line ends keeps it: a text field in a browser gives "\n" alone. */
function lineEndsOf(text: string): "\n" | "\r\n" | "mixed" {
  const all = text.split("\n").length - 1;
  const both = text.split("\r\n").length - 1;
  return both === 0 ? "\n" : both === all ? "\r\n" : "mixed";
}

/** The bytes of an edited text. @param old the file as it is */
export function bytesFor(text: string, old: Uint8Array): Uint8Array {
  const whole = new TextDecoder("utf-8", { ignoreBOM: true }).decode(old);
  const ends = lineEndsOf(whole);
  const given = (text.startsWith(MARK) ? text.slice(1) : text).toWellFormed();
  const lines = ends === "mixed" ? given : given.replaceAll(/\r?\n/g, ends);
  return new TextEncoder().encode(`${whole.startsWith(MARK) ? MARK : ""}${lines}`);
}
