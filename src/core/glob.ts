/** Globs over paths of a repo, in two dialects; no pattern, which a repo may bring, can hang svc. */
import { withoutEnding } from "svc/core/text_ends.ts";
import { POLICY_PATTERNS } from "./bounds.ts";
import { Failure } from "./failure.ts";
import { foldedParts, quoted } from "./repo_path.ts";

/** What braces may stand for: a policy glob with more covers everything, a search glob is refused. */
export const GLOB_SPELLINGS = 256;
const SEARCH_SPELLINGS = 64;

/** Any number of characters in a name, any number of names in a path. */
const STAR = Symbol("any number");
type CharPattern = string | ((char: string) => boolean);
type NamePattern = string | readonly (CharPattern | typeof STAR)[];
type PathPattern = readonly (NamePattern | typeof STAR)[];

/** Goes back to the last star alone: the earliest place between two stars is always good enough. */
function matches<Part, Item>(
  pattern: readonly (Part | typeof STAR)[],
  items: ArrayLike<Item>,
  fits: (part: Part, item: Item) => boolean,
): boolean {
  let [at, item, star, resume] = [0, 0, -1, 0];
  while (item < items.length) {
    const part = pattern[at];
    if (part === STAR) {
      star = at++;
      resume = item;
    } else if (part !== undefined && fits(part, items[item]!)) {
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

const charFits = (wanted: CharPattern, char: string) =>
  typeof wanted === "string" ? wanted === char : wanted(char);

/** One item per code point; a string without surrogates is already that. */
const charsOf = (name: string) => /[\ud800-\udfff]/.test(name) ? [...name] : name;

const nameFits = (wanted: NamePattern, name: string) =>
  typeof wanted === "string" ? wanted === name : matches(wanted, charsOf(name), charFits);

/** Resolves `{a,b}`, also nested; undefined when it stands for more than `most` patterns. */
function spelledOut(pattern: string, most: number): string[] | undefined {
  const plain: string[] = [];
  const open = [pattern];
  while (open.length > 0) {
    const text = open.pop()!;
    const braces = /\{([^{},]*,[^{}]*)\}/.exec(text);
    if (braces === null) plain.push(text);
    else {
      const [whole, inner = ""] = braces;
      const [head, tail] = [text.slice(0, braces.index), text.slice(braces.index + whole.length)];
      for (const choice of inner.split(",")) open.push(head + choice + tail);
    }
    if (plain.length + open.length > most) return undefined;
  }
  return plain;
}

const any = () => true;

/** `parts` are `foldedParts` of a path, so that many globs need one folding. */
type PolicyMatcher = (parts: readonly string[]) => boolean;

const ready = new Map<string, PolicyMatcher>();

/** Policies: `*` and `?` stay within a name, `**` is any number of folders, `{a,b}` is either. Starts at the
 * repo's root, covers what lies below a match, and folds case and Unicode as `protectionOf` does. */
export function globMatcher(pattern: string): PolicyMatcher {
  const known = ready.get(pattern);
  if (known !== undefined) return known;
  const spellings = spelledOut(pattern, GLOB_SPELLINGS)?.map(policyPattern);
  // A policy denies what its globs cover, so that nothing slips through one with too many braces.
  const matcher: PolicyMatcher = (parts) =>
    spellings === undefined || spellings.some((names) => matches(names, parts, nameFits));
  if (ready.size >= POLICY_PATTERNS) ready.clear();
  ready.set(pattern, matcher);
  return matcher;
}

function policyPattern(pattern: string): PathPattern {
  const names = foldedParts(withoutEnding(pattern.replace(/^(?:\.?\/)+/, ""), "/"))
    .filter((name) => name !== "");
  // An empty pattern matches nothing, since no path is empty; others cover what lies below.
  if (names.length === 0) return [];
  return [...names.map((name) => name === "**" ? STAR : policyName(name)), STAR];
}

function policyName(name: string): NamePattern {
  if (!/[*?]/.test(name)) return name;
  return [...name].map((char) => char === "*" ? STAR : char === "?" ? any : char);
}

/** Searches, as .gitignore: without a slash a name fits in any folder; `[a-z]` and `\` have a meaning,
 * case counts, a leading dot is nothing special. @throws Failure `usage` */
export function pathGlob(pattern: string): (path: string) => boolean {
  const spellings = spelledOut(pattern, SEARCH_SPELLINGS)?.map(searchPattern);
  if (spellings === undefined) {
    throw new Failure(
      "usage",
      `Cannot use the pattern ${quoted(pattern)}: its braces hold too much`,
      { remedy: `Use a pattern that stands for at most ${SEARCH_SPELLINGS} others` },
    );
  }
  return (path) => {
    const names = path.split("/");
    return spellings.some((parts) => matches(parts, names, nameFits));
  };
}

function searchPattern(pattern: string): PathPattern {
  const plain = pattern.replace(/^(?:\.?\/)+/, "").replace(/\/$/, "/**");
  const anchored = pattern.startsWith("/") || plain.includes("/");
  const names = plain.split("/").map((name) => name === "**" ? STAR : searchName(name));
  return anchored ? names : [STAR, ...names];
}

function searchName(name: string): NamePattern {
  const chars = [...name];
  const wanted: (CharPattern | typeof STAR)[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!;
    const end = char === "[" ? chars.indexOf("]", at + 2) : -1;
    if (char === "*") wanted.push(STAR);
    else if (char === "?") wanted.push(any);
    else if (end !== -1) {
      wanted.push(charClass(chars.slice(at + 1, end).join("")));
      at = end;
    } else wanted.push(char === "\\" && at + 1 < chars.length ? chars[++at]! : char);
  }
  return wanted;
}

function charClass(text: string): (char: string) => boolean {
  const negated = /^[!^]/.test(text);
  const ranges = [...text.slice(negated ? 1 : 0).matchAll(/(.)-(.)|(.)/gsu)]
    .map(([, from, to, single]) => [from ?? single!, to ?? single!] as const);
  return (char) => ranges.some(([from, to]) => from <= char && char <= to) !== negated;
}
