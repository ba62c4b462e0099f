/** Measures each area of a repo beside the scan's findings: tests, pages, TODOs, hotspots. Pure. */
import { compareText } from "svc/core/order.ts";
import type { ScannedFile } from "svc/features/scanner/facts.ts";
import { folderOf } from "svc/core/path_parts.ts";
import type { ScannedRepo } from "svc/features/scanner/rule.ts";
import { productFiles } from "svc/features/scanner/rules/guidance.ts";
import { HOT_CHANGES, testedIn } from "svc/features/scanner/rules/tests.ts";

export const QUALITY_AREAS = 12;

export interface Area {
  /** A folder; "." for files at the root, "other folders" for the smallest ones together. */
  readonly name: string;
  readonly paths: readonly string[];
}

const ROOT_AREA = ".";
export const OTHER_AREA = "other folders";

const TOO_MUCH = 0.5;

/** `above` itself for a file directly in it. */
function nextFolder(path: string, above: string): string {
  const rest = above === ROOT_AREA ? path : path.slice(above.length + 1);
  const cut = rest.indexOf("/");
  if (cut === -1) return above;
  return above === ROOT_AREA ? rest.slice(0, cut) : `${above}/${rest.slice(0, cut)}`;
}

function split(paths: readonly string[], above: string): Map<string, string[]> {
  return Map.groupBy(paths, (path) => nextFolder(path, above));
}

export function areasOf(paths: readonly string[]): Area[] {
  const areas = split(paths.toSorted(compareText), ROOT_AREA);
  for (let again = true; again;) {
    again = false;
    for (const [name, inside] of areas) {
      if (name === ROOT_AREA || inside.length <= paths.length * TOO_MUCH) continue;
      const parts = split(inside, name);
      if (parts.size === 1 && parts.has(name)) continue;
      areas.delete(name);
      for (const [part, some] of parts) areas.set(part, some);
      again = parts.size > 1 || !parts.has(name);
      break;
    }
  }
  const bySize = [...areas].sort(([a, some], [b, others]) =>
    others.length - some.length || compareText(a, b)
  );
  const kept = bySize.length <= QUALITY_AREAS ? bySize : bySize.slice(0, QUALITY_AREAS - 1);
  const rest = bySize.slice(kept.length).flatMap(([, some]) => some).sort(compareText);
  const named = kept.map(([name, some]) => ({ name, paths: some }))
    .sort((a, b) => compareText(a.name, b.name));
  return rest.length === 0 ? named : [...named, { name: OTHER_AREA, paths: rest }];
}

const HOTSPOT_LINES = 400;
/** Lines; shorter files hold types and exports, which no test names. */
const TESTABLE_LINES = 20;
/** Scripts need no test: whoever runs one sees what it does. */
const SCRIPT = /^(?:scripts?|tools?|hack|ci)\//;
const BUSY_COMMITS = 30;
const NEEDS_PAGE_FILES = 3;

export interface AreaFacts {
  readonly name: string;
  readonly files: number;
  readonly lines: number;
  readonly todos: number;
  readonly testable: number;
  readonly tested: number;
  readonly hotspots: readonly {
    readonly path: string;
    readonly commits: number;
    readonly lines: number;
  }[];
  /** Undefined where the area needs no page, or has no name that a page could use. */
  readonly pages: { readonly count: number; readonly stale: boolean } | undefined;
  /** Commits of its files within `CHURN_DAYS`, added up. */
  readonly commits: number;
}

type AreaFile = readonly [path: string, facts: ScannedFile];

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

function pagesOf(repo: ScannedRepo): PageTargets[] {
  return [...repo.files].filter(([path, { generated, noText }]) => {
    const { page, ticket, foreign, sample } = repo.pathFacts(path);
    return page && !ticket && !foreign && !sample && !generated && noText === undefined;
  }).map(([path, facts]) => ({ path, targets: targetsOf(path, facts) }));
}

function pagesAbout(
  { name, paths }: Area,
  pages: readonly PageTargets[],
  { changes }: Pick<ScannedRepo, "changes">,
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
  repo: ScannedRepo,
  context: {
    readonly byPath: ReadonlyMap<string, ScannedFile>;
    readonly pages: readonly PageTargets[];
    readonly isTested: (path: string, facts: ScannedFile) => boolean;
  },
): AreaFacts {
  const entries: AreaFile[] = area.paths.map((path) => [path, context.byPath.get(path)!]);
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

export function areaFacts(repo: ScannedRepo): { area: Area; facts: AreaFacts }[] {
  const byPath = new Map(productFiles(repo));
  const context = { byPath, pages: pagesOf(repo), isTested: testedIn(repo) };
  return areasOf([...byPath.keys()])
    .map((area) => ({ area, facts: factsOfArea(area, repo, context) }));
}
