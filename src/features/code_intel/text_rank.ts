/** Ranks files by the words of a task in their text and in their paths. */
import { nameOf, stemOf } from "svc/core/path_parts.ts";
import type { ScoreBoard } from "./board.ts";
import { bm25, type CountedText, inverseFrequency } from "./bm25.ts";
import type { CodeScope } from "./code_file.ts";
import type { SourceBoards } from "./fusion.ts";
import { folderPrefix } from "./language.ts";
import { telling } from "./path_kind.ts";
import { partsOf, singular, type TaskWords } from "./task_words.ts";

type WordCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The best, whose length is asked since it can change their place. */
const WEIGHED = 200;

/** Words told as a reason. */
const SAID = 3;

const said = (words: Iterable<string>) =>
  [...words].slice(0, SAID).map((word) => `"${word}"`).join(", ");

const onlyOf = (counts: ReadonlyMap<string, number>, words: ReadonlySet<string>) =>
  new Map([...counts].filter(([word]) => words.has(word)));

interface CountedWords {
  readonly counts: WordCounts;
  readonly terms: readonly string[];
  /** Files of the repo. */
  readonly all: number;
}

/**
 * First without lengths; then the best with theirs, since in a long file a word says less. Takes
 * the place of what an earlier call found.
 */
export async function byText(
  { folder }: Pick<CodeScope, "folder">,
  text: ScoreBoard,
  { counts, terms, all }: CountedWords,
): Promise<void> {
  const wanted = new Set(terms);
  const own = [...counts].map(([path, one]) => [path, onlyOf(one, wanted)] as const);
  const having = own.filter(([, { size }]) => size > 0);
  const plain = new Map(having.map(([path, counts]) => [path, { counts }]));
  const first = [...bm25(plain, all)].sort(([a, one], [b, other]) =>
    other - one || (a < b ? -1 : 1)
  ).slice(0, WEIGHED);
  const weighed = await Promise.all(first.map(async ([path]): Promise<[string, CountedText]> => {
    const length = (await folder.stat(path))?.size;
    return [path, { ...plain.get(path)!, length }];
  }));
  const scores = bm25(new Map<string, CountedText>([...plain, ...weighed]), all);
  text.clear();
  for (const [path, score] of scores) {
    const words = [...plain.get(path)!.counts.keys()].sort((a, b) => b.length - a.length);
    text.add(path, score * telling(path), `has ${said(words)}`);
  }
}

/** As a plain search ranks: how many of the words, then how often. */
export function byWords(
  { words, mentions }: Pick<SourceBoards, "mentions" | "words">,
  counts: WordCounts,
  { asked, stems }: { readonly asked: ReadonlySet<string>; readonly stems: ReadonlySet<string> },
): void {
  const both = new Set([...asked, ...stems]);
  for (const [path, one] of counts) {
    const own = onlyOf(one, both);
    const times = [...own.values()].reduce((sum, count) => sum + count, 0);
    if (own.size > 0) words.add(path, own.size + times / (times + 1000), `has ${said(own.keys())}`);
    for (const [stem, count] of onlyOf(one, stems)) {
      mentions.add(path, count / (count + 2) * telling(path), `names "${stem}"`);
    }
  }
}

export function byPath(
  { path: board, named }: SourceBoards,
  paths: readonly string[],
  { words, terms }: { readonly words: TaskWords; readonly terms: readonly string[] },
): void {
  const all = new Set(paths);
  for (const path of words.paths) {
    const ends = all.has(path) ? [path] : paths.filter((one) => one.endsWith(`/${path}`));
    for (const one of ends) named.add(one, 1 / ends.length, "named in the task");
  }
  const plain = (name: string) => name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
  const names = new Map(words.names.map((name) => [plain(name), name]));
  const fits = (part: string) => terms.find((term) => part === term || part.startsWith(term));
  const found = new Map<string, Set<string>>();
  for (const path of paths) {
    const name = names.get(plain(stemOf(path)));
    if (name !== undefined) board.add(path, 20, `named after "${name}"`);
    const parts = [...partsOf(stemOf(path)), ...partsOf(folderPrefix(path)).slice(-2)];
    for (const part of new Set(parts.map(singular))) {
      const term = part.length > 2 ? fits(part) : undefined;
      if (term !== undefined) found.set(term, (found.get(term) ?? new Set()).add(path));
    }
  }
  for (const [term, having] of found) {
    const rare = inverseFrequency(having.size, paths.length);
    for (const path of having) {
      const share = nameOf(path).toLowerCase().includes(term) ? 1 : 0.5;
      board.add(path, share * rare * telling(path), `named after "${term}"`);
    }
  }
}

/** Only files that were found otherwise; the fewer lie beside a seed, the more it says. */
export function byFolder(
  { folder }: SourceBoards,
  found: readonly string[],
  seeds: readonly { readonly path: string; readonly score: number }[],
): void {
  for (const seed of seeds) {
    const own = folderPrefix(seed.path);
    const beside = found.filter((path) => path !== seed.path && folderPrefix(path) === own);
    for (const path of beside) {
      folder.add(path, seed.score * telling(path) / beside.length, `beside ${nameOf(seed.path)}`);
    }
  }
}
