/** Decodes base64 around a keyword that was found under it. */

/** Base64 that is decoded before and after a hit; a private key of 8,192 bits fits. */
const SECRET_BASE64_CHARS = 16 * 1024;

/** First whole base64 character of a text that begins 0, 1 or 2 bytes into a group of three. */
export const FIRST_CHAR = [0, 2, 3] as const;
export type Alignment = 0 | 1 | 2;

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

/** A stretch of base64, decoded at most once for each of the four places where its groups may begin. */
class Run {
  readonly #clean: string;
  readonly #tried = new Set<number>();
  #seen: number;
  #length = 0;

  constructor(readonly text: string, readonly start: number, readonly end: number) {
    this.#clean = base64In(text.slice(start, end));
    this.#seen = start;
  }

  /** Bytes as one character each; undefined when it was tried before, or is no base64. @param at ascending */
  decodedAt(at: number, alignment: Alignment): string | undefined {
    this.#length += base64In(this.text.slice(this.#seen, at)).length;
    this.#seen = at;
    const before = this.#length - FIRST_CHAR[alignment];
    const skip = before < 0 ? 0 : before % 4;
    if (this.#tried.has(skip)) return undefined;
    this.#tried.add(skip);
    const clean = this.#clean.slice(skip);
    try {
      return atob(clean.length % 4 === 1 ? clean.slice(0, -1) : clean);
    } catch {
      return undefined; // it only looked like base64
    }
  }
}

const base64In = (text: string) =>
  text.replace(/\\n|[\s]/g, "").replaceAll("-", "+").replaceAll("_", "/");

export interface EncodedPlace {
  readonly at: number;
  readonly alignment: Alignment;
}

export interface DecodedRun {
  readonly start: number;
  readonly end: number;
  /** One character a byte. */
  readonly bytes: string;
}

/** In linear time, however many keywords are found under one stretch of base64. @param places ascending */
export function* decodedRuns(
  text: string,
  places: readonly EncodedPlace[],
): Generator<DecodedRun> {
  let run: Run | undefined;
  for (const { at, alignment } of places) {
    if (run === undefined || at >= run.end) {
      const { start, end } = runAround(text, at);
      run = new Run(text, start, end);
    }
    const bytes = run.decodedAt(at, alignment);
    if (bytes === undefined) continue;
    yield { start: run.start, end: run.end, bytes };
  }
}

/** Undefined when the bytes are no text; UTF-16 of ASCII loses its NULs. */
export function textOfBytes(bytes: string): string | undefined {
  const nuls = bytes.length - bytes.replaceAll("\0", "").length;
  const text = nuls > bytes.length * 0.4 ? bytes.replaceAll("\0", "") : bytes;
  const strange = text.match(/[^\t\n\r\x20-\x7e]/g)?.length ?? 0;
  return text.length < 8 || strange > text.length * 0.1 ? undefined : text;
}
