/** Joins tokens that are cut into two literals: `"ab" + "cd"`, `'ab' . 'cd'`, `ab\` and `cd`. */

const JOINS = "(?:\\+\\+?|\\.\\.?|&|\\|\\|)";
const LINE_END = "\\\\?\\r?\\n[ \\t+\\-#*/]{0,60}";

/** A seam: the end of one literal and the start of the next, or a backslash at a line end. */
const SEAM_SOURCE =
  `(?:(["'\`])[ \\t]{0,8}(?:${JOINS}[ \\t]{0,8}(?:${LINE_END})?|${LINE_END}(?:${JOINS}[ \\t]{0,8})?)` +
  `[fbr@]?\\1|\\\\\\r?\\n[ \\t]{0,40})(?=[\\w+/=.$\\-])`;
const SEAM = new RegExp(SEAM_SOURCE, "g");
const SEAM_HERE = new RegExp(SEAM_SOURCE, "y");
const IN_TOKEN = /[\w+/=.:~$%\-]/;

export interface JoinedText {
  readonly text: string;
  toWhole(at: number): number;
}

/** Most characters of a token, seams included. */
const REACH = 600;

export function endOfRun(text: string, at: number): number {
  const last = Math.min(text.length, at + REACH);
  let end = at;
  while (end < last && IN_TOKEN.test(text[end]!)) end++;
  return end;
}

export function isSeam(text: string, at: number): boolean {
  SEAM_HERE.lastIndex = at;
  return SEAM_HERE.test(text);
}

export function joinFrom(text: string, at: number): JoinedText {
  const piece = text.slice(at, at + REACH);
  const cuts: { at: number; removed: number }[] = [];
  let out = "";
  let last = 0;
  for (const seam of piece.matchAll(SEAM)) {
    out += piece.slice(last, seam.index);
    last = seam.index + seam[0].length;
    cuts.push({ at: out.length, removed: seam[0].length });
  }
  return {
    text: out + piece.slice(last),
    toWhole: (offset) =>
      at + offset + cuts.reduce((sum, cut) => cut.at < offset ? sum + cut.removed : sum, 0),
  };
}
