/** What a scan rule is, as data: the scan, the docs and the tests read the same record. */
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { FileText, Gap, ScannedFile } from "./facts.ts";
import type { Place } from "./place.ts";

export const SEVERITIES = ["high", "medium", "low"] as const;
export type Severity = typeof SEVERITIES[number];

/** A repo as the rules see it: facts of its files, and what its history tells. */
export interface RepoView {
  /** Tracked files and untracked ones that git does not ignore, by path. */
  readonly files: ReadonlyMap<string, ScannedFile>;
  /** True for a file of `files`, and for a folder that holds one. */
  has(path: string): boolean;
  placeOf(path: string): Place;
  /** Commits of the last `CHURN_DAYS` days by path. */
  readonly changes: ReadonlyMap<string, number>;
  /** What the harness manifest says, or what is wrong with it; undefined when there is none. */
  readonly manifest: { readonly says: Manifest } | { readonly fault: string } | undefined;
  /** Epoch ms. */
  readonly now: number;
  /** Version of this program. */
  readonly version: string;
}

/** A small repo that shows a rule at work; history and time only where the rule asks for them. */
export interface RuleExample {
  /** Texts by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly changes?: Readonly<Record<string, number>>;
  /** Days since every line was last changed; 0 unless said otherwise. */
  readonly daysOld?: number;
  /** Paths that git does not track. */
  readonly untracked?: readonly string[];
}

interface RuleText {
  /** Lower-case words joined by "-"; part of fingerprints, so it is never changed. */
  readonly id: string;
  readonly severity: Severity;
  /** The gap in a few words, for lists. */
  readonly about: string;
  /** What it costs to leave it. */
  readonly why: string;
  /** What to do. */
  readonly fix: string;
  /** What a ticket about it is. */
  readonly type: "bug" | "debt" | "docs" | "hygiene";
  readonly examples: {
    readonly bad: readonly RuleExample[];
    readonly good: readonly RuleExample[];
  };
}

/** Looks at one text by itself; what it finds is remembered for as long as the file stays the same. */
export interface FileRule extends RuleText {
  readonly scope: "file";
  check(file: FileText): Iterable<Omit<Gap, "path">>;
}

/** Compares files with each other, with the history or with the time; runs at every scan. */
export interface RepoRule extends RuleText {
  readonly scope: "repo";
  check(repo: RepoView): Iterable<Gap>;
}

export type ScanRule = FileRule | RepoRule;

export const DAY_MS = 86_400_000;
/** Half a year: a TODO that is older is no plan any more, and churn beyond it says little. */
export const CHURN_DAYS = 180;
