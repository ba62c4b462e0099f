/** Sections of the screen, and how they share its rows. */
import { type StyledLine, type StyledText } from "./line.ts";
import { padToCells } from "svc/core/terminal_text.ts";

export interface Section {
  readonly label: string;
  readonly rows: readonly StyledLine[];
  /** Rows that it gets before others get more. */
  readonly least: number;
  /** Sections with a lower rank get rows first. */
  readonly rank: number;
}

/** Cells before each row, for the labels; none on a narrow screen. */
export function marginOf(columns: number): number {
  return columns < 60 ? 0 : 10;
}

/** Fills exactly `space` lines, with empty ones if need be; rows without room are counted. */
export function layOut(sections: readonly Section[], space: number, columns: number): StyledLine[] {
  const shown = sections.filter(({ rows }) => rows.length > 0);
  const shares = share(shown, space);
  const used = [...shares.values()].reduce((sum, count) => sum + count, 0);
  const airy = used + shown.length - 1 <= space;
  const margin = marginOf(columns);
  const lines = shown.flatMap((section, index): StyledLine[] => {
    const gap = airy && index > 0 ? [[]] : [];
    return [...gap, ...linesOf(section, shares.get(section)!, margin)];
  });
  return [...lines, ...Array.from({ length: Math.max(0, space - lines.length) }, () => [])];
}

function share(sections: readonly Section[], space: number): Map<Section, number> {
  const shares = new Map(sections.map((section) => [section, 0]));
  let left = space;
  const byRank = sections.toSorted((a, b) => a.rank - b.rank);
  for (const most of [({ least }: Section) => least, () => Infinity]) {
    for (const section of byRank) {
      const has = shares.get(section)!;
      const more = Math.min(left, Math.max(0, Math.min(section.rows.length, most(section)) - has));
      shares.set(section, has + more);
      left -= more;
    }
  }
  return shares;
}

function linesOf({ label, rows }: Section, count: number, margin: number): StyledLine[] {
  const kept = count < rows.length ? rows.slice(0, Math.max(0, count - 1)) : rows;
  const hidden = rows.length - kept.length;
  const more: StyledLine[] = hidden === 0 || count === 0
    ? []
    : [[["dim", kept.length === 0 ? `… ${hidden} ${label}` : `… ${hidden} more`]]];
  return [...kept, ...more].map((line, index): StyledLine => {
    if (margin === 0) return line;
    const name: StyledText = ["dim", padToCells(index === 0 ? label : "", margin)];
    return [name, ...line];
  });
}
