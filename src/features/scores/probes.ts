/** What is measured of one area beside the findings of the scan: tests, pages, TODOs, hotspots. Pure. */
import type { ScannedFile } from "svc/features/scanner/facts.ts";
import { folderOf } from "svc/core/path_parts.ts";
import type { RepoView } from "svc/features/scanner/rule.ts";
import { productFiles } from "svc/features/scanner/rules/guidance.ts";
import { HOT_CHANGES, testedIn } from "svc/features/scanner/rules/tests.ts";
import { type Area, areasOf, OTHER_AREA, ROOT_AREA } from "./areas.ts";

/** A file that changes often and is longer than this costs more than others to change. */
const HOTSPOT_LINES = 400;
/** Shorter files hold types and exports, which no test names. */
const TESTABLE_LINES = 20;
/** Run by hand or by CI: whoever runs one sees what it does. */
const SCRIPT = /^(?:scripts?|tools?|hack|ci)\//;
/** Commits of an area after which pages about it that did not change are not believed. */
const BUSY_COMMITS = 30;
/** An area of fewer files needs no page of its own. */
const NEEDS_PAGE_FILES = 3;

export interface AreaFacts {
  readonly name: string;
  readonly files: number;
  readonly lines: number;
  readonly todos: number;
  /** Files that a test should name, and those that one does. */
  readonly testable: number;
  readonly tested: number;
  /** Long files that change often, most changed first. */
  readonly hotspots: readonly {
    readonly path: string;
    readonly commits: number;
    readonly lines: number;
  }[];
  /** Undefined where it needs none, or pages could not name it. */
  readonly pages: { readonly count: number; readonly stale: boolean } | undefined;
  /** Commits of its files in the window of the scan (`CHURN_DAYS`), added up. */
  readonly commits: number;
}

type Entry = readonly [path: string, facts: ScannedFile];

/** What a page points at, as paths from the root. */
function targetsOf(path: string, { links = [], spans = [] }: ScannedFile): string[] {
  const from = folderOf(path).split("/").filter((part) => part !== "");
  const resolve = (target: string) => {
    const parts = target.startsWith("/") ? [] : [...from];
    for (const part of target.split("/")) {
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    }
    return parts.join("/");
  };
  return [
    ...links.map(([target]) => resolve(target)),
    ...spans.map(([span]) => span.replace(/^\.?\//, "").replace(/\/$/, "")),
  ];
}

interface PageTargets {
  readonly path: string;
  readonly targets: readonly string[];
}

function pagesOf(repo: RepoView): PageTargets[] {
  return [...repo.files].filter(([path, { generated, noText }]) => {
    const { page, ticket, foreign, sample } = repo.placeOf(path);
    return page && !ticket && !foreign && !sample && !generated && noText === undefined;
  }).map(([path, facts]) => ({ path, targets: targetsOf(path, facts) }));
}

function pagesAbout(
  { name, paths }: Area,
  pages: readonly PageTargets[],
  { changes }: Pick<RepoView, "changes">,
  commits: number,
): AreaFacts["pages"] {
  const nameless = name === ROOT_AREA || name === OTHER_AREA;
  if (nameless || paths.length < NEEDS_PAGE_FILES) return undefined;
  const inside = (path: string) => path === name || path.startsWith(`${name}/`);
  const about = pages.filter(({ path, targets }) => inside(path) || targets.some(inside));
  const changed = about.some(({ path }) => (changes.get(path) ?? 0) > 0);
  return { count: about.length, stale: about.length > 0 && commits >= BUSY_COMMITS && !changed };
}

function factsOfArea(
  area: Area,
  repo: RepoView,
  context: {
    readonly byPath: ReadonlyMap<string, ScannedFile>;
    readonly pages: readonly PageTargets[];
    readonly isTested: (path: string, facts: ScannedFile) => boolean;
  },
): AreaFacts {
  const entries: Entry[] = area.paths.map((path) => [path, context.byPath.get(path)!]);
  const commitsOf = (path: string) => repo.changes.get(path) ?? 0;
  const testable = entries.filter(([path, { lines }]) =>
    lines >= TESTABLE_LINES && !SCRIPT.test(path)
  );
  const commits = entries.reduce((sum, [path]) => sum + commitsOf(path), 0);
  return {
    name: area.name,
    files: entries.length,
    lines: entries.reduce((sum, [, { lines }]) => sum + lines, 0),
    todos: entries.reduce((sum, [, { todos = [] }]) => sum + todos.length, 0),
    testable: testable.length,
    tested: testable.filter(([path, facts]) => context.isTested(path, facts)).length,
    hotspots: entries
      .filter(([path, { lines }]) => lines >= HOTSPOT_LINES && commitsOf(path) >= HOT_CHANGES)
      .map(([path, { lines }]) => ({ path, commits: commitsOf(path), lines }))
      .sort((a, b) => b.commits - a.commits || (a.path < b.path ? -1 : 1)),
    pages: pagesAbout(area, context.pages, repo, commits),
    commits,
  };
}

/** By name. */
export function areaFacts(repo: RepoView): { area: Area; facts: AreaFacts }[] {
  const byPath = new Map(productFiles(repo));
  const context = { byPath, pages: pagesOf(repo), isTested: testedIn(repo) };
  return areasOf([...byPath.keys()])
    .map((area) => ({ area, facts: factsOfArea(area, repo, context) }));
}
