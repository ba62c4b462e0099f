/** Paths in one line of words, which can be read out of it again: a name may hold a comma. */

const PLAIN = /^[^\s",][^",]*$/;

/** `a.txt, "b, c.txt"` */
export const pathList = (paths: readonly string[]): string =>
  paths.map((path) => PLAIN.test(path) && path === path.trimEnd() ? path : JSON.stringify(path))
    .join(", ");

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text; // cut off, or written before paths were quoted
  }
}

export const pathsIn = (list: string): string[] =>
  Array.from(
    list.matchAll(/\s*("(?:[^"\\]|\\.)*"(?=\s*(?:,|$))|[^,]+)(?:,|$)/g),
    ([, path = ""]) => path.startsWith('"') ? unquoted(path) : path.trim(),
  ).filter((path) => path !== "");
