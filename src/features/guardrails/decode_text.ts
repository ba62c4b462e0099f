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
const oneByte = new TextDecoder("windows-1252");
const encoder = new TextEncoder();

type Units = "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

const MARKS: readonly (readonly [Units, readonly number[]])[] = [
  ["utf-32le", [0xff, 0xfe, 0, 0]],
  ["utf-32be", [0, 0, 0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** Bytes at the start that tell the encoding by where their NULs are. */
const PROBE_BYTES = 512;

/** Shares of NULs at each place of four bytes: nearly all for the empty ones, few for the others. */
const LAYOUTS: readonly (readonly [Units, string])[] = [
  ["utf-32le", "t000"],
  ["utf-32be", "000t"],
  ["utf-16le", "t0t0"],
  ["utf-16be", "0t0t"],
];

function unitsOf(bytes: Uint8Array): Units | undefined {
  for (const [units, mark] of MARKS) {
    if (mark.every((byte, at) => bytes[at] === byte)) return units;
  }
  const probe = bytes.subarray(0, Math.min(bytes.length & ~3, PROBE_BYTES));
  if (probe.length < 16) return undefined;
  const zeros = [0, 0, 0, 0];
  for (let at = 0; at < probe.length; at++) if (probe[at] === 0) zeros[at % 4]!++;
  const whole = probe.length / 4;
  return LAYOUTS.find(([, layout]) =>
    zeros.every((count, at) => layout[at] === "0" ? count > whole * 0.9 : count < whole * 0.1)
  )?.[0];
}

const POINTS_AT_ONCE = 4096;

/** `TextDecoder` knows no UTF-32 (WHATWG Encoding, section 4.2). */
function decodeUtf32(bytes: Uint8Array, little: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length & ~3);
  let text = "";
  let points: number[] = [];
  for (let at = 0; at < view.byteLength; at += 4) {
    const point = view.getUint32(at, little);
    points.push(point <= 0x10ffff ? point : 0xfffd);
    if (points.length === POINTS_AT_ONCE || at + 4 >= view.byteLength) {
      text += String.fromCodePoint(...points);
      points = [];
    }
  }
  return text.replace(/^\ufeff/, "");
}

export interface DecodedFile {
  readonly text: DecodedText;
  /** A NUL in its head, and no encoding of two or four bytes: only known shapes are looked for. */
  readonly binary: boolean;
  /** ASCII with NULs between, anywhere in other bytes, such as the strings of a program for Windows. */
  readonly wide?: DecodedText;
}

export function decodeFile(bytes: Uint8Array): DecodedFile {
  const units = bytes[0] === 0xff || bytes[0] === 0xfe ||
      bytes.subarray(0, PROBE_BYTES).includes(0)
    ? unitsOf(bytes)
    : undefined;
  if (units === "utf-16le" || units === "utf-16be") {
    return { text: encodeText(new TextDecoder(units).decode(bytes)), binary: false };
  }
  if (units !== undefined) {
    return { text: encodeText(decodeUtf32(bytes, units === "utf-32le")), binary: false };
  }
  const first = bytes.indexOf(0);
  const text = decodeUtf8(bytes);
  if (first < 0) return { text, binary: false };
  const wide = wideText(bytes);
  const binary = first < SECRET_BINARY_PROBE_BYTES;
  return { text, binary, ...(wide !== undefined && { wide: encodeText(wide) }) };
}

const WIDE = /(?:[\t\n\r\x20-\x7e]\0{1,3}){12,}[\x20-\x7e]?/g;

/** The runs without their NULs, each on the line where it is in the file. */
function wideText(bytes: Uint8Array): string | undefined {
  const whole = oneByte.decode(bytes);
  let out = "";
  let last = 0;
  for (const { index, 0: run } of whole.matchAll(WIDE)) {
    out += `${whole.slice(last, index).replace(/[^\n]+/g, " ")}${run.replaceAll("\0", "")}`;
    last = index + run.length;
  }
  return last === 0 ? undefined : out;
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
    return oneByte.decode(bytes);
  }
}

/** UTF-16 units that a byte of UTF-8 begins: none for a continuation, a surrogate pair for the lead of four. */
const UNITS = Uint8Array.from(
  { length: 256 },
  (_, byte) => (byte & 0xc0) === 0x80 ? 0 : byte >= 0xf0 ? 2 : 1,
);

function mapper(bytes: Uint8Array, text: string): (byte: number) => number {
  if (text.length === bytes.length) return (byte) => byte;
  let at = 0;
  let units = 0;
  return (byte) => {
    // Kept in locals for speed: each access of a variable that outlives the call goes through memory.
    let sum = units;
    for (let i = at; i < byte; i++) sum += UNITS[bytes[i]!]!;
    for (let i = at - 1; i >= byte; i--) sum -= UNITS[bytes[i]!]!;
    at = byte;
    units = sum;
    return sum;
  };
}
