/** The lines of a Markdown page: its text, and its fenced code, without comments. */

export interface PageLine {
  /** Without blanks at its end. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** What follows the marks of the fence, such as "sh"; undefined outside of fences. */
  readonly code?: string;
}

/** Longer lines are skipped as data; patterns may take quadratic time on a line. */
const LONGEST_LINE = 2000;

export function* pageLines(text: string): Generator<PageLine> {
  let fence: { readonly mark: string; readonly info: string } | undefined;
  let comment = false;
  for (const [at, raw] of text.split("\n").entries()) {
    const line = raw.trimEnd();
    const [, mark, info = ""] =
      /^\s*(?:>\s*)*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence.mark)) fence = undefined;
      else if (line.length <= LONGEST_LINE) yield { text: line, line: at + 1, code: fence.info };
      continue;
    }
    if (mark !== undefined) {
      fence = { mark, info: info.trim() };
      continue;
    }
    const opens = line.lastIndexOf("<!--");
    const closes = line.lastIndexOf("-->");
    if (comment) {
      comment = closes === -1;
      continue;
    }
    comment = opens > closes;
    if (line.length <= LONGEST_LINE) yield { text: line, line: at + 1 };
  }
}
