/** Ranks texts by the words of a query: BM25, as of Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009). */

/** How soon more of the same word stops to count, and how much long texts are held back: the usual values. */
const K1 = 1.2;
const B = 0.75;

export interface CountedText {
  readonly counts: ReadonlyMap<string, number>;
  /** In any unit, the same for all; undefined: as the mean. */
  readonly length?: number | undefined;
}

/** Rare words weigh more; near 0 for a word that most texts have. */
export function inverseFrequency(having: number, all: number): number {
  return Math.log(1 + Math.max(0, all - having + 0.5) / (having + 0.5));
}

function having(texts: Iterable<CountedText>): Map<string, number> {
  const found = new Map<string, number>();
  for (const { counts } of texts) {
    for (const word of counts.keys()) found.set(word, (found.get(word) ?? 0) + 1);
  }
  return found;
}

/** @param all number of texts, with those that have no word of the query */
export function bm25<K>(
  texts: ReadonlyMap<K, CountedText>,
  all: number,
): Map<K, number> {
  const frequencies = having(texts.values());
  const lengths = [...texts.values()].flatMap(({ length }) => length === undefined ? [] : [length]);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const scores = new Map<K, number>();
  for (const [key, { counts, length }] of texts) {
    const longer = mean === 0 ? 1 : 1 - B + B * (length ?? mean) / mean;
    let score = 0;
    for (const [word, count] of counts) {
      const rare = inverseFrequency(frequencies.get(word)!, Math.max(all, texts.size));
      score += rare * count * (K1 + 1) / (count + K1 * longer);
    }
    scores.set(key, score);
  }
  return scores;
}
