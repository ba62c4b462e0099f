/** Paths in one line of words, which can be read out of it again: a name may hold a comma. */

const PLAIN = /^[^\s",][^",]*$/;

/** `a.txt, "b, c.txt"` */
export const pathList = (paths: readonly string[]): string =>
  paths.map((path) => PLAIN.test(path) && path === path.trimEnd() ? path : JSON.stringify(path))
    .join(", ");

/** Where the quoted name ends that begins here; undefined for a name that merely begins with a quote. */
function quoteEnd(list: string, from: number): number | undefined {
  for (let at = from + 1; at < list.length; at++) {
    if (list[at] === "\\") at++;
    else if (list[at] === '"') {
      return at + 1 === list.length || list[at + 1] === "," ? at + 1 : undefined;
    }
  }
  return undefined; // cut off
}

export function pathsIn(list: string): string[] {
  const paths: string[] = [];
  for (let at = 0; at < list.length;) {
    if (list[at] === " ") {
      at++;
      continue;
    }
    const quoted = list[at] === '"' ? quoteEnd(list, at) : undefined;
    const comma = list.indexOf(",", at);
    const end = quoted ?? (comma === -1 ? list.length : comma);
    const path = list.slice(at, end);
    paths.push(quoted === undefined ? path.trim() : pathOf(path));
    at = end + 1;
  }
  return paths.filter((path) => path !== "");
}

function pathOf(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text; // written before names were quoted
  }
}
