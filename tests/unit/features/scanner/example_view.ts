/** A rule's example as the rules see a repo: read by the scan's own reader, from memory. */
import type { ScanFinding } from "svc/features/scanner/report.ts";
import { Failure } from "svc/core/failure.ts";
import { keyOfRepo } from "svc/features/guardrails/fingerprint.ts";
import { readManifest } from "svc/features/harness/manifest.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { ScannedFile } from "svc/features/scanner/facts.ts";
import { findingsOf } from "svc/features/scanner/findings.ts";
import { readFiles } from "svc/features/scanner/read_files.ts";
import {
  DAY_MS,
  type RuleExample,
  type ScannedRepo,
  type ScanRule,
} from "svc/features/scanner/rule.ts";
import { scannedRepo } from "svc/features/scanner/scan.ts";
import { systemClock } from "svc/platform/clock.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";

const NOW = Date.parse("2026-06-01T12:00:00Z");

function readerOf(files: RuleExample["files"]): ReadTree {
  return (plan, visit) => {
    for (const path of plan.paths) {
      const bytes = new TextEncoder().encode(files[path]);
      visit(path, bytes.length > plan.maxBytes ? "too_large" : bytes, "");
    }
    return Promise.resolve();
  };
}

function manifestOf(text: string | undefined): ScannedRepo["manifest"] {
  if (text === undefined) return undefined;
  try {
    return { says: readManifest(text) };
  } catch (thrown) {
    return { fault: Failure.from(thrown).message };
  }
}

export async function exampleView(example: RuleExample): Promise<ScannedRepo> {
  const { files, changes = {}, daysOld = 0, untracked = [] } = example;
  const read = await readFiles({
    root: "/example",
    paths: Object.keys(files),
    key: await keyOfRepo("/example"),
    readTree: readerOf(files),
    clock: systemClock,
    signal: new AbortController().signal,
    progress() {},
  });
  const facts = new Map<string, ScannedFile>();
  for (const [path, one] of read) {
    facts.set(path, {
      ...one,
      ...(untracked.includes(path) && { untracked: true }),
      ...(one.todos && { todoTimes: one.todos.map(() => NOW - daysOld * DAY_MS) }),
    });
  }
  return scannedRepo(facts, {
    listing: { elsewhere: [] },
    changes: new Map(Object.entries(changes)),
    manifest: manifestOf(files[MANIFEST_PATH]),
    now: NOW,
  });
}

export async function findingsIn(
  rules: readonly ScanRule[],
  example: RuleExample,
): Promise<ScanFinding[]> {
  return findingsOf(rules, await exampleView(example));
}
