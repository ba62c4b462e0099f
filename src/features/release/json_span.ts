/** Finds a string in a JSON file by its keys, so that an edit changes no other byte; comments may stand in it. */

export interface Span {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

const TOKEN = /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|[{}[\],:]/g;

/** The text between the quotes; undefined where no string of plain characters is there. */
export function jsonSpan(text: string, keys: readonly string[]): Span | undefined {
  const path: (string | undefined)[] = [];
  let key: string | undefined;
  let last: string | undefined;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.startsWith("/")) continue;
    if (token === "{" || token === "[") {
      path.push(token === "{" ? key : undefined);
      // The whole object has no key; an array's members have none that is asked for.
      key = last = undefined;
    } else if (token === "}" || token === "]") {
      path.pop();
      key = undefined;
    } else if (token === ":") key = last;
    else if (token === ",") key = undefined;
    else if (key === undefined) last = token.slice(1, -1);
    else {
      const here = [...path.slice(1), key];
      const same = here.length === keys.length && here.every((one, at) => one === keys[at]);
      if (same && !token.includes("\\")) {
        return { start: index + 1, end: index + token.length - 1, value: token.slice(1, -1) };
      }
    }
  }
  return undefined;
}
