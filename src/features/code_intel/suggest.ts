/** Ranks the files of a repo by their relation to a task: words, definitions, related files, history. */
import { nameOf, stemOf } from "svc/core/path_parts.ts";
import { CODE_HINT_PATHS, CODE_HINT_RANKED, CODE_HINT_SYMBOLS } from "svc/core/bounds.ts";
import type { PastCommit } from "svc/platform/git/history.ts";
import { type CodeScope, withCode } from "./code_file.ts";
import type { FileIndex } from "./file_index.ts";
import { emptyBoards, fuse, type FusionWeights, type SourceBoards } from "./fusion.ts";
import { byCompanions, byPast } from "./history_rank.ts";
import { languageOf } from "./languages/all.ts";
import { type Definition, outlineOf } from "./outline.ts";
import { type PathKind, pathKind } from "./path_kind.ts";
import { indexOf, neighbours } from "./related.ts";
import { partsOf, searchTerms, singular, type TaskWords, taskWords } from "./task_words.ts";
import { byFolder, byPath, byText, byWords } from "./text_rank.ts";
import { LEARNED_WEIGHTS } from "./weights.ts";

const CODE_HINT_TASK_CHARS = 16_000;

/** Files that are parsed for their definitions, and bytes of a file: parsing 1 MB takes some 0.3 s. */
const CODE_HINT_OUTLINES = 16;
const CODE_HINT_PARSED_BYTES = 128 * 1024;

/** In a repo of more files the rarest words are counted first, in case the time ends. */
const CODE_HINT_LARGE = 5000;
const RARE_TERMS = 2;

/** Files whose relations are followed: the changed ones, else the best so far. */
const CODE_HINT_SEEDS = 4;

/** Files parsed to see whether they import a seed: some 0.3 s. Where more do, it says little of each. */
const CODE_HINT_IMPORTERS = 40;

export interface Suggestion {
  readonly path: string;
  readonly kind: PathKind;
  readonly share: number;
  /** May contain paths and words of the repo. */
  readonly why: string;
  readonly symbols: readonly Pick<Definition, "kind" | "name" | "line" | "endLine">[];
}

interface Suggestions {
  readonly ranked: readonly Suggestion[];
  /** False when `scope.signal` was aborted before the search was over. */
  readonly complete: boolean;
}

export interface SuggestRequest {
  readonly text: string;
  /** They lead to other files, but are not suggested themselves. */
  readonly changed?: readonly string[];
}

/** What each source found, before it is joined. */
export interface SourcesFound {
  readonly boards: SourceBoards;
  readonly index: FileIndex;
  readonly symbols: ReadonlyMap<string, readonly Definition[]>;
  readonly complete: boolean;
}

interface SourceSearch {
  readonly scope: CodeScope;
  readonly words: TaskWords;
  readonly terms: readonly string[];
  readonly changed: readonly string[];
  readonly boards: SourceBoards;
  readonly symbols: Map<string, readonly Definition[]>;
  index: FileIndex;
  commits: readonly PastCommit[];
}

interface Seed {
  readonly path: string;
  readonly score: number;
}

/** The changed files, or with none the best so far, each worth its share of the first one's points. */
function seedsOf({ changed, boards, index }: SourceSearch): Seed[] {
  if (changed.length > 0) return changed.map((path) => ({ path, score: 1 }));
  const there = new Set(index.paths);
  const best = fuse(boards, LEARNED_WEIGHTS).ranked().filter(({ path }) => there.has(path));
  const code = best.filter(({ path }) => pathKind(path) === "file").slice(0, CODE_HINT_SEEDS);
  return code.map(({ path, score }) => ({ path, score: score / code[0]!.score }));
}

async function countsOf(
  { scope }: SourceSearch,
  words: Iterable<string>,
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const { counts } = await scope.git.wordCounts([...new Set(words)]);
  return new Map([...counts].filter(([path]) => scope.allowed(path)));
}

/** In a large repo first: names are rarer than words, and long words than short ones. */
async function byRareCounts(search: SourceSearch): Promise<void> {
  const { scope, boards, index: { paths } } = search;
  if (paths.length <= CODE_HINT_LARGE) return;
  const terms = search.terms.toSorted((a, b) => b.length - a.length).slice(0, RARE_TERMS);
  const counts = await countsOf(search, terms);
  await byText(scope, boards.text, { counts, terms, all: paths.length });
}

async function byCounts(search: SourceSearch): Promise<void> {
  const { scope, words, terms, changed, boards, index: { paths } } = search;
  const lower = (word: string) => word.toLowerCase();
  const asked = new Set([...words.names, ...words.words].map(lower));
  const stems = new Set(changed.map(stemOf).map(lower));
  const counts = await countsOf(search, [...terms, ...asked, ...stems]);
  await byText(scope, boards.text, { counts, terms, all: paths.length });
  byWords(boards, counts, { asked, stems });
}

const DEFINES = 3;
const SPEAKS_OF = 0.5;

function fit({ name }: Definition, { names, words }: TaskWords): number {
  if (names.includes(name)) return DEFINES;
  const parts = new Set(partsOf(name).map(singular));
  return SPEAKS_OF * words.filter((word) => parts.has(word)).length;
}

