/** Cuts a reply into text, fenced blocks, quotes and marked calls; each position is looked at a bounded number of times. */
import type { OfferedTools, Reading, TextCall } from "./call.ts";
import { jsonEnd } from "./json_form.ts";
import { type MarkFormat, markFormats } from "./marks.ts";

export interface Piece {
  readonly kind: "text" | "fence" | "quote" | "result" | "call";
  readonly start: number;
  readonly end: number;
  readonly source: string;
  /** Empty unless it is a marked call. */
  readonly calls: readonly TextCall[];
  /** A fence's label is the word behind its marks. */
  readonly label: string;
  readonly inner: string;
}

const FENCE = /^[ \t]{0,3}(`{3,}(?![^`]*`)|~{3,})[ \t]*([\w-]*)/;
/** What a tool answers, made up or quoted. */
const RESULT = /^[ \t]*<(tool_result|tool_response|tool_output|function_results)\b/;
const RESULT_LABEL = /^tool_?(?:outputs?|results?|responses?)$/i;
const QUOTED_LINE = /^[ \t]*>(?!>>)/;
const DIFF_START = /^(?:diff --git |@@ -\d)/;
const DIFF_LINE = /^(?:[ +\-@\\]|diff |index |$)/;

/** The next match of a pattern, found once however often it is asked for. */
class NextMatch {
  #from = Infinity;
  #found: { readonly index: number; readonly end: number } | undefined;
  constructor(readonly pattern: RegExp, readonly text: string) {}

  at(from: number) {
    if (from < this.#from || from > (this.#found?.index ?? Infinity)) {
      this.pattern.lastIndex = this.#from = from;
      const found = this.pattern.exec(this.text);
      this.#found = found === null
        ? undefined
        : { index: found.index, end: found.index + found[0].length };
    }
    return this.#found;
  }
}

interface Mark extends MarkFormat {
  readonly next: NextMatch;
  readonly last: NextMatch | undefined;
}

interface Block {
  readonly reading: Reading | undefined;
  readonly end: number;
}

/** In front of JSON between marks: a name and what stands between the two. */
const JSON_AHEAD =
  /\s*(?:[\w.:\/-]{1,100}\s{0,4}(?:[[<][^\]\n>[<]{1,40}[\]>][\w-]{0,60}){0,3}(?:json)?\s{0,4}(?:```(?:json)?\s{0,4})?)?(?=[[{])/y;

class MarkScanner {
  readonly #marks: readonly Mark[];
  readonly #any: RegExp;
  #found: RegExpExecArray | null | undefined;
  /** Characters that may still be read beyond the next mark, in search of the end of a JSON text. */
  #allowance: number;

  constructor(readonly text: string, readonly offered: OfferedTools) {
    const pattern = (source: string) => new NextMatch(new RegExp(source, "g"), text);
    this.#marks = markFormats(offered).map((format) => ({
      ...format,
      next: pattern(format.opening),
      last: format.closing === undefined ? undefined : pattern(format.closing),
    }));
    this.#any = new RegExp(this.#marks.map(({ opening }) => `(${opening})`).join("|"), "g");
    this.#allowance = 4 * text.length;
  }

  next(
    from: number,
  ): { readonly index: number; readonly end: number; readonly mark: Mark } | undefined {
    if (this.#found === undefined || (this.#found !== null && this.#found.index < from)) {
      this.#any.lastIndex = from;
      this.#found = this.#any.exec(this.text);
    }
    if (this.#found === null) return undefined;
    const [whole, ...groups] = this.#found;
    const mark = this.#marks[groups.findIndex((group) => group !== undefined)]!;
    return { index: this.#found.index, end: this.#found.index + whole.length, mark };
  }

  /** A mark inside a JSON string ends nothing. */
  #jsonEnd(from: number): number {
    JSON_AHEAD.lastIndex = from;
    if (this.#allowance <= 0 || !JSON_AHEAD.test(this.text)) return from;
    const start = JSON_AHEAD.lastIndex;
    const end = jsonEnd(this.text, start);
    this.#allowance -= (end ?? this.text.length) - start;
    return end ?? from;
  }

  read({ index, end, mark }: NonNullable<ReturnType<MarkScanner["next"]>>): Block {
    const behind = mark.whole ? end : this.#jsonEnd(end);
    const other = mark.next.at(behind)?.index ?? this.text.length;
    const last = mark.last?.at(behind);
    const closed = last !== undefined && last.index <= other;
    const from = mark.whole ? index : end;
    const until = closed && !mark.whole ? last.index : closed ? last.end : other;
    const reading = mark.read(this.text.slice(from, until), this.offered);
    if (closed) return { reading, end: last.end };
    return { reading, end: reading === undefined ? end : from + reading.end };
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

/** Behind the last of the lines that follow, up to and with the first that `ends` accepts. */
function linesUntil(text: string, from: number, ends: (line: string) => boolean) {
  for (let at = from; at < text.length;) {
    const end = lineEnd(text, at);
    if (ends(text.slice(at, end))) return { lineStart: at, end };
    at = end + 1;
  }
  return { lineStart: text.length, end: text.length };
}

export class PieceCutter {
  readonly pieces: Piece[] = [];
  readonly #marks: MarkScanner;
  #textFrom = 0;
  #lineEnd = -1;

  constructor(readonly text: string, offered: OfferedTools) {
    this.#marks = new MarkScanner(text, offered);
  }

  cut(): readonly Piece[] {
    for (let at = 0; at < this.text.length;) {
      const starts = at === 0 || this.text[at - 1] === "\n";
      if (at > this.#lineEnd) this.#lineEnd = lineEnd(this.text, at);
      at = (starts ? this.#block(at) : undefined) ?? this.#line(at);
    }
    this.#endText(this.text.length);
    return this.pieces;
  }

  #endText(at: number): void {
    if (at > this.#textFrom) this.#push("text", this.#textFrom, at);
  }

  #push(kind: Piece["kind"], start: number, end: number, more: Partial<Piece> = {}): number {
    const source = this.text.slice(start, end);
    this.pieces.push({ kind, start, end, source, calls: [], label: "", inner: "", ...more });
    return this.#textFrom = end;
  }

  /** A fence, a result, or quoted lines. @returns where the next line begins, if one was there */
  #block(at: number): number | undefined {
    const { text } = this;
    const first = this.#lineEnd;
    const line = text.slice(at, first);
    const [, marks, label = ""] = FENCE.exec(line) ?? [];
    const result = RESULT.exec(line)?.[1];
    const diff = DIFF_START.test(line);
    if (marks === undefined && result === undefined && !diff && !QUOTED_LINE.test(line)) {
      return undefined;
    }
    this.#endText(at);
    if (marks !== undefined) {
      const { lineStart, end } = linesUntil(
        text,
        first + 1,
        (other) => other.trim().startsWith(marks),
      );
      const inner = text.slice(first + 1, lineStart).replace(/\r?\n$/, "");
      const kind = RESULT_LABEL.test(label) ? "result" : "fence";
      return this.#push(kind, at, end, { label, inner }) + 1;
    }
    if (result !== undefined) {
      const { end } = linesUntil(text, at, (other) => other.includes(`</${result}`));
      return this.#push("result", at, end) + 1;
    }
    const end = diff
      ? linesUntil(text, first + 1, (other) => !DIFF_LINE.test(other)).lineStart - 1
      : first;
    return this.#push("quote", at, Math.max(end, first)) + 1;
  }

  /** The rest of a line of text, or what comes before and with a marked call in it. */
  #line(at: number): number {
    const end = this.#lineEnd;
    let ticks = 0;
    let quotedUntil = -1;
    for (let from = at;;) {
      const mark = this.#marks.next(from);
      if (mark === undefined || mark.index >= end) return end + 1;
      for (let n = from; n < mark.index; n++) if (this.text[n] === "`") ticks++;
      from = mark.end;
      const before = this.text[mark.index - 1] ?? "";
      // In backticks, behind a quotation mark, in a line that a diff adds or removes, or right behind such a mark.
      if (
        ticks % 2 === 1 || /["'\\`]/.test(before) || mark.index === quotedUntil ||
        /^[+-]$/.test(this.text.slice(at, Math.min(mark.index, at + 2)))
      ) {
        quotedUntil = from;
        continue;
      }
      const block = this.#marks.read(mark);
      if (block.reading === undefined) {
        if (block.end > end) return block.end;
        from = Math.max(from, block.end);
        continue;
      }
      this.#endText(mark.index);
      return this.#push("call", mark.index, block.end, { calls: block.reading.calls });
    }
  }
}
