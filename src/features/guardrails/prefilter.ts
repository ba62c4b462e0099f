/** Finds all keywords of all rules in one pass over the bytes; most files need no further scan. */

export interface Keyword<T> {
  /** ASCII, at least three characters. With a capital it matches only as written. */
  readonly text: string;
  readonly exact?: boolean;
  readonly leadsTo: T;
}

interface KeywordEntry<T> {
  readonly at: number;
  readonly length: number;
  readonly exact: boolean;
  /** Offset in the keyword of the trigram it is filed under. */
  readonly anchor: number;
  readonly leadsTo: T[];
}

/** Characters of keywords, the most frequent in source text first. */
const BY_FREQUENCY = " etaoinsrlcdupmfhgbyv.-_\"'/:=kwxjqz0123456789$~,+@;<>(){}[]#&%|*!?\\^";
const CLASSES = 64;

const FOLD = new Uint8Array(256);
const LOWER = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  const low = byte >= 65 && byte <= 90 ? byte + 32 : byte;
  LOWER[byte] = low;
  const place = BY_FREQUENCY.indexOf(String.fromCharCode(low));
  FOLD[byte] = place < 0 ? 0 : Math.min(place + 1, CLASSES - 1);
}

const RARITY = Float64Array.from({ length: CLASSES }, (_, place) => Math.log2(1 + place));

function rarity(bytes: Uint8Array, at: number): number {
  return RARITY[FOLD[bytes[at]!]!]! + RARITY[FOLD[bytes[at + 1]!]!]! +
    RARITY[FOLD[bytes[at + 2]!]!]!;
}

function anchorOf(text: string, lower: Uint8Array): number {
  if (text.length < 3) throw new RangeError(`Keyword "${text}" is shorter than 3 characters`);
  let anchor = 0;
  let best = rarity(lower, 0);
  for (let at = 1; at + 3 <= lower.length; at++) {
    const here = rarity(lower, at);
    if (here <= best) continue;
    anchor = at;
    best = here;
  }
  return anchor;
}

export class Prefilter<T> {
  readonly #buckets: KeywordEntry<T>[][] = [[]];
  /** All keywords in sequence; an array for each would take ten times the memory. */
  readonly #text: Uint8Array;
  /** Trigram of folded characters → bucket, 0 for none. */
  readonly #table = new Uint16Array(CLASSES ** 3);

  constructor(keywords: Iterable<Keyword<T>>) {
    const entries = new Map<string, KeywordEntry<T>>();
    const encoder = new TextEncoder();
    let all = "";
    for (const { text, exact: asked, leadsTo } of keywords) {
      const exact = asked === true || /[A-Z]/.test(text);
      const known = entries.get(`${exact}${text}`);
      if (known !== undefined) {
        known.leadsTo.push(leadsTo);
        continue;
      }
      const lower = encoder.encode(text.toLowerCase());
      const anchor = anchorOf(text, lower);
      const entry = { at: all.length, length: text.length, exact, anchor, leadsTo: [leadsTo] };
      entries.set(`${exact}${text}`, entry);
      this.#file(lower, entry);
      all += text;
    }
    this.#text = encoder.encode(all);
  }

  #file(lower: Uint8Array, entry: KeywordEntry<T>): void {
    const { anchor } = entry;
    const trigram = (FOLD[lower[anchor]!]! << 12) | (FOLD[lower[anchor + 1]!]! << 6) |
      FOLD[lower[anchor + 2]!]!;
    const bucket = this.#table[trigram] || this.#buckets.push([]) - 1;
    this.#table[trigram] = bucket;
    this.#buckets[bucket]!.push(entry);
  }

  /** Calls `found` for each keyword in `bytes`, ordered by the positions of the trigrams. */
  scan(bytes: Uint8Array, found: (start: number, leadsTo: readonly T[]) => void): void {
    const table = this.#table;
    const length = bytes.length;
    let trigram = 0;
    for (let i = 0; i < length; i++) {
      trigram = ((trigram << 6) & 0x3ffff) | FOLD[bytes[i] as number]!;
      const bucket = table[trigram]!;
      if (bucket !== 0 && i >= 2) this.#look(bytes, i - 2, bucket, found);
    }
  }

  #look(
    bytes: Uint8Array,
    at: number,
    bucket: number,
    found: (start: number, leadsTo: readonly T[]) => void,
  ): void {
    const entries = this.#buckets[bucket]!;
    const text = this.#text;
    for (let e = 0; e < entries.length; e++) {
      const { at: own, length, exact, anchor, leadsTo } = entries[e]!;
      const start = at - anchor;
      if (start < 0 || start + length > bytes.length) continue;
      let k = 0;
      if (exact) {
        while (k < length && bytes[start + k] === text[own + k]) k++;
      } else {
        while (k < length && LOWER[bytes[start + k] as number] === text[own + k]) k++;
      }
      if (k === length) found(start, leadsTo);
    }
  }
}
