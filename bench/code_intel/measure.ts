/** Replays a commit: what each way of finding ranks first in the tree before it. */
import { run } from "bench/replay/source.ts";
import { textSearch } from "svc/features/code_intel/benchmark.ts";
import type { CodeScope } from "svc/features/code_intel/code_file.ts";
import {
  fuse,
  type FusionWeights,
  RANK_SOURCES,
  type RankSource,
  type SourceBoards,
} from "svc/features/code_intel/fusion.ts";
import { rankingOf, sourcesFor, type SuggestRequest } from "svc/features/code_intel/suggest.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { openParsers } from "svc/platform/tree_sitter.ts";
import { hintOf, mayBeHinted } from "svc/runtime/job/code_hint.ts";
import type { ReplayedCase } from "./cases.ts";

export const VARIANTS = ["words and one file", "words alone"] as const;
export type Variant = typeof VARIANTS[number];

/** Places of each source that learning looks at. */
const KEPT = 80;

/** Best first; what is given is left out. */
export interface Replayed {
  readonly variant: Variant;
  readonly expected: readonly string[];
  readonly text: readonly string[];
  readonly graph: readonly string[];
  readonly hint: readonly string[];
  /** By source, for learning. */
  readonly sources: Readonly<Record<RankSource, readonly (readonly [string, number])[]>>;
  readonly textMs: number;
  readonly hintMs: number;
  readonly hintBytes: number;
}

const GRAPH: readonly RankSource[] = ["defines", "tests", "imports", "importers"];

const GRAPH_WEIGHTS: FusionWeights = {
  k: 60,
  of: Object.fromEntries(RANK_SOURCES.map((one) => [one, GRAPH.includes(one) ? 1 : 0])) as Record<
    RankSource,
    number
  >,
};

const root = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const parsers = openParsers({ build: "source", root });
const git = gitOver(denoProcesses(), { PATH: Deno.env.get("PATH") ?? "" });

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const started = performance.now();
  return [await work(), performance.now() - started];
}

const placed = (boards: SourceBoards, source: RankSource, there: ReadonlySet<string>) =>
  boards[source].ranked().filter(({ path, score }) => score > 0 && there.has(path))
    .slice(0, KEPT).map(({ path, score }) => [path, score] as const);

async function replayedAs(
  scope: CodeScope,
  variant: Variant,
  { words, given, others }: ReplayedCase,
): Promise<Replayed> {
  const changed = variant === "words alone" ? [] : [given];
  const asked: SuggestRequest = { text: words, changed };
  const left = (ranked: readonly string[]) => ranked.filter((path) => !changed.includes(path));
  const [text, textMs] = await timed(() => textSearch(scope, asked));
  const [found, hintMs] = await timed(() => sourcesFor(scope, asked));
  const ranked = rankingOf(found, changed);
  const there = new Set(found.index.paths);
  const graph = fuse(found.boards, GRAPH_WEIGHTS).ranked().map(({ path }) => path);
  const sources = Object.fromEntries(
    RANK_SOURCES.map((source) => [source, placed(found.boards, source, there)]),
  ) as unknown as Replayed["sources"];
  return {
    variant,
    expected: variant === "words alone" ? [given, ...others] : others,
    text,
    graph: left(graph.filter((path) => there.has(path))),
    hint: ranked.map(({ path }) => path),
    sources,
    textMs,
    hintMs,
    hintBytes: new TextEncoder().encode(hintOf(ranked).lines).length,
  };
}

/** Checks out the parent: no later commit can be seen from it. */
export async function replay(at: string, one: ReplayedCase): Promise<Replayed[]> {
  await run(at, ["git", "checkout", "--quiet", "--force", "--detach", one.parent]);
  const opened = await git.open(at);
  using folder = await openFolder(opened.root);
  const scope: CodeScope = {
    git: opened,
    folder,
    parsers: () => parsers,
    allowed: mayBeHinted,
    signal: new AbortController().signal,
  };
  const asked = VARIANTS.filter((variant) => variant !== "words alone" || one.words !== "");
  const done: Replayed[] = [];
  for (const variant of asked) done.push(await replayedAs(scope, variant, one));
  return done;
}
