/** Counts what a unified diff (git-diff(1)) changes, file by file. */

export interface FileStat {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
}

export function diffStat(patch: string): FileStat[] {
  const stats: { path: string; added: number; removed: number }[] = [];
  let inHunk = false;
  for (const line of patch.split("\n")) {
    const head = /^diff --git a\/(.+) b\/(.+)$/.exec(line);
    if (head !== null) {
      inHunk = false;
      stats.push({ path: head[2]!, added: 0, removed: 0 });
    } else if (line.startsWith("@@")) inHunk = true;
    else if (inHunk && line.startsWith("+")) stats.at(-1)!.added++;
    else if (inHunk && line.startsWith("-")) stats.at(-1)!.removed++;
  }
  return stats;
}
