/** What svc knows of a programming language: how its files are called, and what means what in them. */

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

/** Where an imported file may lie, best first. A path that ends in "/" is a folder of files. */
export interface ImportTargets {
  /** From the repo's root. */
  readonly exact: readonly string[];
  /** Ends of paths: where the root of the packages lies is not known. */
  readonly ends: readonly string[];
}

export interface Language {
  readonly name: string;
  /** File of the grammar package: `tree-sitter-<grammar>.wasm`. */
  readonly grammar: string;
  /** Endings of file names with their dot, or whole names, in lower case. */
  readonly files: readonly string[];
  /**
   * Query whose patterns capture `@name` and, around it, a kind; `@scope` where the owner of a method
   * stands elsewhere. Of two patterns for one name the first counts.
   */
  readonly definitions: string;
  /** Query that captures `@from`, what is imported, and perhaps `@member`, a part of it. */
  readonly imports: string;
  /** Types of the nodes that are import statements. */
  readonly importNodes: readonly string[];
  /** @param from path of the importing file @param specifier as `@from` has it, without quotes */
  targets(from: string, specifier: string, member: string | undefined): ImportTargets;
}

/** With the slash at its end; "" at the root. */
export const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);

export const NOWHERE: ImportTargets = { exact: [], ends: [] };
