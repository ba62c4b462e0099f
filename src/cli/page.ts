/** What a command prints for people: lines, fields and tables, styled on a terminal and plain elsewhere. */

export type Tone = "good" | "bad" | "warn" | "dim" | "strong";

export interface Page {
  line(text?: string): void;
  heading(text: string): void;
  /** `name: value`, names aligned within one run of fields. */
  fields(rows: readonly (readonly [name: string, value: string])[]): void;
  /** Columns as wide as their widest cell; the last one is cut to the terminal. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): void;
  /** The next step after a success. */
  next(command: string): void;
  /** Styles part of a line; returns it unchanged on a plain page. */
  tone(tone: Tone, text: string): string;
}

export interface PageFacts {
  readonly styled: boolean;
  /** Columns of the terminal; undefined when not a terminal: nothing is cut. */
  readonly columns?: number;
}

const SGR: Record<Tone, string> = { good: "32", bad: "31", warn: "33", dim: "2", strong: "1" };
// deno-lint-ignore no-control-regex -- ESC is what an ANSI sequence starts with
const ANSI = /\x1b\[[0-9;]*m/g;

export function toneText(styled: boolean, tone: Tone, text: string): string {
  return styled ? `\x1b[${SGR[tone]}m${text}\x1b[0m` : text;
}

/** Terminal cells a text takes; wide (East Asian, emoji) code points take two. */
export function cells(text: string): number {
  let sum = 0;
  for (const char of text.replace(ANSI, "")) {
    if (/\p{M}/u.test(char)) continue;
    sum +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u
          .test(char)
        ? 2
        : 1;
  }
  return sum;
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - cells(text)));
}

function cut(text: string, width: number): string {
  if (cells(text) <= width || text.includes("\x1b")) return text;
  return [...text].slice(0, Math.max(0, width - 1)).join("") + "…";
}

export function page(write: (text: string) => void, facts: PageFacts): Page {
  const tone = (tone: Tone, text: string) => toneText(facts.styled, tone, text);
  const line = (text = "") => write(`${text.trimEnd()}\n`);
  const columnWidths = (rows: readonly (readonly string[])[]) =>
    (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => cells(row[at] ?? ""))));
  return {
    line,
    tone,
    heading: (text) => line(tone("strong", text)),
    fields(rows) {
      const width = Math.max(...rows.map(([name]) => cells(name))) + 1;
      for (const [name, value] of rows) line(`${tone("dim", pad(`${name}:`, width))} ${value}`);
    },
    table(head, rows) {
      const widths = columnWidths([head, ...rows]);
      const last = widths.length - 1;
      const before = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0);
      const row = (texts: readonly string[]) =>
        texts.map((text, at) => {
          if (at < last) return pad(text, widths[at]! + 2);
          return facts.columns === undefined
            ? text
            : cut(text, Math.max(16, facts.columns - before));
        }).join("");
      line(tone("dim", row(head)));
      for (const texts of rows) line(row(texts));
    },
    next: (command) => line(`${tone("dim", "next:")} ${command}`),
  };
}
