/** A part of the screen, and how the parts share its rows. */
import { type Line, type Piece } from "./line.ts";
import { padToCells } from "svc/core/terminal_text.ts";

export interface Section {
  /** Stands before its first row. */
  readonly label: string;
  readonly rows: readonly Line[];
  /** Rows that it keeps while others want more. */
  readonly least: number;
  /** Lower ones get what room is left first. */
  readonly rank: number;
}

/** Cells before each row, for the labels; a narrow screen has none to spare. */
export function marginOf(columns: number): number {
  return columns < 60 ? 0 : 10;
}

/** As many lines as there is space, filled up with empty ones; what has no room is counted. */
export function layOut(sections: readonly Section[], space: number, columns: number): Line[] {
  const shown = sections.filter(({ rows }) => rows.length > 0);
  const shares = share(shown, space);
  const used = [...shares.values()].reduce((sum, count) => sum + count, 0);
  // Air between the parts, where all of it fits.
  const airy = used + shown.length - 1 <= space;
  const margin = marginOf(columns);
  const lines = shown.flatMap((section, index): Line[] => {
    const gap = airy && index > 0 ? [[]] : [];
    return [...gap, ...linesOf(section, shares.get(section)!, margin)];
  });
  return [...lines, ...Array.from({ length: Math.max(0, space - lines.length) }, () => [])];
}

/** First each its least, then each all it wants, both by rank. */
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

function linesOf({ label, rows }: Section, count: number, margin: number): Line[] {
  const kept = count < rows.length ? rows.slice(0, Math.max(0, count - 1)) : rows;
  const hidden = rows.length - kept.length;
  const more: Line[] = hidden === 0 || count === 0
    ? []
    : [[["dim", kept.length === 0 ? `… ${hidden} ${label}` : `… ${hidden} more`]]];
  return [...kept, ...more].map((line, index): Line => {
    if (margin === 0) return line;
    const name: Piece = ["dim", padToCells(index === 0 ? label : "", margin)];
    return [name, ...line];
  });
}
