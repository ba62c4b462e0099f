/** Rules on tests: none at all, none for often changed files, and focused tests that silence others. */
import { folderOf, nameOf, stemOf } from "svc/core/path_parts.ts";
import type { ScannedFile } from "svc/features/scanner/facts.ts";
import { isProduct } from "svc/features/scanner/path_facts.ts";
import {
  CHURN_DAYS,
  type FileRule,
  perRepo,
  type RepoRule,
  type ScannedRepo,
} from "svc/features/scanner/rule.ts";
import { productFiles } from "./guidance.ts";

const FEW = 3;
export const HOT_CHANGES = 8;
const HOT_LINES = 40;
const CODE = "export const one = 1;\n";

const testFiles = perRepo((repo): readonly string[] =>
  [...repo.files].filter(([path, { noText }]) => {
    const { test, language, foreign } = repo.pathFacts(path);
    return noText === undefined && test && language !== undefined && !foreign;
  }).map(([path]) => path)
);

export const testsMissing: RepoRule = {
  id: "tests-missing",
  severity: "high",
  type: "debt",
  about: "No tests",
  why: "Nothing tells whether a change broke something; agents cannot check their own work.",
  fix: "Add a test runner and a first test of the main path",
  scope: "repo",
  examples: {
    bad: [
      { files: { "src/a.ts": CODE, "src/b.ts": CODE, "src/c.ts": CODE } },
      { files: { "lib/A.pm": "1;\n", "lib/B.pm": "1;\n", "script/c.pl": "1;\n" } },
    ],
    good: [
      { files: { "src/a.ts": CODE, "src/b.ts": CODE, "src/c.ts": CODE, "src/a.test.ts": CODE } },
      { files: { "a.go": "package a\n", "b.go": "", "c.go": "", "a_test.go": "package a\n" } },
      { files: { "lib/A.pm": "1;\n", "a.js": CODE, "b.js": CODE, "c.js": CODE, "t/a.t": "1;\n" } },
      { files: { "a.c": "", "b.c": "", "c.c": "", "regress/a.sh": "true\n" } },
      { files: { "src/a.ts": CODE } },
    ],
  },
  *check(repo) {
    const product = productFiles(repo);
    if (product.length < FEW || testFiles(repo).length > 0) return;
    if (product.some(([, facts]) => facts.inlineTests)) return;
    yield { title: `The repo has ${product.length} source files and no test`, key: "tests" };
  },
};

/** The name that a test would use: the file's, or its folder's when the file's is generic. */
function subjectOf(path: string): string {
  const stem = stemOf(path).toLowerCase();
  const bland = /^(?:index|main|mod|lib|__init__|__main__|init)$/.test(stem);
  return bland ? nameOf(folderOf(path)).toLowerCase() : stem;
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Whether a test names or imports the file, or is in the same Go package. */
export function testedIn(repo: ScannedRepo): (path: string, facts: ScannedFile) => boolean {
  const named = new Set<string>();
  const goFolders = new Set<string>();
  for (const path of testFiles(repo)) {
    named.add(plain(stemOf(path).replace(/[._-]?(?:tests?|spec)[._-]?/gi, "")));
    for (const name of repo.files.get(path)?.imports ?? []) named.add(plain(name));
    if (path.endsWith("_test.go")) goFolders.add(folderOf(path));
  }
  return (path, facts) =>
    facts.inlineTests === true || named.has(plain(subjectOf(path))) ||
    goFolders.has(folderOf(path));
}

export const hotUntested: RepoRule = {
  id: "hot-file-untested",
  severity: "medium",
  type: "debt",
  about: "Files that change often and have no test",
  why: "Where most changes go, most mistakes go; here nothing catches them.",
  fix: "Add a test of what the file promises before its next change",
  scope: "repo",
  examples: {
    bad: [{
      files: { "src/a.ts": CODE.repeat(60), "tests/b_test.ts": 'import "../src/b.ts";\n' },
      changes: { "src/a.ts": 12 },
    }],
    good: [
      {
        files: { "src/a.ts": CODE.repeat(60), "tests/all.test.ts": 'import "../src/a.ts";\n' },
        changes: { "src/a.ts": 12 },
      },
      {
        files: { "src/a.ts": CODE.repeat(60), "tests/b.test.ts": 'import "../src/b.ts";\n' },
        changes: { "src/a.ts": 3 },
      },
      {
        files: { "p/a.go": "package p\n".repeat(60), "p/other_test.go": "package p\n" },
        changes: { "p/a.go": 12 },
      },
    ],
  },
  *check(repo) {
    if (testFiles(repo).length === 0) return; // `testsMissing` reports it once
    const isTested = testedIn(repo);
    for (const [path, facts] of productFiles(repo)) {
      const count = repo.changes.get(path) ?? 0;
      if (count < HOT_CHANGES || facts.lines < HOT_LINES || isTested(path, facts)) continue;
      if (repo.pathFacts(path).script || !isProduct(repo.pathFacts(path))) continue;
      yield {
        path,
        title: `Changed in ${count} commits of ${CHURN_DAYS} days, and no test names it`,
        key: path,
      };
    }
  },
};

const FOCUSED =
  /^\s*(?:(?:describe|it|test|suite|context)\.only|fdescribe|fit|Deno\.test\.only)\s*\(/;

export const testFocused: FileRule = {
  id: "test-focused",
  severity: "high",
  type: "bug",
  about: "A test runs alone",
  why: "All other tests of the file are skipped in silence, and the run is green.",
  fix: 'Take ".only" (or the leading "f") away',
  scope: "file",
  examples: {
    bad: [{ files: { "tests/a.test.ts": 'it.only("adds", () => {});\n' } }],
    good: [{ files: { "tests/a.test.ts": '// it.only( runs alone\nit("adds", () => {});\n' } }],
  },
  *check({ place, text, lines }) {
    if (!place.test || place.language !== "typescript" || place.sample) return;
    if (!/\.only|fdescribe|\bfit\b/.test(text)) return;
    for (const [at, line] of lines.entries()) {
      if (!FOCUSED.test(line)) continue;
      yield { line: at + 1, title: "Only this test of the file runs", key: line.trim() };
    }
  },
};
