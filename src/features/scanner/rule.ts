/** A scan rule as data; the scan, the docs and the tests read the same record. */
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { FileText, Gap, ScannedFile } from "./facts.ts";
import type { PathFacts } from "./path_facts.ts";

export const SEVERITIES = ["high", "medium", "low"] as const;
export type Severity = typeof SEVERITIES[number];

export interface ScannedRepo {
  /** By path; without files that git ignores. */
  readonly files: ReadonlyMap<string, ScannedFile>;
  /** Whether `path` is a file of `files`, or a folder that holds one. */
  has(path: string): boolean;
  pathFacts(path: string): PathFacts;
  /** Number of commits in the last `CHURN_DAYS` days, by path. */
  readonly changes: ReadonlyMap<string, number>;
  /** The harness manifest, or why it is not valid; undefined when there is none. */
  readonly manifest: { readonly says: Manifest } | { readonly fault: string } | undefined;
  readonly now: number;
  readonly version: string;
}

/** What several rules ask of a repo, found out once. */
export function perRepo<T>(read: (repo: ScannedRepo) => T): (repo: ScannedRepo) => T {
  const known = new WeakMap<ScannedRepo, { readonly value: T }>();
  return (repo) => {
    let found = known.get(repo);
    if (found === undefined) known.set(repo, found = { value: read(repo) });
    return found.value;
  };
}

export interface RuleExample {
  readonly files: Readonly<Record<string, string>>;
  readonly changes?: Readonly<Record<string, number>>;
  readonly daysOld?: number;
  readonly untracked?: readonly string[];
}

interface RuleText {
  /** Lower-case words joined by "-". It is part of fingerprints, so it must never change. */
  readonly id: string;
  readonly severity: Severity;
  readonly about: string;
  readonly why: string;
  readonly fix: string;
  readonly type: "bug" | "debt" | "docs" | "hygiene";
  readonly examples: {
    readonly bad: readonly RuleExample[];
    readonly good: readonly RuleExample[];
  };
}

/** Checks one file by itself; its gaps are cached until the file changes. */
export interface FileRule extends RuleText {
  readonly scope: "file";
  check(file: FileText): Iterable<Omit<Gap, "path">>;
}

/** Compares files with each other, with the history or the time; runs at every scan. */
export interface RepoRule extends RuleText {
  readonly scope: "repo";
  check(repo: ScannedRepo): Iterable<Gap>;
}

export type ScanRule = FileRule | RepoRule;

export const DAY_MS = 86_400_000;
/** Half a year: older TODOs are no longer plans, and older churn says little. */
export const CHURN_DAYS = 180;
