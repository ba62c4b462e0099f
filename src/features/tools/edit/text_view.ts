/** A text with differences of spelling taken out, in which every letter knows where it came from. */

export interface Span {
  /** Offsets into the text itself; `end` is behind the last letter. */
  readonly start: number;
  readonly end: number;
}

interface TextView {
  readonly text: string;
  /** Where each unit of `text` begins and ends in the original. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

const ALIKE: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u201b\u2032]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " "],
  [/\u2026/g, "..."],
  [/\p{Default_Ignorable_Code_Point}/gu, ""],
];

function plainCluster(cluster: string): string {
  return ALIKE.reduce((text, [from, to]) => text.replace(from, to), cluster.normalize("NFC"));
}

/** The common spelling: Unicode form, quotes, dashes, spaces, no blanks at the end. */
export function plainLine(line: string): string {
  return plainCluster(line).trimEnd();
}

/** Changes line ends alone. */
export function lineFeedView(text: string): TextView {
  return view(text, (_, at) => at + 1, (letter) => letter, false);
}

/** In the spelling of `plainLine`. */
export function plainView(text: string): TextView {
  return view(text, clusterEnd, plainCluster, true);
}

/** A letter with its marks. */
const CLUSTER = /\P{M}\p{M}*|\p{M}+/suy;
const FIRST_MARK = 0x300;

function clusterEnd(text: string, at: number): number {
  const marked = text.charCodeAt(at + 1) >= FIRST_MARK;
  if (text.charCodeAt(at) < 0x80 && !marked) return at + 1;
  CLUSTER.lastIndex = at;
  return at + (CLUSTER.exec(text)?.[0].length ?? 1);
}

/** Letters of the longest plain spelling: "…" is three dots. */
const LONGEST = 3;
const BLANKS = new Set([..." \t\f\v"].map((char) => char.charCodeAt(0)));

function view(
  text: string,
  endOf: (text: string, at: number) => number,
  plain: (letter: string) => string,
  trimLines: boolean,
): TextView {
  const units = new Uint16Array(text.length * (trimLines ? LONGEST : 1));
  const starts = new Uint32Array(units.length);
  const ends = new Uint32Array(units.length);
  let length = 0;
  const trim = () => {
    while (trimLines && length > 0 && BLANKS.has(units[length - 1]!)) length--;
  };
  for (let at = 0; at < text.length;) {
    const crlf = text[at] === "\r" && text[at + 1] === "\n";
    const end = crlf ? at + 2 : endOf(text, at);
    const ascii = end === at + 1 && text.charCodeAt(at) < 0x80;
    const letter = crlf ? "\n" : ascii ? text[at]! : plain(text.slice(at, end));
    if (letter === "\n") trim();
    for (let unit = 0; unit < letter.length; unit++, length++) {
      units[length] = letter.charCodeAt(unit);
      starts[length] = at;
      ends[length] = end;
    }
    at = end;
  }
  trim();
  const shown = new TextDecoder("utf-16le", { ignoreBOM: true }).decode(units.subarray(0, length));
  return { text: shown, starts: starts.subarray(0, length), ends: ends.subarray(0, length) };
}

/** Places may overlap; stops behind `max`. */
export function placesOf({ text, starts, ends }: TextView, part: string, max: number): Span[] {
  const places: Span[] = [];
  if (part === "") return places;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    const last = at + part.length - 1;
    // A match must not begin or end inside a letter that stands for several.
    const whole = starts[at] !== starts[at - 1] && ends[last] !== ends[last + 1];
    if (whole) places.push({ start: starts[at]!, end: ends[last]! });
    if (places.length > max) break;
  }
  return places;
}
