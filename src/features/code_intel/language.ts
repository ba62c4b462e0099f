/** What svc knows about a programming language: its files, definitions and imports. */

export const KINDS = [
  "function",
  "method",
  "class",
  "struct",
  "interface",
  "trait",
  "enum",
  "type",
  "module",
  "constant",
  "macro",
] as const;
export type SymbolKind = typeof KINDS[number];

/** Best first. A path that ends in "/" means all files of that folder. */
export interface ImportTargets {
  readonly exact: readonly string[];
  /** Ends of paths, for languages whose package root is not known. */
  readonly ends: readonly string[];
}

export interface Language {
  readonly name: string;
  readonly grammar: string;
  /** File name extensions with their dot, or whole names, in lower case. */
  readonly files: readonly string[];
  /** Tree-sitter query: `@name`, a kind around it, perhaps `@scope`; the first match counts. */
  readonly definitions: string;
  /** Tree-sitter query that captures `@from`, the module, and perhaps `@member`, a part of it. */
  readonly imports: string;
  readonly importNodes: readonly string[];
  /** What one `@from` names where it names several things, as `use a::{b, c}` does. */
  each?(specifier: string): readonly string[];
  /**
   * @param specifier text of `@from` without quotes, or one of `each`
   * @param call text of `@call`, where the import is a call
   */
  targets(
    from: string,
    specifier: string,
    member: string | undefined,
    call: string | undefined,
  ): ImportTargets;
}

/** With the slash at its end; "" at the root. */
export const folderPrefix = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);

export const NOWHERE: ImportTargets = { exact: [], ends: [] };
