/** Finds all keywords of all rules in one pass over the bytes; most files need no further scan. */

/**
 * Text in ASCII, at least three characters; 1 where it matches only as written, 0 where its small letters
 * match capitals too; offset of the trigram that it is filed under; what it leads to.
 */
export type FiledKeyword = readonly [
  text: string,
  exact: 0 | 1,
  anchor: number,
  ...leads: number[],
];

/** Seven bits a character: other bytes count as the character that their last seven bits mean. */
const TRIGRAMS = 1 << 21;

const LOWER = Uint8Array.from(
  { length: 256 },
  (_, byte) => byte >= 65 && byte <= 90 ? byte + 32 : byte,
);

const lowTrigram = (trigram: number) =>
  (LOWER[trigram >> 14]! << 14) | (LOWER[(trigram >> 7) & 127]! << 7) | LOWER[trigram & 127]!;

export class Prefilter {
  /** All keywords in sequence; an array for each would take ten times the memory. */
  readonly #text: Uint8Array;
  /** Where each keyword begins in `#text`, and its leads in `#leads`; one more says where the last ends. */
  readonly #begins: number[] = [];
  readonly #leadsFrom: number[] = [];
  readonly #exact: number[] = [];
  readonly #anchors: number[] = [];
  readonly #leads: number[] = [];
  /** The first keyword of a trigram in small letters, and the next after each keyword; -1 where there is none. */
  readonly #first = new Map<number, number>();
  readonly #next: number[] = [];
  /** 1 for each trigram under which something is filed; only the pages that are touched take memory. */
  readonly #table = new Uint8Array(TRIGRAMS);

  constructor(keywords: readonly FiledKeyword[]) {
    this.#text = new TextEncoder().encode(keywords.map(([text]) => text).join(""));
    let begin = 0;
    for (const [text, exact, anchor, ...leads] of keywords) {
      this.#begins.push(begin);
      this.#leadsFrom.push(this.#leads.length);
      this.#exact.push(exact);
      this.#anchors.push(anchor);
      this.#leads.push(...leads);
      begin += text.length;
    }
    this.#begins.push(begin);
    this.#leadsFrom.push(this.#leads.length);
    // From the end: keywords of one trigram are found in their order.
    for (let one = keywords.length - 1; one >= 0; one--) this.#file(one);
  }

  #file(one: number): void {
    const at = this.#begins[one]! + this.#anchors[one]!;
    const [a, b, c] = this.#text.subarray(at, at + 3) as unknown as [number, number, number];
    const trigram = (a << 14) | (b << 7) | c;
    const low = lowTrigram(trigram);
    this.#next[one] = this.#first.get(low) ?? -1;
    this.#first.set(low, one);
    this.#table[trigram] = 1;
    if (this.#exact[one] === 1) return;
    const [A, B, C] = [a, b, c].map((code) => code >= 97 && code <= 122 ? code - 32 : code);
    for (const x of [a, A!]) {
      for (const y of [b, B!]) {
        for (const z of [c, C!]) this.#table[(x << 14) | (y << 7) | z] = 1;
      }
    }
  }

  /** Calls `found` for each keyword in `bytes` and each of its leads, ordered by the positions of the trigrams. */
  scan(bytes: Uint8Array, found: (start: number, lead: number) => void): void {
    const table = this.#table;
    const length = bytes.length;
    let trigram = 0;
    for (let i = 0; i < length; i++) {
      trigram = ((trigram << 7) | (bytes[i]! & 127)) & (TRIGRAMS - 1);
      if (table[trigram] !== 0) this.#look(bytes, i - 2, trigram, found);
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
      const length = this.#begins[one + 1]! - own;
      if (start < 0 || start + length > bytes.length) continue;
      let k = 0;
      if (this.#exact[one] === 1) {
        while (k < length && bytes[start + k] === text[own + k]) k++;
      } else {
        while (k < length && LOWER[bytes[start + k]!] === text[own + k]) k++;
      }
      if (k < length) continue;
      for (let lead = this.#leadsFrom[one]!; lead < this.#leadsFrom[one + 1]!; lead++) {
        found(start, this.#leads[lead]!);
      }
    }
  }
}
