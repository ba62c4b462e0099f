/** The unified diff of an edit in one place of a file, for people to read. */

const CONTEXT_LINES = 2;
const NO_NEWLINE = "\\ No newline at end of file";

function linesOf(bytes: Uint8Array): readonly string[] {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return text.match(/[^\n]+\n?|\n/g) ?? [];
}

/** Control characters become their pictures, so that a terminal shows and does not obey them. */
function visible(line: string): string {
  return line.replaceAll(
    // deno-lint-ignore no-control-regex -- they are what must not reach the terminal
    /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g,
    (char) => char < " " ? String.fromCharCode(0x2400 + char.charCodeAt(0)) : "\u{FFFD}",
  );
}

function marked(sign: string, line: string): readonly string[] {
  return line.endsWith("\n")
    ? [sign + visible(line.slice(0, -1))]
    : [sign + visible(line), NO_NEWLINE];
}

function shared(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((line, index) => line !== other[index]);
  return at === -1 ? one.length : at;
}

/** By convention an empty side starts at the line before it. */
function range(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}

/** One hunk; bytes that are not UTF-8 become U+FFFD; `before` is undefined for a new file. */
export function unifiedDiff(
  path: string,
  before: Uint8Array | undefined,
  after: Uint8Array,
): string {
  const old = linesOf(before ?? new Uint8Array());
  const now = linesOf(after);
  const head = shared(old, now);
  if (head === old.length && head === now.length) return "";
  const tail = shared(old.slice(head).reverse(), now.slice(head).reverse());
  const from = Math.max(0, head - CONTEXT_LINES);
  const oldEnd = old.length - tail;
  const nowEnd = now.length - tail;
  const below = Math.min(CONTEXT_LINES, tail);
  const hunk = [
    ...old.slice(from, head).flatMap((line) => marked(" ", line)),
    ...old.slice(head, oldEnd).flatMap((line) => marked("-", line)),
    ...now.slice(head, nowEnd).flatMap((line) => marked("+", line)),
    ...old.slice(oldEnd, oldEnd + below).flatMap((line) => marked(" ", line)),
  ];
  return [
    `--- ${before === undefined ? "/dev/null" : visible(path)}`,
    `+++ ${visible(path)}`,
    `@@ -${range(from, oldEnd + below - from)} +${range(from, nowEnd + below - from)} @@`,
    ...hunk,
    "",
  ].join("\n");
}
