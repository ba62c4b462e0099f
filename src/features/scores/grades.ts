/** Grades areas and layers, A to F, by files and history. Pure; docs/scores.md has the figures. */
import { counted } from "svc/core/counted.ts";
import { compareText } from "svc/core/order.ts";
import type { ScanFinding } from "svc/features/scanner/report.ts";
import { CHURN_DAYS, type ScannedRepo, type Severity } from "svc/features/scanner/rule.ts";
import { type Layer, LAYER_OF, LAYERS } from "./layers.ts";
import { type Area, type AreaFacts, areaFacts } from "./area_facts.ts";

export const GRADES = ["A", "B", "C", "D", "F"] as const;
export type Grade = typeof GRADES[number];

interface LayerGrade {
  readonly grade: Grade;
  readonly causes: readonly GradeCause[];
}

interface GradeCause {
  readonly probe: string;
  readonly text: string;
  readonly weight: number;
}

export interface AreaGrades {
  readonly name: string;
  readonly files: number;
  readonly lines: number;
  readonly layers: Partial<Record<Layer, LayerGrade>>;
}

export const WHOLE_REPO = "(repo)";

const WEIGHT: Readonly<Record<Severity, number>> = { high: 8, medium: 3, low: 1 };
const FILES_A_WEIGHT = 10;

const LIMITS: readonly (readonly [most: number, grade: Grade])[] = [
  [0.5, "A"],
  [2, "B"],
  [5, "C"],
  [9, "D"],
];
const TESTED: readonly (readonly [share: number, grade: Grade])[] = [
  [0.7, "A"],
  [0.5, "B"],
  [0.3, "C"],
  [0.15, "D"],
];
/** TODOs in a thousand lines, and the points that they take off. */
const TODOS: readonly (readonly [density: number, weight: number])[] = [[8, 6], [3, 3], [1, 1]];
const NO_PAGE = 1;
const STALE_PAGE = 1;

const worse = (a: Grade, b: Grade): Grade => a > b ? a : b;

const byWeight = (a: GradeCause, b: GradeCause) =>
  b.weight - a.weight || compareText(a.text, b.text);

function findingCauses(findings: readonly ScanFinding[]): GradeCause[] {
  return findings.map(({ rule, severity, path, title }) => ({
    probe: rule,
    text: path === undefined ? title : `${path}: ${title}`,
    weight: WEIGHT[severity],
  }));
}

function graded(
  files: number,
  findings: readonly ScanFinding[],
  extra: readonly GradeCause[] = [],
): LayerGrade {
  const found = findingCauses(findings);
  const sum = (causes: readonly GradeCause[]) =>
    causes.reduce((total, { weight }) => total + weight, 0);
  const off = sum(found) / Math.max(1, files / FILES_A_WEIGHT) + sum(extra);
  const grade = LIMITS.find(([most]) => off <= most)?.[1] ?? "F";
  const serious = findings.some(({ severity }) => severity === "high");
  return {
    grade: serious ? worse(grade, "C") : grade,
    causes: [...found, ...extra].sort(byWeight),
  };
}

function codeExtras({ todos, lines, hotspots }: AreaFacts): GradeCause[] {
  const density = lines === 0 ? 0 : todos / lines * 1000;
  const weight = TODOS.find(([most]) => density > most)?.[1];
  return [
    ...(weight === undefined ? [] : [{
      probe: "todo-density",
      text: `${counted(todos, "TODO")} in ${counted(lines, "line")}`,
      weight,
    }]),
    ...hotspots.map(({ path, commits, lines }) => ({
      probe: "hotspot",
      text: `${path}: ${lines} lines, changed in ${commits} commits of ${CHURN_DAYS} days`,
      weight: 1,
    })),
  ];
}

function docsExtras({ pages, commits }: AreaFacts): GradeCause[] {
  if (pages === undefined) return [];
  if (pages.count === 0) {
    return [{
      probe: "page-missing",
      text: "no page links into it or names a file of it",
      weight: NO_PAGE,
    }];
  }
  if (!pages.stale) return [];
  const text = `no page about it changed while it had ${commits} changes in ${CHURN_DAYS} days`;
  return [{ probe: "page-stale", text, weight: STALE_PAGE }];
}

function testsGrade(facts: AreaFacts, findings: readonly ScanFinding[]): LayerGrade | undefined {
  const found = graded(facts.files, findings);
  const { testable, tested } = facts;
  if (testable === 0) return findings.length === 0 ? undefined : found;
  const share = tested / testable;
  const grade = TESTED.find(([least]) => share >= least)?.[1] ?? "F";
  const text = `a test names ${tested} of ${testable} files`;
  const missing = grade === "A" ? [] : [{ probe: "tested-share", text, weight: 10 }];
  return { grade: worse(grade, found.grade), causes: [...missing, ...found.causes] };
}

function areaGrades(facts: AreaFacts, findings: readonly ScanFinding[]): AreaGrades {
  const of = (layer: Layer) => findings.filter(({ rule }) => LAYER_OF[rule] === layer);
  const tests = testsGrade(facts, of("tests"));
  return {
    name: facts.name,
    files: facts.files,
    lines: facts.lines,
    layers: {
      code: graded(facts.files, of("code"), codeExtras(facts)),
      ...(tests && { tests }),
      docs: graded(facts.files, of("docs"), docsExtras(facts)),
    },
  };
}

function wholeRepo(
  { files, pathFacts }: Pick<ScannedRepo, "files" | "pathFacts">,
  product: number,
  findings: readonly ScanFinding[],
): AreaGrades {
  // Leaves tickets out: they come and go with every job.
  const counted = [...files].filter(([path]) => !pathFacts(path).ticket);
  const lines = counted.reduce((sum, [, one]) => sum + one.lines, 0);
  const layers = LAYERS.map((layer) =>
    [layer, graded(product, findings.filter(({ rule }) => LAYER_OF[rule] === layer))] as const
  );
  return { name: WHOLE_REPO, files: counted.length, lines, layers: Object.fromEntries(layers) };
}

export function gradesOf(scanned: ScannedRepo, findings: readonly ScanFinding[]): AreaGrades[] {
  const areas = areaFacts(scanned);
  const home = new Map(
    areas.flatMap(({ area }) => area.paths.map((path): [string, Area] => [path, area])),
  );
  const homeOf = ({ path, rule }: ScanFinding) =>
    path === undefined || LAYER_OF[rule] === "upkeep" ? undefined : home.get(path)?.name;
  const groups = Map.groupBy(findings, homeOf);
  const product = areas.reduce((sum, { facts }) => sum + facts.files, 0);
  return [
    ...areas.map(({ facts }) => areaGrades(facts, groups.get(facts.name) ?? [])),
    wholeRepo(scanned, product, groups.get(undefined) ?? []),
  ];
}
