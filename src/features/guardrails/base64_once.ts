/** Finds keywords hidden under base64: their encoded forms, and the decoded text around one. */

/** Base64 that is decoded before and after a hit; a private key of 8,192 bits fits. */
const SECRET_BASE64_CHARS = 16 * 1024;

/** First whole base64 character of a text that begins 0, 1 or 2 bytes into a group of three. */
const FIRST_CHAR = [0, 2, 3] as const;
const ZEROS = ["", "\0", "\0\0"] as const;
export type Alignment = 0 | 1 | 2;

/** Shorter pieces are too frequent in ordinary text. */
const MIN_PIECE = 4;

/** The base64 of `keyword` at each alignment, without the characters that its neighbours change. */
export function encodedForms(keyword: string): { piece: string; alignment: Alignment }[] {
  const forms: { piece: string; alignment: Alignment }[] = [];
  for (const alignment of [0, 1, 2] as const) {
    const whole = btoa(ZEROS[alignment] + keyword);
    const end = Math.floor((alignment + keyword.length) * 8 / 6);
    const piece = whole.slice(FIRST_CHAR[alignment], end);
    if (piece.length >= MIN_PIECE) forms.push({ piece, alignment });
  }
  return forms;
}

const RUN = /[A-Za-z0-9+/_-]/;
/** Between two wrapped lines: a line end, plain or escaped, and blanks. */
const WRAP_AFTER = /(?:\\n|\r?\n)[ \t]{0,16}(?=[A-Za-z0-9+/]{4})/y;
const WRAP_BEFORE = /(?:\\n|\r?\n)[ \t]{0,16}$/;

function runAround(text: string, at: number): { start: number; end: number } {
  let start = at;
  let end = at;
  for (;;) {
    while (start > 0 && at - start < SECRET_BASE64_CHARS && RUN.test(text[start - 1]!)) start--;
    const wrap = text.slice(Math.max(0, start - 20), start).match(WRAP_BEFORE);
    const line = wrap === null ? -1 : start - wrap[0].length;
    if (wrap === null || line <= 40 || at - line >= SECRET_BASE64_CHARS) break;
    if (!/^[A-Za-z0-9+/]{40}$/.test(text.slice(line - 40, line))) break;
    start = line;
  }
  for (;;) {
    while (end < text.length && end - at < SECRET_BASE64_CHARS && RUN.test(text[end]!)) end++;
    WRAP_AFTER.lastIndex = end;
    const wrap = WRAP_AFTER.exec(text);
    if (wrap === null || end - at >= SECRET_BASE64_CHARS) break;
    if (!/^[A-Za-z0-9+/]{40}$/.test(text.slice(end - 40, end))) break;
    end += wrap[0].length;
  }
  return { start, end };
}

interface DecodedRun {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Undefined when the decoded bytes are not text. */
export function uncover(text: string, at: number, alignment: Alignment): DecodedRun | undefined {
  const run = runAround(text, at);
  const before = text.slice(run.start, at).replace(/\\n|[\s]/g, "");
  const inGroup = (before.length - FIRST_CHAR[alignment]) % 4;
  const skip = before.length < FIRST_CHAR[alignment] ? 0 : inGroup;
  const clean = (before + text.slice(at, run.end).replace(/\\n|[\s]/g, "")).slice(skip)
    .replaceAll("-", "+").replaceAll("_", "/");
  const whole = clean.length % 4 === 1 ? clean.slice(0, -1) : clean;
  let decoded: string;
  try {
    decoded = atob(whole);
  } catch {
    return undefined; // it only looked like base64
  }
  const strange = decoded.match(/[^\t\n\r\x20-\x7e]/g)?.length ?? 0;
  if (decoded.length < 8 || strange > decoded.length * 0.1) return undefined;
  return { start: run.start, end: run.end, text: decoded };
}
