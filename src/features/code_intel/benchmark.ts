/** Benchmarks the code graph's suggestions (treatment) against plain text search (control), without a model. */
import type { z } from "zod";
import type { Immutable } from "svc/core/immutable.ts";
import { stemOf } from "svc/core/path_parts.ts";
import type { Clock } from "svc/platform/clock.ts";
import { candidates } from "./candidates.ts";
import type { CodeScope } from "./code_file.ts";
import { suggest, type SuggestRequest } from "./suggest.ts";
import { taskWords } from "./task_words.ts";

export const SIDES = ["control", "treatment"] as const;
type BenchSide = typeof SIDES[number];

export const GROUPS = ["files", "tests", "docs"] as const;
export type PathGroup = typeof GROUPS[number];

export const DEPTHS = [5, 10, 20] as const;

export interface BenchCase {
  readonly text: string;
  /** Both sides get them, and neither has to find them. */
  readonly changed: readonly string[];
  readonly expected: Readonly<Record<PathGroup, readonly string[]>>;
}

export function benchShape(zod: typeof z) {
  const byDepth = zod.record(zod.string(), zod.number().nullable());
  const recall = zod.strictObject({
    /** The rank counts from 1; null where the path was not found. */
    expected: zod.array(zod.strictObject({ path: zod.string(), rank: zod.int().nullable() })),
    recall: byDepth,
  });
  const side = zod.strictObject({
    files: recall,
    tests: recall,
    docs: recall,
    all: recall,
    precision: byDepth,
    ranked: zod.array(zod.string()),
    ms: zod.array(zod.int()),
    stable: zod.boolean(),
  });
  return zod.strictObject({ control: side, treatment: side });
}

export type BenchReport = Immutable<z.infer<ReturnType<typeof benchShape>>>;
export type SideReport = BenchReport["control"];
type Recall = SideReport["all"];

/** The control: how many of the words a file has, then in how many lines. */
export async function textSearch(
  scope: CodeScope,
  { text, changed = [] }: SuggestRequest,
): Promise<string[]> {
  const { paths, names, words } = taskWords(text);
  const terms = new Set([...paths, ...names, ...words, ...changed.map(stemOf)]);
  const found = new Map<string, { terms: number; lines: number }>();
  for (const term of terms) {
    scope.signal.throwIfAborted();
    const { hits } = await candidates(scope, { pattern: term, fixed: true, ignoreCase: true });
    for (const [path, lines] of hits) {
      const so = found.get(path) ?? { terms: 0, lines: 0 };
      found.set(path, { terms: so.terms + 1, lines: so.lines + lines.length });
    }
  }
  return [...found].filter(([path]) => !changed.includes(path))
    .sort(([a, one], [b, other]) =>
      other.terms - one.terms || other.lines - one.lines || (a < b ? -1 : 1)
    ).map(([path]) => path);
}

const RANK: Readonly<
  Record<BenchSide, (scope: CodeScope, wanted: SuggestRequest) => Promise<string[]>>
> = {
  control: textSearch,
  async treatment(scope, wanted) {
    const { ranked } = await suggest(scope, wanted);
    scope.signal.throwIfAborted(); // a partial result is no measurement
    return ranked.map(({ path }) => path);
  },
};

const byDepth = (share: (depth: number) => number | null) =>
  Object.fromEntries(DEPTHS.map((depth) => [String(depth), share(depth)]));

function recallOf(expected: readonly string[], ranked: readonly string[]): Recall {
  const found = expected.map((path) => {
    const at = ranked.indexOf(path);
    return { path, rank: at === -1 ? null : at + 1 };
  });
  return {
    expected: found,
    recall: byDepth((depth) =>
      found.length === 0
        ? null
        : found.filter(({ rank }) => rank !== null && rank <= depth).length / found.length
    ),
  };
}

function reportOf(
  { expected }: BenchCase,
  trials: readonly { readonly ranked: readonly string[]; readonly ms: number }[],
): SideReport {
  const { ranked = [] } = trials[0] ?? {};
  const all = [...new Set(GROUPS.flatMap((group) => expected[group]))];
  const of = (group: PathGroup) => recallOf(expected[group], ranked);
  return {
    files: of("files"),
    tests: of("tests"),
    docs: of("docs"),
    all: recallOf(all, ranked),
    precision: byDepth((depth) => {
      const top = ranked.slice(0, depth);
      return top.length === 0 ? null : top.filter((path) => all.includes(path)).length / top.length;
    }),
    ranked: ranked.slice(0, DEPTHS.at(-1)),
    ms: trials.map(({ ms }) => ms),
    stable: trials.every((trial) => trial.ranked.join("\n") === ranked.join("\n")),
  };
}

/** The sides take turns in going first, since the second finds a warm disk cache. Reads only. */
export async function benchmark(
  scope: CodeScope,
  { clock, trials, tell }: {
    readonly clock: Pick<Clock, "monotonic">;
    readonly trials: number;
    tell(text: string): void;
  },
  asked: BenchCase,
): Promise<BenchReport> {
  const seen: Record<BenchSide, { ranked: string[]; ms: number }[]> = {
    control: [],
    treatment: [],
  };
  for (let trial = 0; trial < trials; trial++) {
    for (const side of trial % 2 === 0 ? SIDES : SIDES.toReversed()) {
      tell(`trial ${trial + 1} of ${trials}: ${side}`);
      const started = clock.monotonic();
      const ranked = await RANK[side](scope, asked);
      seen[side].push({ ranked, ms: Math.round(clock.monotonic() - started) });
    }
  }
  return { control: reportOf(asked, seen.control), treatment: reportOf(asked, seen.treatment) };
}
