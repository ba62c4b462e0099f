/** A table for a terminal that is too narrow for its columns: each row as lines of its own, nothing cut away. */
import { cells, cutToCells } from "svc/core/terminal_text.ts";

/** The last column is cut to no less than this, unless it is narrower by itself. */
const LEAST_LAST = 20;

export function tooWide(widths: readonly number[], columns: number | undefined): boolean {
  if (columns === undefined || widths.length < 2) return false;
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  return before + Math.min(widths.at(-1)!, LEAST_LAST) > columns;
}

/** Between words; a word that is wider than a line goes on in the next one. A styled text stays one line. */
function wrappedTo(text: string, width: number): string[] {
  if (text.includes("\x1b") || cells(text) <= width) return [text];
  const lines = [""];
  for (let word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && cells(`${line} ${word}`) > width) lines.push("");
    while (cells(word) > width) {
      // One more cell, for the sign of a cut that is not there.
      const part = cutToCells(word, width + 1).slice(0, -1);
      lines[lines.length - 1] += part;
      lines.push("");
      word = word.slice(part.length);
    }
    lines[lines.length - 1] = lines.at(-1) === "" ? word : `${lines.at(-1)} ${word}`;
  }
  return lines.filter((line) => line !== "");
}

/** @param name how the name of a column is shown */
export function stacked(
  head: readonly string[],
  row: readonly string[],
  { columns, name }: { readonly columns: number; name(text: string): string },
): string[] {
  const [first = "", ...rest] = row;
  const facts = rest.flatMap((text, at) => {
    if (text === "") return [];
    const title = `${head[at + 1] ?? ""}:`;
    const [begin = "", ...more] = wrappedTo(text, Math.max(8, columns - title.length - 3));
    return [`  ${name(title)} ${begin}`, ...more.map((line) => `    ${line}`)];
  });
  return [...wrappedTo(first, Math.max(8, columns)), ...facts];
}
