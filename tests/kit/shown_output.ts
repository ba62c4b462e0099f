/** Compares what a document shows with what a command printed. */

/** What differs from one run to the next. */
export function still(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/^\d\d:\d\d:\d\dZ /gm, "<time> ")
    .replaceAll(/127\.0\.0\.1:\d+/g, "<address>")
    .replaceAll(/\bjob [0-9a-f]{8}\b/g, "job <id>")
    .replaceAll(/after [\d.]+ m?s/g, "after <while>");
}

/** A line `…` stands for any lines. */
export function fits(expected: readonly string[], actual: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return actual.length === 0;
  if (first !== "…") return actual[0] === first && fits(rest, actual.slice(1));
  return fits(rest, actual) || (actual.length > 0 && fits(expected, actual.slice(1)));
}
