/** "Did you mean": the known names closest to a mistyped one. */

export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    before = above;
    above = row;
  }
  return above[b.length]!;
}

/** Names that start with the typed one or lie within a third of its length (2 edits at least). */
export function nearest(typed: string, known: Iterable<string>): string[] {
  const bound = Math.max(2, Math.floor(typed.length / 3));
  const low = typed.toLowerCase();
  const started = (name: string) => low.length >= 3 && name.startsWith(low);
  const near = [...known]
    .map((name) => ({ name, edits: started(name) ? 0 : editDistance(low, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= bound && edits < name.length)
    .sort((a, b) => a.edits - b.edits || a.name.localeCompare(b.name));
  return near.filter(({ edits }) => edits <= near[0]!.edits + 1).slice(0, 3).map(({ name }) =>
    name
  );
}

export function didYouMean(typed: string, known: Iterable<string>): string {
  const names = nearest(typed, known).map((name) => `"${name}"`);
  return names.length === 0 ? "" : `Did you mean ${names.join(" or ")}?`;
}
