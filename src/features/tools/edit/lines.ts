/** Edits of whole lines: where the lines of a file are, and what a block of them is replaced by. */
import type { Asked, Change } from "./ladder.ts";

export interface Line {
  /** Without its end. */
  readonly text: string;
  readonly start: number;
  /** Behind its text, before its end. */
  readonly end: number;
  /** Behind its end. */
  readonly next: number;
}

export function linesAt(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf("\n", start);
    const next = feed === -1 ? text.length : feed + 1;
    const whole = text.slice(start, next);
    const line = whole.replace(/\r?\n$/, "");
    lines.push({ text: line, start, end: start + line.length, next });
    start = next;
  }
  return lines;
}

/** The text of an edit as lines. */
export interface Block {
  readonly old: readonly string[];
  /** True when the end of the last line is replaced too. */
  readonly ended: boolean;
  readonly fresh: string;
}

export function blockOf(asked: Pick<Asked, "old" | "new">): Block {
  const old = asked.old.replaceAll("\r\n", "\n");
  const ended = old.endsWith("\n");
  return {
    old: (ended ? old.slice(0, -1) : old).split("\n"),
    ended,
    fresh: asked.new.replaceAll("\r\n", "\n"),
  };
}

/** Replaces `count` lines from `first`; a last line without an end keeps it that way. */
export function spanOf(
  lines: readonly Line[],
  { first, count }: { first: number; count: number },
  { ended }: Block,
  fresh: string,
): Change {
  const last = lines[first + count - 1]!;
  const start = lines[first]!.start;
  if (!ended) return { start, end: last.end, text: fresh };
  const atEnd = last.next === last.end;
  return { start, end: last.next, text: atEnd ? fresh.replace(/\n$/, "") : fresh };
}
