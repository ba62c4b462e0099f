/** Joins two edits of one text line by line (the three-way merge of diff3), and tells which lines are new. Pure. */

/** More pairs of lines than these are not compared: the whole stretch then counts as changed. */
const MOST_PAIRS = 4_000_000;

/** For each line of `a` its partner in `b`, or -1: a longest common subsequence. */
function partners(a: readonly string[], b: readonly string[]): Int32Array {
  const found = new Int32Array(a.length).fill(-1);
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) {
    found[from] = from;
    from++;
  }
  let [aTo, bTo] = [a.length, b.length];
  while (aTo > from && bTo > from && a[aTo - 1] === b[bTo - 1]) found[--aTo] = --bTo;
  const [rows, columns] = [aTo - from, bTo - from];
  if (rows === 0 || columns === 0 || rows * columns > MOST_PAIRS) return found;
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column]!;
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      lengths[row * width + column] = a[from + row] === b[from + column]
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  for (let row = 0, column = 0; row < rows && column < columns;) {
    if (a[from + row] === b[from + column]) found[from + row++] = from + column++;
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return found;
}

export interface MarkedLine {
  readonly text: string;
  /** It does not stand in the text that both began with. */
  readonly fresh: boolean;
}

export function markedLines(base: string, text: string): readonly MarkedLine[] {
  const lines = text.split("\n");
  const known = new Set(partners(base.split("\n"), lines));
  return lines.map((line, nth) => ({ text: line, fresh: !known.has(nth) }));
}

export const MARKS = { mine: "<<<<<<< yours", between: "=======", theirs: ">>>>>>> in the repo" };

const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((line, nth) => line === b[nth]);

export interface MergedText {
  readonly text: string;
  /** Places where both changed the same lines; both stand there between marks. */
  readonly open: number;
}

export function mergedText(base: string, mine: string, theirs: string): MergedText {
  const [old, own, other] = [base.split("\n"), mine.split("\n"), theirs.split("\n")];
  const [inOwn, inOther] = [partners(old, own), partners(old, other)];
  const out: string[] = [];
  let open = 0;
  for (let at = 0, ownAt = 0, otherAt = 0; at <= old.length;) {
    let stable = at;
    while (stable < old.length && (inOwn[stable]! < 0 || inOther[stable]! < 0)) stable++;
    const ended = stable === old.length;
    const [ownTo, otherTo] = ended
      ? [own.length, other.length]
      : [inOwn[stable]!, inOther[stable]!];
    const was = old.slice(at, stable);
    const [a, b] = [own.slice(ownAt, ownTo), other.slice(otherAt, otherTo)];
    if (same(a, was)) out.push(...b);
    else if (same(b, was) || same(a, b)) out.push(...a);
    else {
      out.push(MARKS.mine, ...a, MARKS.between, ...b, MARKS.theirs);
      open++;
    }
    if (!ended) out.push(old[stable]!);
    [at, ownAt, otherAt] = [stable + 1, ownTo + 1, otherTo + 1];
  }
  return { text: out.join("\n"), open };
}

/** Places that still hold both texts between marks. */
export function openPlaces(text: string): number {
  return text.split("\n").filter((line) => line === MARKS.mine || line === MARKS.theirs).length / 2;
}
