/** What a scan reads of one file, as plain data; it is cached until the file changes. */
import type { Place } from "./place.ts";

/** A file as the file rules see it. */
export interface FileText {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly place: Place;
}

export interface Todo {
  readonly line: number;
  readonly tag: string;
  readonly text: string;
}

export interface SecretFact {
  readonly rule: string;
  readonly line: number;
  readonly fingerprint: string;
  readonly redacted: string;
}

/** A name and its line, from 1. */
export type NamedLine = readonly [name: string, line: number];

/** Why a file has no text to scan. */
type NoText = "symlink" | "submodule" | "unreadable" | "too_large" | "binary";

/** A gap that a rule found. */
export interface Gap {
  /** Below the root; absent when the gap concerns the whole repo. */
  readonly path?: string;
  /** From 1. */
  readonly line?: number;
  readonly title: string;
  /** What was seen, when the title does not tell all. */
  readonly detail?: string;
  /** Identifies the gap within its rule and file, also when lines move. */
  readonly key: string;
  /** A more exact fix than the rule's own. */
  readonly fix?: string;
}

/** Absent keys mean that nothing was found; all values are JSON. */
export interface ScannedFile {
  readonly bytes: number;
  readonly lines: number;
  readonly noText?: NoText;
  /** Not in git's index. */
  readonly untracked?: true;
  /** Its head says that a program wrote it. */
  readonly generated?: true;
  /** The text of settings that rules compare. */
  readonly text?: string;
  /** Relative targets of links of a page. */
  readonly links?: readonly NamedLine[];
  /** A page's anchors, in plain form (see `plainAnchor`). */
  readonly anchors?: readonly string[];
  /** Code spans of a page that look like paths. */
  readonly spans?: readonly NamedLine[];
  readonly docSync?: true;
  /** Environment variables that the code reads. */
  readonly environment?: readonly NamedLine[];
  /** Upper-case names in a page or settings file. */
  readonly spoken?: readonly string[];
  /** Last parts of the module names that a test imports. */
  readonly imports?: readonly string[];
  readonly inlineTests?: true;
  readonly todos?: readonly Todo[];
  /** When each TODO's line last changed, epoch ms; null: before the window. */
  readonly todoTimes?: readonly (number | null)[];
  readonly secrets?: readonly SecretFact[];
  /** Gaps that the file rules found, by rule id. */
  readonly found?: Readonly<Record<string, readonly Omit<Gap, "path">[]>>;
}
