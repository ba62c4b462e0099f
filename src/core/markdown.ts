/** Tables and words of Markdown reports: nothing that others wrote is markup in them. */
import { oneLine } from "./plain_text.ts";

/** A word or sentence of others. */
export const markdownText = (text: string): string =>
  oneLine(text).replaceAll(/[\\`*_{}[\]<>|#!&~]/g, "\\$&");

const row = (cells: readonly (string | number)[]) =>
  `| ${cells.map((one) => markdownText(String(one))).join(" | ")} |`;

export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string[] {
  return [row(head), `| ${head.map(() => "---").join(" | ")} |`, ...rows.map(row)];
}
