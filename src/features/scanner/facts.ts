/** What a scan reads of one file, as plain data; it is cached until the file changes. */
import type { PathFacts } from "./path_facts.ts";

export interface FileText {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly place: PathFacts;
}

export interface Todo {
  readonly line: number;
  readonly tag: string;
  readonly text: string;
}

interface SecretFact {
  readonly rule: string;
  readonly line: number;
  readonly fingerprint: string;
  readonly redacted: string;
}

export type NamedLine = readonly [name: string, line: number];

type NoText = "symlink" | "submodule" | "unreadable" | "too_large" | "binary";

export interface Gap {
  /** Below the root; absent when the gap concerns the whole repo. */
  readonly path?: string;
  readonly line?: number;
  readonly title: string;
  readonly detail?: string;
  /** Identifies the gap within its rule and file, also when lines move. */
  readonly key: string;
  readonly fix?: string;
}

/** Absent keys mean that nothing was found; all values are JSON. */
export interface ScannedFile {
  readonly bytes: number;
  readonly lines: number;
  readonly noText?: NoText;
  /** Not in git's index. */
  readonly untracked?: true;
  readonly generated?: true;
  /** Kept for settings that rules compare. */
  readonly text?: string;
  readonly links?: readonly NamedLine[];
  /** A page's anchors, in plain form (see `plainAnchor`). */
  readonly anchors?: readonly string[];
  readonly spans?: readonly NamedLine[];
  readonly docSync?: true;
  readonly environment?: readonly NamedLine[];
  readonly spoken?: readonly string[];
  readonly imports?: readonly string[];
  readonly inlineTests?: true;
  readonly todos?: readonly Todo[];
  /** When each TODO's line last changed, epoch ms; null: before the window. */
  readonly todoTimes?: readonly (number | null)[];
  readonly secrets?: readonly SecretFact[];
  readonly found?: Readonly<Record<string, readonly Omit<Gap, "path">[]>>;
}
