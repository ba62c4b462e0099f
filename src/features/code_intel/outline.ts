/** Lists the definitions of a file, with their nesting. */
import { withoutEnding } from "svc/core/text_ends.ts";
import type { QueryCapture, QueryMatch } from "svc/platform/tree_sitter.ts";
import type { ParsedFile } from "./code_file.ts";
import { KINDS, type SymbolKind } from "./language.ts";

export interface Definition {
  readonly kind: SymbolKind;
  readonly name: string;
  /** From 1. */
  readonly line: number;
  readonly endLine: number;
  readonly depth: number;
  /** Name of the nearest definition around it, or of the type whose method it is. */
  readonly owner: string | undefined;
  readonly at: number;
}

const isKind = (name: string): name is SymbolKind => (KINDS as readonly string[]).includes(name);

/** `./x` for a module `"./x"`, `Store` for a receiver `*Store[T]`; `operator<<` is a whole name of C++. */
function plain(text: string): string {
  if (/^operator\W/.test(text)) return text;
  return withoutEnding(text.trim().replace(/^["'*&\s(]+/, ""), "\"')\t\n\r ").split(/[[<]/, 1)[0]!;
}

interface DefinitionMatch {
  readonly kind: SymbolKind;
  readonly name: QueryCapture;
  readonly whole: QueryCapture;
  readonly scope: string | undefined;
}

function found({ captures }: QueryMatch): DefinitionMatch | undefined {
  const name = captures.find((one) => one.name === "name");
  // In some patterns the kind is captured at the name: the definition then has no node of its own.
  const whole = captures.find((one) => isKind(one.name));
  const scope = captures.find((one) => one.name === "scope")?.text;
  if (name === undefined || whole === undefined || !isKind(whole.name)) return undefined;
  return { kind: whole.name, name, whole, scope: scope === undefined ? undefined : plain(scope) };
}

/** In the order of the file; undefined when the query takes too long. */
export function outlineOf({ syntax, language }: ParsedFile): readonly Definition[] | undefined {
  const matches = syntax.matches(language.definitions);
  if (typeof matches === "string") return undefined;
  const byName = new Map<number, DefinitionMatch & { readonly pattern: number }>();
  for (const match of matches) {
    const one = found(match);
    if (one === undefined) continue;
    const known = byName.get(one.name.start);
    if (known === undefined || match.pattern < known.pattern) {
      byName.set(one.name.start, { ...one, pattern: match.pattern });
    }
  }
  const inOrder = [...byName.values()].sort((a, b) =>
    a.whole.start - b.whole.start || b.whole.end - a.whole.end || a.name.start - b.name.start
  );
  const around: DefinitionMatch[] = [];
  return inOrder.map((one) => {
    while (around.length > 0 && around.at(-1)!.whole.end <= one.whole.start) around.pop();
    const depth = around.length;
    const owner = one.scope ?? around.at(-1)?.name.text;
    around.push(one);
    return {
      kind: one.kind,
      name: plain(one.name.text),
      line: one.whole.line,
      endLine: one.whole.endLine,
      depth,
      at: one.name.start,
      owner: owner === undefined ? undefined : plain(owner),
    };
  });
}
