/** What an edit asks for and what it changes, as whole lines of a file. */
import type { Span } from "./text_view.ts";

export interface EditRequest {
  readonly old: string;
  readonly new: string;
  /** Places that are to be changed. */
  readonly count: number;
}

export interface EditChange extends Span {
  readonly text: string;
}

interface TextLine {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Behind its end. */
  readonly next: number;
}

export function linesAt(text: string): TextLine[] {
  const lines: TextLine[] = [];
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

export const lineFeeds = (text: string) => text.replaceAll("\r\n", "\n");

interface EditLines {
  readonly old: readonly string[];
  /** True when the end of the last line is replaced too. */
  readonly ended: boolean;
  readonly fresh: string;
}

export function editLines(asked: Pick<EditRequest, "old" | "new">): EditLines {
  const old = lineFeeds(asked.old);
  const ended = old.endsWith("\n");
  return {
    old: (ended ? old.slice(0, -1) : old).split("\n"),
    ended,
    fresh: lineFeeds(asked.new),
  };
}

/** Replaces `count` lines from `first`; a last line without an end keeps it that way. */
export function spanOf(
  lines: readonly TextLine[],
  { first, count }: { first: number; count: number },
  { ended }: EditLines,
  fresh: string,
): EditChange {
  const last = lines[first + count - 1]!;
  const start = lines[first]!.start;
  if (!ended) return { start, end: last.end, text: fresh };
  const atEnd = last.next === last.end;
  return { start, end: last.next, text: atEnd ? fresh.replace(/\n$/, "") : fresh };
}

/** Restores lines that the edit only repeats. @param region the replaced lines, as many as in `asked.old` */
export function keepingContext(region: string, asked: Pick<EditRequest, "old" | "new">): string {
  const old = lineFeeds(asked.old).split("\n");
  const fresh = lineFeeds(asked.new).split("\n");
  const kept = region.split("\n");
  if (kept.length !== old.length) return asked.new;
  const most = Math.min(old.length, fresh.length);
  let before = 0;
  while (before < most && old[before] === fresh[before]) before++;
  let after = 0;
  while (after < most - before && old.at(-1 - after) === fresh.at(-1 - after)) after++;
  return [
    ...kept.slice(0, before),
    ...fresh.slice(before, fresh.length - after),
    ...kept.slice(kept.length - after),
  ].join("\n");
}

/** @param changes in the order of the text, none within another */
export function applied(text: string, changes: readonly EditChange[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: fresh } of changes) {
    parts.push(text.slice(at, start), fresh);
    at = end;
  }
  return parts.join("") + text.slice(at);
}
