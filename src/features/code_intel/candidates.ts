/** Finds the few files worth parsing with git grep. */
import { compareText } from "svc/core/order.ts";
import type { GrepHit, GrepQuery } from "svc/platform/git/grep.ts";
import type { CodeScope } from "./code_file.ts";

/** Most files that one look-up parses: some 2 MB of source in 0.5 s. */
const CODE_FILES_PARSED = 200;

const literal = (text: string) => text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");

/** Matches the name as a whole word; a sign at its end, as in `save!`, needs no word boundary. */
export function wholeWord(name: string): string {
  return `${/^\w/.test(name) ? "\\b" : ""}${literal(name)}${/\w$/.test(name) ? "\\b" : ""}`;
}

/** Only words and types, or a keyword of definitions, precede the name. Valid in Perl and POSIX. */
const TYPES = "[][A-Za-z0-9_<>,*&:?@~$#|[:space:]]";
const OPENING = `^(${TYPES}|\\([^()]*\\)|self\\.|prototype\\.|exports\\.){0,200}`;
const KEYWORD =
  "(function|def|fn|func|fun|class|struct|interface|trait|enum|type|const|let|var|mod)";
const BEFORE = `(${OPENING}|${KEYWORD}[*[:space:]]+)`;

export const defining = (name: string) => `${BEFORE}${wholeWord(name)}`;
export const definingPrefix = (name: string) =>
  `${BEFORE}${/^\w/.test(name) ? "\\b" : ""}${literal(name)}`;

export interface Candidates {
  readonly hits: ReadonlyMap<string, readonly GrepHit[]>;
  readonly complete: boolean;
}

const byPath = (one: GrepHit, other: GrepHit) =>
  compareText(one.path, other.path) || one.line - other.line;

export async function candidates(
  { git, allowed }: Pick<CodeScope, "allowed" | "git">,
  query: GrepQuery,
): Promise<Candidates> {
  const { hits, complete } = await git.grep(query);
  const shown = hits.filter(({ path }) => allowed(path)).sort(byPath);
  return { hits: Map.groupBy(shown, ({ path }) => path), complete };
}

export function parsedFew(
  paths: Iterable<string>,
  most = CODE_FILES_PARSED,
): { few: readonly string[]; left: number } {
  const all = [...paths];
  return { few: all.slice(0, most), left: Math.max(0, all.length - most) };
}
