/** Heights of rows that are known only once they were drawn: where each row stands, and which are in sight. Pure. */

/** Height in pixels of a row that was not drawn yet. */
const GUESSED = 84;

export class RowHeights {
  #heights = new Float64Array(0);
  count = 0;

  /** New rows at the end are guessed. */
  grow(count: number): void {
    if (count > this.#heights.length) {
      const more = new Float64Array(Math.max(count, this.#heights.length * 2)).fill(GUESSED);
      more.set(this.#heights);
      this.#heights = more;
    }
    this.count = count;
  }

  /** @returns by how much the row was guessed too low */
  measured(nth: number, height: number): number {
    const more = height - this.#heights[nth]!;
    this.#heights[nth] = height;
    return more;
  }

  /** Pixels above row `nth`; the height of all for `count`. */
  above(nth: number): number {
    let sum = 0;
    for (let at = 0; at < nth; at++) sum += this.#heights[at]!;
    return sum;
  }

  /** The rows that touch these pixels; `last` is not among them. */
  within(from: number, to: number): { readonly first: number; readonly last: number } {
    let [nth, top] = [0, 0];
    while (nth < this.count - 1 && top + this.#heights[nth]! <= from) top += this.#heights[nth++]!;
    const first = nth;
    while (nth < this.count && top < to) top += this.#heights[nth++]!;
    return { first, last: nth };
  }
}

/** Those of `all` that are farthest from what is seen, so that `kept` remain. */
export function farFrom(
  { first, last }: { readonly first: number; readonly last: number },
  all: readonly number[],
  kept: number,
): readonly number[] {
  if (all.length <= kept) return [];
  const far = (nth: number) => Math.max(first - nth, nth - last);
  return all.toSorted((a, b) => far(b) - far(a)).slice(0, all.length - kept);
}
