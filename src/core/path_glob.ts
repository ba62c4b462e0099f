/** Globs of paths, in time that no pattern can blow up: `**`, `*`, `?`, `[a-z]`, `{a,b}`. */
import { Failure } from "./failure.ts";
import { quoted } from "./repo_path.ts";

/** Patterns that the braces of one glob stand for. */
const GLOB_ALTERNATIVES = 64;

const STAR = Symbol("any number");
type Letter = typeof STAR | ((char: string) => boolean);
type Part = typeof STAR | readonly Letter[];

/** The usual walk with one way back, to the last star: as good as trying all for single items. */
function matches<P, T>(
  pattern: readonly (P | typeof STAR)[],
  items: ArrayLike<T>,
  one: (part: P, item: T) => boolean,
): boolean {
  let [at, item, star, resume] = [0, 0, -1, 0];
  while (item < items.length) {
    const part = pattern[at];
    if (part === STAR) {
      star = at++;
      resume = item;
    } else if (part !== undefined && one(part, items[item]!)) {
      at++;
      item++;
    } else if (star !== -1) {
      at = star + 1;
      item = ++resume;
    } else return false;
  }
  while (pattern[at] === STAR) at++;
  return at === pattern.length;
}

/**
 * As .gitignore reads them: a pattern without a slash fits a name in any folder. Names that start
 * with a dot are nothing special. Case counts.
 * @throws Failure `usage`
 */
export function pathGlob(pattern: string): (path: string) => boolean {
  const patterns = alternatives(pattern).map(partsOf);
  return (path) => {
    const names = path.split("/");
    return patterns.some((parts) =>
      matches<readonly Letter[], string>(
        parts,
        names,
        (letters, name) =>
          matches<(char: string) => boolean, string>(letters, name, (is, char) => is(char)),
      )
    );
  };
}

function partsOf(pattern: string): Part[] {
  const plain = pattern.replace(/^(?:\.?\/)+/, "").replace(/\/$/, "/**");
  const anchored = pattern.startsWith("/") || plain.includes("/");
  return [
    ...(anchored ? [] : [STAR] as const),
    ...plain.split("/").map((part) => part === "**" ? STAR : lettersOf(part)),
  ];
}

function lettersOf(part: string): Letter[] {
  const letters: Letter[] = [];
  for (let at = 0; at < part.length; at++) {
    const char = part[at]!;
    const end = char === "[" ? part.indexOf("]", at + 2) : -1;
    if (char === "*") letters.push(STAR);
    else if (char === "?") letters.push(() => true);
    else if (end !== -1) {
      letters.push(classOf(part.slice(at + 1, end)));
      at = end;
    } else {
      const literal = char === "\\" && at + 1 < part.length ? part[++at]! : char;
      letters.push((other) => other === literal);
    }
  }
  return letters;
}

function classOf(text: string): (char: string) => boolean {
  const negated = /^[!^]/.test(text);
  const ranges = [...text.slice(negated ? 1 : 0).matchAll(/(.)-(.)|(.)/gs)]
    .map(([, from, to, single]) => [from ?? single!, to ?? single!] as const);
  return (char) => ranges.some(([from, to]) => from <= char && char <= to) !== negated;
}

/** The patterns that `{a,b}` stands for; braces may lie in each other. */
function alternatives(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  while (open.length > 0) {
    const next = open.pop()!;
    const inner = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (inner === null) done.push(next);
    else {
      const [head, tail] = [next.slice(0, inner.index), next.slice(inner.index + inner[0].length)];
      open.push(...inner[1]!.split(",").map((part) => `${head}${part}${tail}`));
    }
    if (done.length + open.length > GLOB_ALTERNATIVES) {
      throw new Failure(
        "usage",
        `Cannot use the pattern ${quoted(pattern)}: its braces hold too much`,
        {
          remedy: `Use a pattern that stands for at most ${GLOB_ALTERNATIVES} others`,
        },
      );
    }
  }
  return done;
}
