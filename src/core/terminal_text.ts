/** Text on a terminal: its width in cells, and its tones. */

export type Tone = "good" | "bad" | "warn" | "dim" | "strong";

/** Colours of the terminal's own palette (ECMA-48 SGR), so that they suit its background. */
export const SGR: Record<Tone, string> = {
  good: "32",
  bad: "31",
  warn: "33",
  dim: "2",
  strong: "1",
};
// deno-lint-ignore no-control-regex -- ESC is what an ANSI sequence starts with
const ANSI = /\x1b\[[0-9;]*m/g;

export function toneText(styled: boolean, tone: Tone, text: string): string {
  return styled ? `\x1b[${SGR[tone]}m${text}\x1b[0m` : text;
}

const OVER = /[\p{Mn}\p{Me}]/u;
/** East Asian Wide and Fullwidth (Unicode Annex 11), and emoji that are shown as such. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18fff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

function cellsOf(char: string): number {
  if (OVER.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

export function cells(text: string): number {
  let sum = 0;
  for (const char of text.replace(ANSI, "")) sum += cellsOf(char);
  return sum;
}

export function padToCells(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - cells(text)));
}

/** A styled text is left as it is. */
export function cutToCells(text: string, width: number): string {
  if (cells(text) <= width || text.includes("\x1b")) return text;
  let [kept, sum] = ["", 0];
  for (const char of text) {
    sum += cellsOf(char);
    if (sum > width - 1) break;
    kept += char;
  }
  return width < 1 ? "" : `${kept}…`;
}
