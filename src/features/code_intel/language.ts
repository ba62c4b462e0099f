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

/**
 * Where an imported file may be, best first. A path that ends in "/" means all files of that
 * folder.
 */
export interface ImportTargets {
  /** From the repo's root. */
  readonly exact: readonly string[];
  /** Ends of paths, for languages whose package root is not known. */
  readonly ends: readonly string[];
}

export interface Language {
  readonly name: string;
  /** Part of the grammar's file name: `tree-sitter-<grammar>.wasm`. */
  readonly grammar: string;
  /** File name extensions with their dot, or whole names, in lower case. */
  readonly files: readonly string[];
  /**
   * Tree-sitter query whose patterns capture `@name` and, around it, a kind; also `@scope` when the
   * owner of a method is elsewhere. When two patterns match one name, the first counts.
   */
  readonly definitions: string;
  /**
   * Tree-sitter query that captures `@from`, the imported module, and perhaps `@member`, a part of
   * it.
   */
  readonly imports: string;
  /** Node types of import statements. */
  readonly importNodes: readonly string[];
  /** @param from path of the importing file @param specifier text of `@from` without quotes */
  targets(from: string, specifier: string, member: string | undefined): ImportTargets;
}

/** With the slash at its end; "" at the root. */
export const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);

export const NOWHERE: ImportTargets = { exact: [], ends: [] };
