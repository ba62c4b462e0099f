/** Parts of a reply by the numbers that the server gives them. */

/** A run carries out 200 calls; a server may send many more parts in 8 MiB. */
const REPLY_PARTS = 2_000;

/** No array: one that has its only part at place 4,000,000,000 takes minutes to walk. */
export class Numbered<T> {
  readonly #parts = new Map<number, T>();

  at(number: number): T | undefined {
    return this.#parts.get(number);
  }

  /** One without a number is passed over. @returns false where there are too many */
  put(number: number, part: T): boolean {
    if (!Number.isSafeInteger(number) || number < 0) return true;
    this.#parts.set(number, part);
    return this.#parts.size <= REPLY_PARTS;
  }

  /** By their numbers. */
  all(): T[] {
    return [...this.#parts].sort(([one], [other]) => one - other).map(([, part]) => part);
  }
}
