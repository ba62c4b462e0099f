/** Cuts off the end of a text in linear time; `/x+$/` takes quadratic time on long runs of x (CWE-1333). */

/** @param ends the characters to cut off, one code unit each */
export function withoutEnding(text: string, ends: string): string {
  let end = text.length;
  while (end > 0 && ends.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
