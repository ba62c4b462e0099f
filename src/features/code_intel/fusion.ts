/** Joins rankings from several sources into one: weighted reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009). */
import { ScoreBoard } from "./board.ts";

/** What a file can be found by; first what tells a reader most. */
export const RANK_SOURCES = [
  /** The task names its path. */
  "named",
  /** It defines a name of the task. */
  "defines",
  "tests",
  "importers",
  "imports",
  /** It changed in the same commits. */
  "together",
  /** Words of the task in its path. */
  "path",
  /** It names the changed files. */
  "mentions",
  /** Words of the task in its text, rare ones more. */
  "text",
  /** How many of the words it has, with the names of the changed files. */
  "words",
  /** Names that it defines have words of the task. */
  "speaks",
  /** It changed in commits whose subjects have words of the task. */
  "past",
  /** It lies in the same folder. */
  "folder",
  /** It changed often of late. */
  "often",
] as const;
export type RankSource = typeof RANK_SOURCES[number];

export type SourceBoards = Readonly<Record<RankSource, ScoreBoard>>;

export interface FusionWeights {
  /** The larger this is, the less the first places of a source count. */
  readonly k: number;
  readonly of: Readonly<Record<RankSource, number>>;
}

export const emptyBoards = (): SourceBoards =>
  Object.fromEntries(RANK_SOURCES.map((one) => [one, new ScoreBoard()])) as unknown as SourceBoards;

/** Paths with the same score share the mean of their places, which count from 1. */
export function placesOf(
  ranked: readonly { readonly path: string; readonly score: number }[],
): Map<string, number> {
  const places = new Map<string, number>();
  for (let from = 0, to = 0; from < ranked.length; from = to) {
    while (to < ranked.length && ranked[to]!.score === ranked[from]!.score) to++;
    for (const { path } of ranked.slice(from, to)) places.set(path, (from + 1 + to) / 2);
  }
  return places;
}

export function fuse(boards: SourceBoards, { k, of }: FusionWeights): ScoreBoard {
  const fused = new ScoreBoard();
  for (const [at, source] of RANK_SOURCES.entries()) {
    if (of[source] === 0) continue;
    const ranked = boards[source].ranked().filter(({ score }) => score > 0);
    const places = placesOf(ranked);
    for (const { path, why } of ranked) {
      fused.add(path, of[source] / (k + places.get(path)!), why, -at);
    }
  }
  return fused;
}
