/** Learns how much each source counts: coordinate ascent on the recall of replayed commits. */
import {
  type FusionWeights,
  placesOf,
  RANK_SOURCES,
  type RankSource,
} from "svc/features/code_intel/fusion.ts";
import type { Replayed } from "./measure.ts";

/** A weight is one of these, and `k` one of `DAMPING`: few steps, so that little is fitted to noise. */
const STEPS = [0, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2];
const DAMPING = [5, 10, 20, 40, 60];
const ROUNDS = 4;

/** What a person named is at the top; too few subjects name paths to learn it. */
const FIXED: ReadonlySet<RankSource> = new Set(["named"]);

export function recall(expected: readonly string[], ranked: readonly string[], depth: number) {
  const top = new Set(ranked.slice(0, depth));
  return expected.filter((path) => top.has(path)).length / expected.length;
}

export const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** A replayed commit as numbers: the place of each path in each source, 0 where it is not. */
interface PlacedCase {
  readonly paths: readonly string[];
  readonly expected: readonly string[];
  readonly places: Readonly<Record<RankSource, Float64Array>>;
  readonly text: readonly number[];
}

const DEPTHS = [5, 10, 20];

function placed({ sources, expected, text }: Replayed): PlacedCase {
  const paths = [...new Set(RANK_SOURCES.flatMap((one) => sources[one].map(([path]) => path)))];
  const placesIn = (source: RankSource) => {
    const places = placesOf(sources[source].map(([path, score]) => ({ path, score })));
    return Float64Array.from(paths, (path) => places.get(path) ?? 0);
  };
  return {
    paths: paths.sort(),
    expected,
    places: Object.fromEntries(
      RANK_SOURCES.map((source) => [source, placesIn(source)]),
    ) as unknown as PlacedCase["places"],
    text: DEPTHS.map((depth) => recall(expected, text, depth)),
  };
}

/** As `fuse` ranks them. */
function ranking({ paths, places }: PlacedCase, { k, of }: FusionWeights): string[] {
  const scores = new Float64Array(paths.length);
  for (const source of RANK_SOURCES) {
    const weight = of[source];
    if (weight === 0) continue;
    places[source].forEach((place, at) => {
      if (place > 0) scores[at]! += weight / (k + place);
    });
  }
  return [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b)
    .slice(0, DEPTHS.at(-1)).map((at) => paths[at]!);
}

/**
 * The mean over repos and variants of recall at 5, 10 and 20. Where it is below the text search it
 * counts thrice, since a hint must do no harm anywhere.
 */
function worth(groups: readonly (readonly PlacedCase[])[], weights: FusionWeights): number {
  return mean(groups.map((cases) => {
    const ranked = cases.map((one) => ranking(one, weights));
    return mean(DEPTHS.map((depth, at) => {
      const own = mean(cases.map(({ expected }, one) => recall(expected, ranked[one]!, depth)));
      const text = mean(cases.map(({ text }) => text[at]!));
      return own - 2 * Math.max(0, text - own);
    }));
  }));
}

export function learned(
  repos: readonly (readonly Replayed[])[],
  start: FusionWeights,
  tell: (text: string) => void,
): FusionWeights {
  const groups = repos.flatMap((all) => [...Map.groupBy(all, ({ variant }) => variant).values()])
    .map((cases) => cases.map(placed));
  let [best, at] = [start, worth(groups, start)];
  for (let round = 0; round < ROUNDS; round++) {
    const before = at;
    const tried = [
      ...DAMPING.map((k) => ({ k })),
      ...RANK_SOURCES.filter((one) => !FIXED.has(one)).flatMap((source) =>
        STEPS.map((step) => ({ source, step }))
      ),
    ];
    for (const one of tried) {
      const weights = "k" in one
        ? { ...best, k: one.k }
        : { ...best, of: { ...best.of, [one.source]: one.step } };
      const score = worth(groups, weights);
      if (score > at + 1e-4) [best, at] = [weights, score];
    }
    tell(`round ${round + 1}: ${at.toFixed(4)}`);
    if (at - before < 1e-3) break;
  }
  return best;
}
