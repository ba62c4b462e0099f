/** Ranks the files of a repo by their relation to a task: words, definitions, and related files. */
import { nameOf, stemOf } from "svc/core/path_parts.ts";
import { CODE_HINT_PATHS, CODE_HINT_RANKED, CODE_HINT_SYMBOLS } from "svc/core/bounds.ts";
import type { GrepQuery } from "svc/platform/git/grep.ts";
import { ScoreBoard } from "./board.ts";
import { candidates, defining, wholeWord } from "./candidates.ts";
import { type CodeScope, withCode } from "./code_file.ts";
import type { FileIndex } from "./file_index.ts";
import { languageOf } from "./languages/all.ts";
import { type Definition, outlineOf } from "./outline.ts";
import { DOCS, type PathKind, pathKind, telling } from "./path_kind.ts";
import { indexOf, relatedTo } from "./related.ts";
import { partsOf, singular, type TaskWords, taskWords } from "./task_words.ts";

const CODE_HINT_TASK_CHARS = 16_000;

const CODE_HINT_OUTLINES = 20;
const CODE_HINT_SEEDS = 4;

/** When more files contain a name, only those that may define it are considered. */
const CODE_HINT_DEFINING = 20;

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

interface SuggestSearch {
  readonly scope: CodeScope;
  readonly words: TaskWords;
  readonly changed: readonly string[];
  readonly board: ScoreBoard;
  readonly symbols: Map<string, readonly Definition[]>;
  readonly met: Map<string, number>;
  index: FileIndex;
}

/** Points: a code name counts more than a word, a definition more than a use, a named path most. */
const NAMED = 10;
const NAME = 2;
const WORD = 1;
const PATH_WORD = 1.5;
const DEFINES = 3;
const SPEAKS_OF = 0.5;
const DOCUMENTS = 2;
const TOGETHER = 0.4;

const TO_TESTS = 0.5;
const TO_IMPORTERS = 0.5;
const TO_IMPORTS = 0.4;
const TO_COMPANIONS = 0.5;

const USES = 4;

/** A word counts as common, and gives no points, above both this number and this share of files. */
const COMMON_FILES = 20;
const COMMON_SHARE = 0.1;

/** Near 1 for a word in one file, 0 for a word in all files. */
const rarity = (files: number, all: number) =>
  all === 0 ? 0 : Math.log(1 + all / Math.max(1, files)) / Math.log(1 + all);

function named({ words, board, index }: SuggestSearch): void {
  const all = new Set(index.paths);
  for (const path of words.paths) {
    const exact = all.has(path);
    const ends = exact ? [path] : index.paths.filter((one) => one.endsWith(`/${path}`));
    for (const one of ends.slice(0, CODE_HINT_SEEDS)) {
      board.add(one, NAMED / ends.length, "named in the task");
    }
  }
}

function byPath({ words, board, index }: SuggestSearch): void {
  const plain = (name: string) => name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
  const names = new Map(words.names.map((name) => [plain(name), name]));
  const wanted = new Set([...words.words, ...words.names.flatMap(partsOf)].map(singular));
  const found = new Map<string, string[]>();
  for (const path of index.paths) {
    const name = names.get(plain(stemOf(path)));
    if (name !== undefined) board.add(path, DEFINES * telling(path), `named after "${name}"`);
    for (const part of new Set(partsOf(stemOf(path)).map(singular))) {
      if (part.length > 2 && wanted.has(part)) found.set(part, [...found.get(part) ?? [], path]);
    }
  }
  for (const [part, paths] of found) {
    if (paths.length > Math.max(COMMON_FILES, index.paths.length * COMMON_SHARE)) continue;
    const points = PATH_WORD * rarity(paths.length, index.paths.length);
    for (const path of paths) board.add(path, points * telling(path), `named after "${part}"`);
  }
}

async function byText(
  { scope, board, met, index }: SuggestSearch,
  query: GrepQuery,
  said: string,
  weight: number,
): Promise<readonly string[]> {
  const { hits, complete } = await candidates(scope, query);
  const files = [...hits.keys()];
  const common = files.length > Math.max(COMMON_FILES, index.paths.length * COMMON_SHARE);
  if (!complete || common) return files;
  const points = weight * rarity(files.length, index.paths.length);
  for (const [path, lines] of hits) {
    const often = Math.sqrt(Math.min(USES, lines.length));
    board.add(path, points * often * telling(path), `has "${said}"`);
    // Two words in one file count more than one word in each of two files.
    const before = met.get(path) ?? 0;
    board.add(path, before * TOGETHER * telling(path), `has "${said}"`);
    met.set(path, before + 1);
  }
  return files;
}

async function byName(search: SuggestSearch, name: string): Promise<void> {
  const files = await byText(search, { pattern: wholeWord(name) }, name, NAME);
  if (files.length <= CODE_HINT_DEFINING) return;
  const { hits } = await candidates(search.scope, { pattern: defining(name) });
  const few = [...hits.keys()].filter((path) => languageOf(path) !== undefined);
  if (few.length > CODE_HINT_DEFINING) return;
  for (const path of few) search.board.add(path, NAME, `may define "${name}"`);
}

