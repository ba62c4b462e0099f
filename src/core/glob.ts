/** Globs over paths of a repo, in time linear in the path: a repo's own pattern cannot hang svc. */
import { POLICY_PATTERNS } from "./bounds.ts";
import { foldedParts } from "./repo_path.ts";

/** Spellings that the braces of one glob may stand for; one with more is taken to match everything. */
export const GLOB_SPELLINGS = 256;

/** `"**"`, a name without wildcards, or the code points of one with them. */
type Segment = "**" | { readonly name: string } | { readonly wild: readonly string[] };

/** @param parts `foldedParts` of a path, so that many globs cost one folding */
type Matcher = (parts: readonly string[]) => boolean;

const ready = new Map<string, Matcher>();

/**
 * `*` and `?` stay within a name, `**` as a whole name is any number of folders, `{a,b}` is either;
 * all else is literal. A pattern starts at the repo's root and covers what lies below whatever it
 * matches. Case and Unicode forms are folded as in `protectionOf`.
 */
export function globMatcher(pattern: string): Matcher {
  const known = ready.get(pattern);
  if (known !== undefined) return known;
  const matcher = compile(pattern);
  if (ready.size >= POLICY_PATTERNS) ready.clear();
  ready.set(pattern, matcher);
  return matcher;
}

function compile(pattern: string): Matcher {
  const spellings = spelledOut(pattern);
  // Who writes so many means to deny: nothing slips through.
  if (spellings === undefined) return () => true;
  const compiled = spellings.map(segmentsOf);
  return (parts) => compiled.some((segments) => covers(segments, parts));
}

/** Braces written out, the innermost first; undefined when there would be too many. */
function spelledOut(pattern: string): string[] | undefined {
  let open = [pattern];
  const plain: string[] = [];
  while (open.length > 0) {
    const next: string[] = [];
    for (const text of open) {
      const found = /\{([^{}]*,[^{}]*)\}/.exec(text);
      if (found === null) plain.push(text);
      else {
        const [whole, inner = ""] = found;
        const [head, tail] = [text.slice(0, found.index), text.slice(found.index + whole.length)];
        for (const choice of inner.split(",")) next.push(head + choice + tail);
      }
      if (plain.length + next.length > GLOB_SPELLINGS) return undefined;
    }
    open = next;
  }
  return plain;
}

function segmentsOf(pattern: string): Segment[] {
  const names = foldedParts(pattern.replace(/^(?:\.?\/)+/, "").replace(/\/+$/, ""));
  return names.filter((name) => name !== "").map((name) => {
    if (name === "**") return "**";
    return /[*?]/.test(name) ? { wild: [...name.replace(/\*+/g, "*")] } : { name };
  });
}

/**
 * True when the segments match the whole path or a folder above it. The earliest place for what
 * stands between two `**` is always good enough, so only the last `**` is ever gone back to.
 */
function covers(segments: readonly Segment[], parts: readonly string[]): boolean {
  let at = 0;
  let [star, from] = [-1, 0];
  let segment = 0;
  while (segment < segments.length) {
    const wanted = segments[segment]!;
    if (wanted === "**") [star, from] = [segment++, at];
    else if (at < parts.length && matchesName(wanted, parts[at]!)) {
      [segment, at] = [segment + 1, at + 1];
    } else if (star !== -1 && from < parts.length) [segment, at] = [star + 1, ++from];
    else return false;
  }
  return segments.length > 0;
}

function matchesName(wanted: Exclude<Segment, "**">, name: string): boolean {
  return "name" in wanted ? wanted.name === name : matchesWild(wanted.wild, [...name]);
}

/** The same walk over the characters of one name. */
function matchesWild(wild: readonly string[], name: readonly string[]): boolean {
  let [w, n] = [0, 0];
  let [star, from] = [-1, 0];
  while (n < name.length) {
    if (wild[w] === "*") [star, from] = [w++, n];
    else if (wild[w] === "?" || wild[w] === name[n]) [w, n] = [w + 1, n + 1];
    else if (star !== -1) [w, n] = [star + 1, ++from];
    else return false;
  }
  while (wild[w] === "*") w++;
  return w === wild.length;
}
