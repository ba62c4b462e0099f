/** One line of the screen: styled texts cut to its width, with foreign text made harmless. */
import { oneLine as plainLine } from "svc/core/plain_text.ts";
import type { Redact } from "svc/core/redact.ts";
import { cells, cutToCells, padToCells, type Tone, toneText } from "svc/core/terminal_text.ts";

/** Characters of one text that are considered; the widest screen has some 500 cells. */
const SCREEN_TEXT_CHARS = 1_000;

export type StyledText = string | readonly [Tone, string];
export type StyledLine = readonly StyledText[];

export function oneLine(text: string, redact: Redact): string {
  return plainLine(redact(text).slice(0, SCREEN_TEXT_CHARS));
}

function textOf(piece: StyledText): string {
  return typeof piece === "string" ? piece : piece[1];
}

function widthOf(line: StyledLine): number {
  return line.reduce((sum, piece) => sum + cells(textOf(piece)), 0);
}

/** Cuts the line to the width, with `…` where something is missing. */
export function render(line: StyledLine, columns: number, styled: boolean): string {
  let [text, left] = ["", columns];
  const whole = widthOf(line) <= columns;
  for (const piece of line) {
    const [tone, said] = typeof piece === "string" ? [undefined, piece] : piece;
    // The last cell is kept for the ellipsis.
    const kept = whole || cells(said) < left ? said : cutToCells(`${said} `, left);
    text += tone === undefined || kept === "" ? kept : toneText(styled, tone, kept);
    left -= cells(kept);
    if (!whole && kept !== said) break;
  }
  return text.trimEnd();
}

export function padded(piece: StyledText, width: number): StyledText {
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

/** Wraps between words into at most `most` lines; lines after the first are indented by two. */
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
