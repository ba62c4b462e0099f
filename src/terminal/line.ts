/** One line of a screen: pieces with tones, fitted into its width; texts of repos and models made harmless. */
import { oneLine as plainLine } from "svc/core/plain_text.ts";
import type { Redact } from "svc/core/redact.ts";
import { cells, cutToCells, padToCells, type Tone, toneText } from "svc/core/terminal_text.ts";

/** Characters of one text that are looked at for the screen; the widest one has some 500 cells. */
const SCREEN_TEXT_CHARS = 1_000;

export type Piece = string | readonly [Tone, string];
export type Line = readonly Piece[];

/** A text of a repo, a model or a person, without secrets and on one line. */
export function oneLine(text: string, redact: Redact): string {
  return plainLine(redact(text).slice(0, SCREEN_TEXT_CHARS));
}

function textOf(piece: Piece): string {
  return typeof piece === "string" ? piece : piece[1];
}

export function widthOf(line: Line): number {
  return line.reduce((sum, piece) => sum + cells(textOf(piece)), 0);
}

/** Cut to the width, `…` where something is missing. */
export function render(line: Line, columns: number, styled: boolean): string {
  let [text, left] = ["", columns];
  const whole = widthOf(line) <= columns;
  for (const piece of line) {
    const [tone, said] = typeof piece === "string" ? [undefined, piece] : piece;
    // The last cell is the ellipsis's, wherever the cut falls.
    const kept = whole || cells(said) < left ? said : cutToCells(`${said} `, left);
    text += tone === undefined || kept === "" ? kept : toneText(styled, tone, kept);
    left -= cells(kept);
    if (!whole && kept !== said) break;
  }
  return text.trimEnd();
}

/** One row of a table. */
export function padded(piece: Piece, width: number): Piece {
  const fitted = padToCells(cutToCells(textOf(piece), width), width);
  return typeof piece === "string" ? fitted : [piece[0], fitted];
}

/** `12 s`, `4 min`, `2 h 14 min`, `3 d 2 h`. */
export function roughly(ms: number): string {
  const secs = Math.max(0, Math.round(ms / 1000));
  const [mins, hours, days] = [60, 3600, 86_400].map((unit) => Math.floor(secs / unit)) as [
    number,
    number,
    number,
  ];
  if (mins === 0) return `${secs} s`;
  if (hours === 0) return `${mins} min`;
  const less = days === 0 ? mins % 60 : hours % 24;
  const more = days === 0 ? `${hours} h` : `${days} d`;
  return less === 0 ? more : `${more} ${less} ${days === 0 ? "min" : "h"}`;
}

/** At most `most` lines, broken between words where it can be; the following ones are indented by two. */
export function wrapped(text: string, width: number, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  const words = text.split(" ");
  while (words.length > 0) {
    const next = line === "" ? words[0]! : `${line} ${words[0]}`;
    if (cells(next) > width && line.trim() !== "") {
      if (lines.length === most - 1) return [...lines, `${line} ${words.join(" ")}`];
      lines.push(line);
      line = " ";
      continue;
    }
    line = next;
    words.shift();
  }
  return [...lines, line];
}
