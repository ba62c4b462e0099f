/** Lets git find the few files worth parsing. */
import type { GrepHit, GrepQuery } from "svc/platform/git/grep.ts";
import type { CodePlace } from "./code_place.ts";

/** Files that one look-up parses: some 2 MB of source in 0.5 s. */
const CODE_FILES_PARSED = 200;

/** Its letters mean themselves, in Perl's expressions and in POSIX's. */
const literal = (text: string) => text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");

/** The name where it stands alone; one that starts or ends with a sign, as `save!`, ends by itself. */
export function wholeWord(name: string): string {
  return `${/^\w/.test(name) ? "\\b" : ""}${literal(name)}${/\w$/.test(name) ? "\\b" : ""}`;
}

/**
 * Lines that may define the name: before it stand words and what types are written with, but neither
 * a call nor an assignment; or the word that starts a definition. Written for both kinds of
 * expressions.
 */
const TYPES = "[][A-Za-z0-9_<>,*&:?@~$#|[:space:]]";
const OPENING = `^(${TYPES}|\\([^()]*\\)|self\\.|prototype\\.|exports\\.){0,200}`;
const KEYWORD =
  "(function|def|fn|func|fun|class|struct|interface|trait|enum|type|const|let|var|mod)";
const BEFORE = `(${OPENING}|${KEYWORD}[*[:space:]]+)`;

export const defining = (name: string) => `${BEFORE}${wholeWord(name)}`;
export const definingPrefix = (name: string) =>
  `${BEFORE}${/^\w/.test(name) ? "\\b" : ""}${literal(name)}`;

export interface Candidates {
  /** By path, in the order of their lines. */
  readonly hits: ReadonlyMap<string, readonly GrepHit[]>;
  /** False when git found more than it counts. */
  readonly complete: boolean;
}

const byPath = (one: GrepHit, other: GrepHit) =>
  one.path < other.path ? -1 : one.path > other.path ? 1 : one.line - other.line;

/** Where git finds it, without what must not be shown. */
export async function candidates(
  { repo, allowed }: Pick<CodePlace, "repo" | "allowed">,
  query: GrepQuery,
): Promise<Candidates> {
  const { hits, complete } = await repo.grep(query);
  const shown = hits.filter(({ path }) => allowed(path)).sort(byPath);
  return { hits: Map.groupBy(shown, ({ path }) => path), complete };
}

/** The first of them, and how many are left out. */
export function parsedFew(paths: Iterable<string>): { few: readonly string[]; left: number } {
  const all = [...paths];
  return {
    few: all.slice(0, CODE_FILES_PARSED),
    left: Math.max(0, all.length - CODE_FILES_PARSED),
  };
}
