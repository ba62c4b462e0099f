/** Notices a stream that repeats itself without end: a small model in a loop, or a broken sampler. */

/**
 * Characters (about four a token) of exact repetition that end a reply. Nobody says a sentence for a KiB;
 * tables, rulers and base64 may be equal for longer, and the files in arguments for longer still. A model
 * that needs more equal rows than these had better write a program.
 */
const REPEATED_PROSE_CHARS = 1024;
const REPEATED_CHARS = 4 * 1024;
const REPEATED_FILE_CHARS = 16 * 1024;

/** However long a passage is, fewer repeats than this do not count as a loop. */
const REPEATED_TIMES = 4;

/** Characters that are looked at: a passage of 4 KiB fits in `REPEATED_TIMES`. */
const LOOKED_AT_CHARS = 20 * 1024;

/** Characters between two looks, each of which is one pass over those looked at. */
const LOOK_CHARS = 1024;

/** Sentences with names and paths: none of the marks and columns of tables, code and data. */
const PROSE = /^(?!.*(?: {2}|\n ))[\p{L}\p{M}\p{N} \n.,:!?'"“”‘’`()/…_*–—-]+$/su;
const WORDS = /\p{L}{2}[^\p{L}]+\p{L}{2,}[^\p{L}]+\p{L}{2}/u;

export interface RepetitionWatch {
  /** Whether the stream repeats itself by now. */
  add(piece: string): boolean;
  /** Characters of the stream before it begins to repeat itself. */
  kept(): number;
}

interface Repetition {
  readonly period: number;
  readonly length: number;
}

/** For each length, the longest proper border of so much of the text's end (Knuth, Morris, Pratt 1977). */
function borders(text: string): Uint32Array {
  const end = text.length - 1;
  const border = new Uint32Array(text.length + 1);
  for (let at = 1, length = 0; at < text.length; at++) {
    const code = text.charCodeAt(end - at);
    while (length > 0 && code !== text.charCodeAt(end - length)) length = border[length]!;
    if (code === text.charCodeAt(end - length)) length++;
    border[at + 1] = length;
  }
  return border;
}

function isProse(passage: string): boolean {
  return PROSE.test(passage) && WORDS.test(passage + passage);
}

/** What repeats itself ends with something that was there before: looked for first, since it costs little. */
const PROBE_CHARS = 64;

function repetitionAt(text: string, proseChars: number, chars: number): Repetition | undefined {
  const probe = text.slice(-PROBE_CHARS);
  if (text.length < proseChars || text.lastIndexOf(probe, text.length - PROBE_CHARS - 1) === -1) {
    return undefined;
  }
  const border = borders(text);
  let found: Repetition | undefined;
  let needed = chars;
  for (let length = proseChars, before = 0; length <= text.length; length++) {
    const period = length - border[length]!;
    if (period * REPEATED_TIMES > length) continue;
    if (period !== before) needed = isProse(text.slice(-period)) ? proseChars : chars;
    before = period;
    if (length >= needed) found = { period, length };
  }
  return found;
}

/** @param holdsFiles whether equal lines may be a file that the model writes */
export function repetitionWatch(holdsFiles: boolean): RepetitionWatch {
  const chars = holdsFiles ? REPEATED_FILE_CHARS : REPEATED_CHARS;
  const proseChars = holdsFiles ? REPEATED_FILE_CHARS : REPEATED_PROSE_CHARS;
  let tail = "";
  let fresh = "";
  let total = 0;
  let found: Repetition | undefined;
  return {
    add(piece) {
      total += piece.length;
      fresh += piece;
      if (fresh.length < LOOK_CHARS) return found !== undefined;
      tail = (tail + fresh).slice(-LOOKED_AT_CHARS);
      fresh = "";
      found ??= repetitionAt(tail, proseChars, chars);
      return found !== undefined;
    },
    kept: () => found === undefined ? total : total - fresh.length - found.length + found.period,
  };
}
