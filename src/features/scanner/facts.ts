/** What a scan reads of one file: plain data, remembered until the file changes. */
import type { Place } from "./place.ts";

/** A text with its lines, as file rules see it. */
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

/** Something named at a line (from 1). */
export type NamedLine = readonly [name: string, line: number];

/** Why there is no text to look at. */
type NoText = "symlink" | "submodule" | "unreadable" | "too_large" | "binary";

/** One gap that a rule sees. */
export interface Gap {
  /** Below the root; absent when the gap is of the repo as a whole. */
  readonly path?: string;
  /** From 1. */
  readonly line?: number;
  readonly title: string;
  /** What was seen, where the title does not tell all. */
  readonly detail?: string;
  /** Names the gap within its rule and file; stays the same when lines move. */
  readonly key: string;
  /** Where the rule's own way out can be said more exactly. */
  readonly fix?: string;
}

/** Absent keys stand for nothing found; all of it is JSON. */
export interface ScannedFile {
  readonly bytes: number;
  readonly lines: number;
  readonly noText?: NoText;
  /** Not in git's index. */
  readonly untracked?: true;
  /** Written by a program, as its head says. */
  readonly generated?: true;
  /** The text itself, of settings that rules compare. */
  readonly text?: string;
  /** Relative targets of links of a page. */
  readonly links?: readonly NamedLine[];
  /** Anchors a page offers, in plain form (see `plainAnchor`). */
  readonly anchors?: readonly string[];
  /** Code spans of a page that look like paths. */
  readonly spans?: readonly NamedLine[];
  readonly docSync?: true;
  /** Environment variables that the code reads. */
  readonly environment?: readonly NamedLine[];
  /** Upper-case names that a page or settings file speaks of. */
  readonly spoken?: readonly string[];
  /** Last parts of what a test imports. */
  readonly imports?: readonly string[];
  readonly inlineTests?: true;
  readonly todos?: readonly Todo[];
  /** When each TODO's line was last changed, epoch ms; null: before the window. */
  readonly todoTimes?: readonly (number | null)[];
  readonly secrets?: readonly SecretFact[];
  /** What the file rules found, by rule. */
  readonly found?: Readonly<Record<string, readonly Omit<Gap, "path">[]>>;
}