async function byDefinitions(search: SourceSearch): Promise<void> {
  const { scope, boards, words, changed } = search;
  const code = fuse(boards, LEARNED_WEIGHTS).ranked().map(({ path }) => path)
    .filter((path) => scope.allowed(path) && languageOf(path) && !changed.includes(path));
  for (const path of [...changed, ...code].slice(0, CODE_HINT_OUTLINES)) {
    const all = await withCode(scope, path, (file) => "why" in file ? [] : outlineOf(file)) ?? [];
    const byName = new Map(all.toReversed().map((one) => [one.name, one]));
    const fits = [...byName.values()].map((one) => ({ one, points: fit(one, words) }))
      .filter(({ points }) => points > 0)
      .sort((a, b) => b.points - a.points || a.one.line - b.one.line)
      .slice(0, CODE_HINT_SYMBOLS);
    fits.forEach(({ one, points }, at) => {
      if (points === DEFINES) boards.defines.add(path, 1 / (at + 1), `defines "${one.name}"`);
      else boards.speaks.add(path, points / (at + 1), "has definitions of such names");
    });
    search.symbols.set(path, fits.map(({ one }) => one));
  }
}

async function byGraph({ scope, boards, index }: SourceSearch, seeds: readonly Seed[]) {
  const paths = seeds.slice(0, CODE_HINT_PATHS).map(({ path }) => path);
  const near = await neighbours(scope, paths, { index, most: CODE_HINT_IMPORTERS });
  for (const { path, score } of seeds.slice(0, CODE_HINT_PATHS)) {
    const { tests, itself, importedBy, imports } = near.get(path)!;
    const name = nameOf(path);
    const give = (board: keyof SourceBoards, files: readonly { path: string }[], why: string) => {
      for (const one of files) boards[board].add(one.path, score / Math.sqrt(files.length), why);
    };
    give("tests", tests, itself ? `tested by ${name}` : `tests ${name}`);
    const code = importedBy.filter((one) => !tests.some((test) => test.path === one.path));
    give("importers", code, `imports ${name}`);
    give("imports", imports, `imported by ${name}`);
  }
}

function steps(search: SourceSearch): readonly (() => void | Promise<unknown>)[] {
  const { scope, boards, words, terms } = search;
  // Git reads the history while it counts words.
  const history = scope.git.recentCommits();
  history.catch(() => undefined);
  let seeds: readonly Seed[] = [];
  return [
    async () => void (search.index = await indexOf(scope)),
    () => byPath(boards, search.index.paths, { words, terms }),
    () => byRareCounts(search),
    () => byCounts(search),
    async () => byPast(boards, search.commits = await history, terms),
    () => void (seeds = seedsOf(search)),
    () => byCompanions(boards, search.commits, seeds),
    () => byGraph(search, seeds),
    () => byDefinitions(search),
    () => byFolder(boards, fuse(boards, LEARNED_WEIGHTS).ranked().map(({ path }) => path), seeds),
  ];
}

/** False when the signal was aborted first; the step is then abandoned. */
async function inTime(signal: AbortSignal, step: () => void | Promise<unknown>): Promise<boolean> {
  if (signal.aborted) return false;
  const { promise, resolve } = Promise.withResolvers<false>();
  const late = () => resolve(false);
  signal.addEventListener("abort", late);
  try {
    return await Promise.race([promise, Promise.resolve(step()).then(() => true)]);
  } catch (thrown) {
    if (signal.aborted) return false;
    throw thrown;
  } finally {
    signal.removeEventListener("abort", late);
  }
}

/** Aborting `scope.signal` ends it with what was found. */
export async function sourcesFor(
  scope: CodeScope,
  { text, changed = [] }: SuggestRequest,
): Promise<SourcesFound> {
  const words = taskWords(text.slice(0, CODE_HINT_TASK_CHARS));
  const search: SourceSearch = {
    scope: { ...scope, parsedBytes: CODE_HINT_PARSED_BYTES },
    words,
    terms: searchTerms(text.slice(0, CODE_HINT_TASK_CHARS)),
    changed,
    boards: emptyBoards(),
    symbols: new Map(),
    index: { paths: [], resolve: () => [] },
    commits: [],
  };
  let complete = !scope.signal.aborted;
  // With nothing to go by, only habits of the repo would be left.
  const asked = changed.length + search.terms.length + words.paths.length > 0;
  for (const step of complete && asked ? steps(search) : []) {
    complete = await inTime(scope.signal, step);
    if (!complete) break;
  }
  const { boards, index, symbols } = search;
  return { boards, index, symbols, complete };
}

/** The joined ranking; `changed` are not in it. */
export function rankingOf(
  { boards, index, symbols }: SourcesFound,
  changed: readonly string[] = [],
  weights: FusionWeights = LEARNED_WEIGHTS,
): readonly Suggestion[] {
  const there = new Set(index.paths);
  const ranked = fuse(boards, weights).ranked()
    .filter(({ path, score }) => score > 0 && there.has(path) && !changed.includes(path))
    .slice(0, CODE_HINT_RANKED);
  const best = ranked[0]?.score ?? 1;
  return ranked.map(({ path, score, why }) => ({
    path,
    kind: pathKind(path),
    share: score / best,
    why,
    symbols: symbols.get(path) ?? [],
  }));
}

/** Deterministic; runs no code of the repo. Aborting `scope.signal` ends it with what was found. */
export async function suggest(scope: CodeScope, wanted: SuggestRequest): Promise<Suggestions> {
  const found = await sourcesFor(scope, wanted);
  return { ranked: rankingOf(found, wanted.changed), complete: found.complete };
}
