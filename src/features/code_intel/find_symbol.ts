/** Finds where a name is defined in a repo. */
import {
  type Candidates,
  candidates,
  defining,
  definingPrefix,
  parsedFew,
  wholeWord,
} from "./candidates.ts";
import { type CodeScope, withCode } from "./code_file.ts";
import type { SymbolKind } from "./language.ts";
import { languageOf } from "./languages/all.ts";
import { type Definition, outlineOf } from "./outline.ts";

interface SymbolDefinition extends Definition {
  readonly path: string;
}

export type NameFit = "exact" | "other case" | "prefix" | "none";

export interface FoundSymbol {
  readonly fit: NameFit;
  readonly definitions: readonly SymbolDefinition[];
  readonly left: number;
}

interface SymbolQuery {
  /** May start with an owner, as in `Store.save` or `Store::save`; then only its members fit. */
  readonly name: string;
  readonly kind?: SymbolKind;
}

/** Splits `a::b`, `a.b` and `a#b` into the owner's last name and the name. */
function split(name: string): { readonly owner: string | undefined; readonly plain: string } {
  const [, before, plain] = /^(.*[^.:#])(?:::|[.#])([^.:#]+)$/.exec(name) ?? [];
  if (before === undefined || plain === undefined) return { owner: undefined, plain: name };
  return { owner: before.split(/::|[.#]/).at(-1), plain };
}

const SLOW_FILES = 3;

async function definitionsIn(
  scope: CodeScope,
  paths: readonly string[],
  fits: (one: Definition) => boolean,
): Promise<SymbolDefinition[]> {
  const placed: SymbolDefinition[] = [];
  let slow = 0;
  for (const path of paths) {
    if (slow >= SLOW_FILES) break;
    const found = await withCode(scope, path, (file) => "why" in file ? [] : outlineOf(file));
    if (found === undefined) slow++;
    placed.push(...(found ?? []).filter(fits).map((one) => ({ ...one, path })));
  }
  return placed;
}

interface SymbolSearch {
  readonly fit: Exclude<NameFit, "none">;
  readonly patterns: readonly string[];
  readonly ignoreCase?: boolean;
  fits(one: Definition): boolean;
}

function waysTo({ name, kind }: SymbolQuery): readonly SymbolSearch[] {
  const { owner, plain } = split(name);
  const lower = plain.toLowerCase();
  const fitting = (same: (name: string) => boolean) => (one: Definition) =>
    same(one.name) && (kind === undefined || one.kind === kind) &&
    (owner === undefined || one.owner?.toLowerCase() === owner.toLowerCase());
  return [
    {
      fit: "exact",
      // The second pattern finds a name in the middle of a line, as in "let a = 1, b = 2".
      patterns: [defining(plain), wholeWord(plain)],
      fits: fitting((found) => found === plain),
    },
    {
      fit: "other case",
      patterns: [defining(plain)],
      ignoreCase: true,
      fits: fitting((found) => found.toLowerCase() === lower),
    },
    {
      fit: "prefix",
      patterns: [definingPrefix(plain)],
      ignoreCase: true,
      fits: fitting((found) => found.toLowerCase().startsWith(lower)),
    },
  ];
}

/** Parsing this many files is faster than asking git again. */
const FEW_FILES = 30;

const sources = (hits: Candidates["hits"]) =>
  hits.keys().filter((path) => languageOf(path) !== undefined).toArray();

export async function findSymbol(scope: CodeScope, query: SymbolQuery): Promise<FoundSymbol> {
  const ways = waysTo(query);
  const { plain } = split(query.name);
  const anywhere = await candidates(scope, { pattern: plain, fixed: true, ignoreCase: true });
  const files = sources(anywhere.hits);
  if (anywhere.complete && files.length <= FEW_FILES) {
    const all = await definitionsIn(scope, files, () => true);
    for (const { fit, fits } of ways) {
      const definitions = all.filter(fits);
      if (definitions.length > 0) return { fit, definitions, left: 0 };
    }
    return { fit: "none", definitions: [], left: 0 };
  }
  let notParsed = 0;
  for (const { fit, fits, patterns, ...how } of ways) {
    for (const pattern of patterns) {
      const { few, left } = parsedFew(sources((await candidates(scope, { pattern, ...how })).hits));
      notParsed = Math.max(notParsed, left);
      const definitions = await definitionsIn(scope, few, fits);
      if (definitions.length > 0) return { fit, definitions, left };
    }
  }
  return { fit: "none", definitions: [], left: notParsed };
}
