/** Decodes a file for the scan: its text, and the ASCII-compatible bytes that the prefilter reads. */

/** A NUL in this many first bytes makes a file binary (git examines the first 8,000 bytes). */
const SECRET_BINARY_PROBE_BYTES = 8192;

export interface DecodedText {
  /** ASCII-compatible: UTF-8, or one byte a character. */
  readonly bytes: Uint8Array;
  text(): string;
  /** The time depends on the distance from the last call. */
  toText(byte: number): number;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

function utf16Of(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const probe = bytes.subarray(0, Math.min(bytes.length & ~1, 512));
  if (probe.length < 16) return undefined;
  let even = 0;
  let odd = 0;
  for (let i = 0; i < probe.length; i += 2) {
    if (probe[i] === 0) even++;
    if (probe[i + 1] === 0) odd++;
  }
  const most = probe.length / 2 * 0.9;
  if (even === 0 && odd > most) return "utf-16le";
  if (odd === 0 && even > most) return "utf-16be";
  return undefined;
}

/** Undefined for a binary file: one with a NUL in its head that is not UTF-16. */
export function decodeFile(bytes: Uint8Array): DecodedText | undefined {
  const head = bytes.subarray(0, SECRET_BINARY_PROBE_BYTES);
  if (head.indexOf(0) < 0 && !(bytes[0] === 0xff || bytes[0] === 0xfe)) return decodeUtf8(bytes);
  const utf16 = utf16Of(bytes);
  if (utf16 !== undefined) return encodeText(new TextDecoder(utf16).decode(bytes));
  return head.indexOf(0) < 0 ? decodeUtf8(bytes) : undefined;
}

export function encodeText(text: string): DecodedText {
  const bytes = encoder.encode(text);
  return { bytes, text: () => text, toText: mapper(bytes, text) };
}

function decodeUtf8(bytes: Uint8Array): DecodedText {
  let text: string | undefined;
  let map: ((byte: number) => number) | undefined;
  const read = () => text ??= decodeLeniently(bytes);
  return { bytes, text: read, toText: (byte) => (map ??= mapper(bytes, read()))(byte) };
}

/** UTF-8, or else Windows-1252, where each byte is one character. */
function decodeLeniently(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function mapper(bytes: Uint8Array, text: string): (byte: number) => number {
  if (text.length === bytes.length) return (byte) => byte;
  let at = 0;
  let units = 0;
  // A continuation byte adds nothing; the lead byte of four makes a surrogate pair.
  const unitsOf = (b: number) => (b & 0xc0) === 0x80 ? 0 : b >= 0xf0 ? 2 : 1;
  return (byte) => {
    while (at < byte) units += unitsOf(bytes[at++]!);
    while (at > byte) units -= unitsOf(bytes[--at]!);
    return units;
  };
}
