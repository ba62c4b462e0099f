/** Finds all keywords of all rules in one pass over the bytes; most files need no further scan. */

/** Flat, since each process that looks for secrets reads it anew: an array for each keyword takes 10 ms more. */
export interface KeywordTable {
  /** Keywords in ASCII, at least three characters each, a line each. */
  readonly text: string;
  /** For each keyword, 1 where it matches only as written, 0 where its small letters match capitals too. */
  readonly exact: readonly number[];
  /** Offset of the trigram that it is filed under. */
  readonly anchors: readonly number[];
  /** What it leads to. */
  readonly leads: readonly number[];
}

const LINE_END = 10;

/** Seven bits a character: other bytes count as the character that their last seven bits mean. */
const TRIGRAMS = 1 << 21;

const LOWER = Uint8Array.from(
  { length: 256 },
  (_, byte) => byte >= 65 && byte <= 90 ? byte + 32 : byte,
);

const UPPER = Uint8Array.from(
  { length: 128 },
  (_, byte) => byte >= 97 && byte <= 122 ? byte - 32 : byte,
);

const lowTrigram = (trigram: number) =>
  (LOWER[trigram >> 14]! << 14) | (LOWER[(trigram >> 7) & 127]! << 7) | LOWER[trigram & 127]!;

const trigramAt = (bytes: Uint8Array, at: number) =>
  (bytes[at]! << 14) | (bytes[at + 1]! << 7) | bytes[at + 2]!;

function lineBegins(text: Uint8Array, lines: number): Int32Array {
  const begins = new Int32Array(lines + 1);
  for (let line = 1; line <= lines; line++) {
    begins[line] = text.indexOf(LINE_END, begins[line - 1]) + 1;
  }
  return begins;
}

/** Keywords of one trigram, in their order. */
function listed(trigrams: readonly number[]): { first: Map<number, number>; next: Int32Array } {
  const first = new Map<number, number>();
  const next = new Int32Array(trigrams.length);
  for (let one = trigrams.length - 1; one >= 0; one--) {
    const low = lowTrigram(trigrams[one]!);
    next[one] = first.get(low) ?? -1;
    first.set(low, one);
  }
  return { first, next };
}

/** A bit for each trigram in each way that it may be spelt. */
function tableOf(trigrams: readonly number[], exact: readonly number[]): Uint8Array {
  const table = new Uint8Array(TRIGRAMS >> 3);
  for (let one = 0; one < trigrams.length; one++) {
    const trigram = trigrams[one]!;
    const a = trigram >> 14;
    const b = (trigram >> 7) & 127;
    const c = trigram & 127;
    const spellings = exact[one] === 1 ? 1 : 8;
    for (let capitals = 0; capitals < spellings; capitals++) {
      const x = capitals & 1 ? UPPER[a]! : a;
      const y = capitals & 2 ? UPPER[b]! : b;
      const z = capitals & 4 ? UPPER[c]! : c;
      const spelt = (x << 14) | (y << 7) | z;
      table[spelt >> 3]! |= 1 << (spelt & 7);
    }
  }
  return table;
}

export class Prefilter {
  /** `KeywordTable.text`. */
  readonly #text: Uint8Array;
  /** Where each line of it begins, and its end. */
  readonly #begins: Int32Array;
  readonly #exact: readonly number[];
  readonly #anchors: readonly number[];
  readonly #leads: readonly number[];
  /** The first keyword of a trigram in small letters, and the next after each keyword; -1 where there is none. */
  readonly #first: ReadonlyMap<number, number>;
  readonly #next: Int32Array;
  /** A bit for each trigram; as bytes it would take 2 MiB, and a scan no less time. */
  readonly #table: Uint8Array;

  constructor({ text, exact, anchors, leads }: KeywordTable) {
    this.#text = new TextEncoder().encode(text);
    this.#begins = lineBegins(this.#text, leads.length);
    this.#exact = exact;
    this.#anchors = anchors;
    this.#leads = leads;
    const trigrams = anchors.map((anchor, one) =>
      trigramAt(this.#text, this.#begins[one]! + anchor)
    );
    ({ first: this.#first, next: this.#next } = listed(trigrams));
    this.#table = tableOf(trigrams, exact);
  }

  /** Calls `found` for each keyword in `bytes`, ordered by the positions of the trigrams. */
  scan(bytes: Uint8Array, found: (start: number, lead: number) => void): void {
    const table = this.#table;
    const length = bytes.length;
    let trigram = 0;
    for (let i = 0; i < length; i++) {
      trigram = ((trigram << 7) | (bytes[i]! & 127)) & (TRIGRAMS - 1);
      if ((table[trigram >> 3]! & (1 << (trigram & 7))) !== 0) {
        this.#look(bytes, i - 2, trigram, found);
      }
    }
  }

  #look(
    bytes: Uint8Array,
    at: number,
    trigram: number,
    found: (start: number, lead: number) => void,
  ): void {
    const text = this.#text;
    for (let one = this.#first.get(lowTrigram(trigram))!; one >= 0; one = this.#next[one]!) {
      const start = at - this.#anchors[one]!;
      const own = this.#begins[one]!;
      const length = this.#begins[one + 1]! - 1 - own;
      if (start < 0 || start + length > bytes.length) continue;
      let k = 0;
      if (this.#exact[one] === 1) {
        while (k < length && bytes[start + k] === text[own + k]) k++;
      } else {
        while (k < length && LOWER[bytes[start + k]!] === text[own + k]) k++;
      }
      if (k === length) found(start, this.#leads[one]!);
    }
  }
}
