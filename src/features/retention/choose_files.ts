/** Which files of ended jobs go: those past their time, then the oldest while there are too many. Pure. */

/** For lack of room nothing younger goes: a person may still be looking at it. */
export const YOUNG_MS = 24 * 60 * 60 * 1000;

export interface EndedFiles {
  readonly job: string;
  /** Epoch ms. */
  readonly endedAt: number;
  readonly bytes: number;
}

export interface FilesChoice<T> {
  /** Oldest first. */
  readonly aged: readonly T[];
  readonly crowded: readonly T[];
}

/** @param total bytes of all files, those that must stay included */
export function chooseFiles<T extends EndedFiles>(
  files: readonly T[],
  { now, keepMs, total, most }: {
    readonly now: number;
    readonly keepMs: number;
    readonly total: number;
    readonly most: number;
  },
): FilesChoice<T> {
  const oldest = files.toSorted((a, b) => a.endedAt - b.endedAt || (a.job < b.job ? -1 : 1));
  const aged = oldest.filter(({ endedAt }) => now - endedAt >= keepMs);
  let left = aged.reduce((sum, { bytes }) => sum - bytes, total);
  const crowded: T[] = [];
  for (const file of oldest.slice(aged.length)) {
    if (left <= most || now - file.endedAt < YOUNG_MS) break;
    crowded.push(file);
    left -= file.bytes;
  }
  return { aged, crowded };
}