function fit({ name }: Definition, { names, words }: TaskWords): number {
  if (names.includes(name)) return DEFINES;
  const parts = new Set(partsOf(name).map(singular));
  return SPEAKS_OF * words.filter((word) => parts.has(word)).length;
}

async function byDefinitions(search: SuggestSearch): Promise<void> {
  const { scope, board, words, changed } = search;
  const code = board.ranked().map(({ path }) => path).filter((path) => languageOf(path));
  for (const path of [...changed, ...code].slice(0, CODE_HINT_OUTLINES)) {
    const all = await withCode(scope, path, (file) => "why" in file ? [] : outlineOf(file)) ?? [];
    const byName = new Map(all.toReversed().map((one) => [one.name, one]));
    const fits = [...byName.values()].map((one) => ({ one, points: fit(one, words) }))
      .filter(({ points }) => points > 0)
      .sort((a, b) => b.points - a.points || a.one.line - b.one.line)
      .slice(0, CODE_HINT_SYMBOLS);
    fits.forEach(({ one, points }, at) => {
      const why = points === DEFINES ? `defines "${one.name}"` : "has definitions of such names";
      board.add(path, points / (at + 1), why);
    });
    search.symbols.set(path, fits.map(({ one }) => one));
  }
}

async function byGraph({ scope, board, changed, index }: SuggestSearch): Promise<void> {
  const best = board.ranked().filter(({ path }) =>
    pathKind(path) === "file" && languageOf(path) !== undefined && !changed.includes(path)
  );
  const seeds = [
    ...changed.slice(0, CODE_HINT_PATHS).map((path) => ({ path, score: NAMED })),
    ...best.slice(0, Math.max(1, CODE_HINT_SEEDS - changed.length)),
  ];
  for (const { path, score } of seeds) {
    const { tests, itself, importedBy, imports, changedWith } = await relatedTo(scope, path, index);
    const give = (files: readonly { path: string }[], share: number, why: string) => {
      const points = score * share / Math.sqrt(files.length);
      for (const one of files) board.add(one.path, points, why);
    };
    const name = nameOf(path);
    give(tests, TO_TESTS, itself ? `tested by ${name}` : `tests ${name}`);
    const code = importedBy.filter((one) => !tests.some((test) => test.path === one.path));
    give(code, TO_IMPORTERS, `imports ${name}`);
    give(imports, TO_IMPORTS, `imported by ${name}`);
    give(changedWith, TO_COMPANIONS, `changed together with ${name}`);
  }
}

async function byDocuments({ scope, board, changed, symbols }: SuggestSearch): Promise<void> {
  const best = board.ranked().filter(({ path }) => pathKind(path) === "file").slice(
    0,
    CODE_HINT_SEEDS,
  );
  const files = new Set([...changed, ...best.map(({ path }) => path)]);
  const defined = best.flatMap(({ path }) => symbols.get(path) ?? []).map(({ name }) => name);
  const names = new Set([...[...files].map(nameOf), ...defined].filter((name) => name.length > 3));
  if (names.size === 0) return;
  const pattern = [...names].map(wholeWord).join("|");
  const { hits } = await candidates(scope, { pattern, glob: `**/*.{${DOCS.join(",")}}` });
  for (const [path, lines] of hits) {
    const points = DOCUMENTS * Math.sqrt(Math.min(USES, lines.length)) / Math.sqrt(hits.size);
    board.add(path, points, "names these files or their definitions");
  }
}

function steps(search: SuggestSearch): readonly (() => void | Promise<unknown>)[] {
  const { scope, words } = search;
  return [
    async () => void (search.index = await indexOf(scope)),
    () => named(search),
    () => byPath(search),
    ...words.names.map((name) => () => byName(search, name)),
    ...words.words.map((word) => () =>
      byText(search, { pattern: word, fixed: true, ignoreCase: true }, word, WORD)
    ),
    () => byDefinitions(search),
    () => byGraph(search),
    () => byDocuments(search),
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

/** Deterministic; runs no code of the repo. Aborting `scope.signal` ends it with what was found. */
export async function suggest(scope: CodeScope, wanted: SuggestRequest): Promise<Suggestions> {
  const words = taskWords(wanted.text.slice(0, CODE_HINT_TASK_CHARS));
  const index: FileIndex = { paths: [], resolve: () => [] };
  const changed = wanted.changed ?? [];
  const search: SuggestSearch = {
    scope,
    words,
    changed,
    board: new ScoreBoard(),
    symbols: new Map(),
    met: new Map(),
    index,
  };
  let complete = true;
  for (const step of steps(search)) {
    complete = await inTime(scope.signal, step);
    if (!complete) break;
  }
  const there = new Set(search.index.paths);
  const ranked = search.board.ranked()
    .filter(({ path, score }) => score > 0 && there.has(path) && !changed.includes(path))
    .slice(0, CODE_HINT_RANKED);
  const best = ranked[0]?.score ?? 1;
  return {
    complete,
    ranked: ranked.map(({ path, score, why }) => ({
      path,
      kind: pathKind(path),
      share: score / best,
      why,
      symbols: search.symbols.get(path) ?? [],
    })),
  };
}
