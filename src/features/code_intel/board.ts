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

  add(path: string, points: number, reason: string): void {
    const standing = this.#standings.get(path) ?? { score: 0, reasons: new Map() };
    standing.score += points;
    standing.reasons.set(reason, (standing.reasons.get(reason) ?? 0) + points);
    this.#standings.set(path, standing);
  }

  scoreOf(path: string): number {
    return this.#standings.get(path)?.score ?? 0;
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
