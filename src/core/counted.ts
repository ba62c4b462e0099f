/** A count with its noun, as in `1 job` and `2 jobs`. */

/** @param word in the singular; `many` where an s is not enough, such as "branches" */
export const counted = (count: number, word: string, many = `${word}s`): string =>
  `${count} ${count === 1 ? word : many}`;
