/** Prints a command's output for people: lines, fields and tables, styled on a terminal and plain elsewhere. */
import { inertJson } from "svc/core/plain_text.ts";
import { type Redact, redactedJson } from "svc/core/redact.ts";
import { cells, cutToCells, padToCells, SGR, type Tone, toneText } from "svc/core/terminal_text.ts";
import { visibleLines, visibleWithout } from "svc/core/visible_text.ts";
import type { Env, Sink } from "svc/platform/entrance.ts";
import { stacked, tooWide } from "./stacked.ts";

export { cells, type Tone, toneText };

/** Texts may come from anywhere: nothing in them acts on the terminal or looks like a line of svc's own. */
export interface Page {
  /** One line, also of a text with line ends, which are shown as `␊`. */
  line(text?: string): void;
  /** Lines of a text as they are. */
  text(text: string): void;
  heading(text: string): void;
  /** `name: value`, names aligned within one run of fields. */
  fields(rows: readonly (readonly [name: string, value: string])[]): void;
  /** Columns as wide as their widest cell; the last one is cut to the terminal. Where they do not fit, rows of lines. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): void;
  /** A command to give next; flags that a person gave to this one, and that it needs too, are added. */
  next(command: string): void;
  /** The command of another line, completed as those of `next`. */
  completed(command: string): string;
  /** For programs: one value, each text in it redacted, and nothing in it acts on a terminal. */
  json(value: unknown): void;
  /** Styles part of a line; returns it unchanged on a plain page. */
  tone(tone: Tone, text: string): string;
}

export interface PageFacts {
  readonly styled: boolean;
  /** Columns of the terminal; undefined when not a terminal: nothing is cut. */
  readonly columns?: number;
  readonly redact: Redact;
  /** Completes what `next` is given. */
  nextLine?(command: string): string;
}

/** No text of others holds it: a tone is told from a sequence that somebody wrote. */
const MARK = crypto.getRandomValues(new Uint32Array(1))[0]!;
const TONES = new RegExp(`\\x1b\\[${MARK};(\\d+)m`);

export function page(write: (text: string) => void, facts: PageFacts): Page {
  const { styled, columns, redact, nextLine = (command: string) => command } = facts;
  const inOneLine = visibleWithout(redact);
  const inLines = visibleWithout(redact, visibleLines);
  const tone = (tone: Tone, text: string) =>
    styled && text !== "" ? `\x1b[${MARK};${SGR[tone]}m${text}\x1b[${MARK};0m` : text;
  const shown = (text: string, show: Redact) =>
    text.split(TONES).map((part, at) => at % 2 === 1 ? `\x1b[${part}m` : show(part)).join("");
  const line = (text = "") => write(`${shown(text, inOneLine).trimEnd()}\n`);
  const cell = (text: string) => text.split(TONES).length > 1 ? text : inOneLine(text);
  const columnWidths = (rows: readonly (readonly string[])[]) =>
    (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => cells(row[at] ?? ""))));
  return {
    line,
    tone,
    text: (text) => write(`${shown(text, inLines).trimEnd()}\n`),
    heading: (text) => line(tone("strong", text)),
    fields(rows) {
      const names = rows.map(([name]) => inOneLine(name));
      const width = Math.max(...names.map(cells)) + 1;
      for (const [at, [, value]] of rows.entries()) {
        line(`${tone("dim", padToCells(`${names[at]}:`, width))} ${value}`);
      }
    },
    table(head, given) {
      const rows = given.map((texts) => texts.map(cell));
      const widths = columnWidths([head, ...rows]);
      if (columns !== undefined && tooWide(widths, columns)) {
        const name = (text: string) => tone("dim", text);
        for (const texts of rows) stacked(head, texts, { columns, name }).forEach(line);
        return;
      }
      const last = widths.length - 1;
      const before = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0);
      const row = (texts: readonly string[]) =>
        texts.map((text, at) => {
          if (at < last) return padToCells(text, widths[at]! + 2);
          return columns === undefined ? text : cutToCells(text, columns - before);
        }).join("");
      line(tone("dim", row(head)));
      for (const texts of rows) line(row(texts));
    },
    json: (value) => write(`${inertJson(redactedJson(value, redact))}\n`),
    completed: nextLine,
    next: (command) => line(`${tone("dim", "next:")} ${nextLine(command)}`),
  };
}

/** NO_COLOR (https://no-color.org), CI and TERM=dumb switch styling off. */
export function styledOn(sink: Sink, env: Env): boolean {
  const set = (name: string) => (env.get(name) ?? "") !== "";
  return sink.terminal && !set("NO_COLOR") && !set("CI") && env.get("TERM") !== "dumb";
}
