/** What the palette offers, and in which order the words of a person find it. Pure. */

export interface Findable {
  /** Unique, and the same while a person types. */
  readonly id: string;
  readonly group: string;
  readonly text: string;
  /** More words about it, which are found too. */
  readonly about?: string;
  readonly keys?: readonly string[];
  run(): void;
}

/** Fits without scrolling for long; more words find the rest. */
const A_GROUP = 8;

/** Smaller is better; undefined when a word is nowhere. */
function distance({ text, about = "" }: Findable, words: readonly string[]): number | undefined {
  const [name, more] = [text.toLowerCase(), about.toLowerCase()];
  let sum = 0;
  for (const word of words) {
    const at = name.indexOf(word);
    if (at === 0) continue;
    if (at > 0) sum += /[\p{L}\p{N}]/u.test(name[at - 1]!) ? 2 : 1;
    else if (more.includes(word)) sum += 4;
    else return undefined;
  }
  return sum;
}

/** The best of each group, groups by their best. Without a query all stay in their order. */
export function found(all: readonly Findable[], query: string): readonly Findable[] {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const groups = new Map<string, { item: Findable; far: number }[]>();
  for (const item of all) {
    const far = distance(item, words);
    if (far === undefined) continue;
    const group = groups.get(item.group);
    if (group === undefined) groups.set(item.group, [{ item, far }]);
    else group.push({ item, far });
  }
  const best = [...groups.values()].map((group) => group.sort((a, b) => a.far - b.far));
  best.sort((a, b) => a[0]!.far - b[0]!.far);
  return best.flatMap((group) => group.slice(0, A_GROUP).map(({ item }) => item));
}

/** The option that an arrow leads to, round the ends. */
export function stepped(ids: readonly string[], active: string | undefined, by: 1 | -1) {
  if (ids.length === 0) return undefined;
  const at = active === undefined ? (by === 1 ? -1 : 0) : ids.indexOf(active);
  return ids[(at + by + ids.length) % ids.length];
}
