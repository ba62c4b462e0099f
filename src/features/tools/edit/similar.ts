/** Finds lines that are nearly those of an edit: the one that is meant, or three to choose from. */
import { editDistance } from "svc/core/nearest.ts";
import {
  type EditChange,
  editLines,
  type EditRequest,
  keepingContext,
  linesAt,
  spanOf,
} from "./lines.ts";
import { plainLine } from "./text_view.ts";

/** Pairs of lines, and of letters, that one search compares: some 0.3 s each. */
const EDIT_LINE_PAIRS = 2_000_000;
const EDIT_LETTER_PAIRS = 20_000_000;

/** A place with similarity GOOD counts as the text itself, unless another place reaches RIVAL. */
const GOOD = 0.9;
const RIVAL = 0.8;
const SHOWN = 3;
/** Candidates whose distance is counted letter by letter. */
const COMPARED = 300;

export interface SimilarLines {
  /** From 0. */
  readonly first: number;
  readonly count: number;
  /** 0 to 1: the share of letters that need no change. */
  readonly score: number;
}

interface RankedLines {
  /** Best first, without overlaps. */
  readonly candidates: readonly SimilarLines[];
  /** False when the search was given up: a rival may be missing. */
  readonly complete: boolean;
}

const BUCKETS = 64;

function letters(line: string): Uint16Array {
  const counts = new Uint16Array(BUCKETS);
  for (let at = 0; at < line.length; at++) counts[line.charCodeAt(at) % BUCKETS]!++;
  return counts;
}

/** An upper bound of the letters that can stay. */
function shared(one: Uint16Array, other: Uint16Array): number {
  let sum = 0;
  for (let at = 0; at < BUCKETS; at++) sum += Math.min(one[at]!, other[at]!);
  return sum;
}

class LetterBudget {
  #left = EDIT_LETTER_PAIRS;

  /** Undefined when counting would take too long. */
  distance(one: string, other: string): number | undefined {
    if (one === other) return 0;
    let start = 0;
    const least = Math.min(one.length, other.length);
    while (start < least && one[start] === other[start]) start++;
    let end = 0;
    while (end < least - start && one.at(-1 - end) === other.at(-1 - end)) end++;
    const [a, b] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
    this.#left -= a.length * b.length;
    return this.#left < 0 ? undefined : editDistance(a, b);
  }
}

/** Candidates with an upper bound as their score. */
function* bounds(file: readonly string[], old: readonly string[]): Generator<SimilarLines> {
  const [inFile, wanted] = [file.map(letters), old.map(letters)];
  for (let first = 0; first + old.length <= file.length; first++) {
    let [same, all] = [0, 0];
    for (const [at, line] of old.entries()) {
      same += shared(inFile[first + at]!, wanted[at]!);
      all += Math.max(file[first + at]!.length, line.length);
    }
    yield { first, count: old.length, score: all === 0 ? 0 : same / all };
  }
}

function rank(text: string, asked: readonly string[]): RankedLines {
  const file = linesAt(text).map((line) => plainLine(line.text));
  const old = asked.map(plainLine).slice(0, Math.max(1, file.length));
  if (file.length * old.length > EDIT_LINE_PAIRS || old.join("").trim() === "") {
    return { candidates: [], complete: false };
  }
  const possible = [...bounds(file, old)].sort((a, b) => b.score - a.score);
  const budget = new LetterBudget();
  const scored: SimilarLines[] = [];
  let complete = old.length === asked.length;
  for (const candidate of possible.slice(0, COMPARED)) {
    const score = scoreOf(file, old, candidate.first, budget);
    if (score === undefined) {
      complete = false;
      break;
    }
    scored.push({ ...candidate, score });
  }
  if ((possible[COMPARED]?.score ?? 0) >= RIVAL) complete = false;
  const candidates: SimilarLines[] = [];
  for (const one of scored.sort((a, b) => b.score - a.score)) {
    const apart = candidates.every(({ first, count }) => Math.abs(first - one.first) >= count);
    if (apart) candidates.push(one);
  }
  return { candidates, complete };
}

function scoreOf(
  file: readonly string[],
  old: readonly string[],
  first: number,
  budget: LetterBudget,
): number | undefined {
  let [changes, all] = [0, 0];
  for (const [at, line] of old.entries()) {
    const other = file[first + at]!;
    const distance = budget.distance(line, other);
    if (distance === undefined) return undefined;
    changes += distance;
    all += Math.max(line.length, other.length);
  }
  return all === 0 ? 0 : 1 - changes / all;
}

export function fuzzyPlace(text: string, asked: EditRequest): EditChange[] {
  const block = editLines(asked);
  const { candidates: [best, rival], complete } = rank(text, block.old);
  if (!complete || best === undefined || best.score < GOOD) return [];
  if (rival !== undefined && rival.score >= RIVAL) return [];
  const lines = linesAt(text);
  const end = block.ended ? "\n" : "";
  const region = lines.slice(best.first, best.first + best.count).map((line) => line.text).join(
    "\n",
  );
  return [spanOf(lines, best, block, keepingContext(region + end, asked))];
}

/** Best first. */
export function nearest(text: string, old: string): readonly SimilarLines[] {
  return rank(text, editLines({ old, new: "" }).old).candidates.slice(0, SHOWN);
}

export function snippet(
  lines: readonly string[],
  { first, count }: SimilarLines,
  { max, show }: { readonly max: number; readonly show: (line: string) => string },
): string {
  const shown = lines.slice(first, first + Math.min(count, max)).map(show);
  const more = count - shown.length;
  return [...shown, ...(more > 0 ? [`[${more} more lines]`] : [])].join("\n");
}
