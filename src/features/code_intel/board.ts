/** Adds up the points of each file, with the reasons for them. */

interface FileScore {
  score: number;
  readonly reasons: Map<string, number>;
}

interface RankedFile {
  readonly path: string;
  readonly score: number;
  readonly why: string;
}

const REASONS = 2;

export class ScoreBoard {
  readonly #standings = new Map<string, FileScore>();

  /** @param telling which reasons are shown: those with the most of it, by default of the points */
  add(path: string, points: number, reason: string, telling = points): void {
    const standing = this.#standings.get(path) ?? { score: 0, reasons: new Map() };
    standing.score += points;
    const before = standing.reasons.get(reason);
    standing.reasons.set(reason, telling < 0 ? before ?? telling : (before ?? 0) + telling);
    this.#standings.set(path, standing);
  }

  clear(): void {
    this.#standings.clear();
  }

  /** Best first, then by path. */
  ranked(): RankedFile[] {
    return [...this.#standings].map(([path, { score, reasons }]) => ({
      path,
      score,
      why: [...reasons].sort(([a, some], [b, more]) => more - some || (a < b ? -1 : 1))
        .slice(0, REASONS).map(([reason]) => reason).join("; "),
    })).sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  }
}
