/** What a command prints for people: lines, fields, tables and progress, styled on a terminal and plain elsewhere. */
import type { Progress } from "svc/app.ts";
import { cells, cutToCells, padToCells, type Tone, toneText } from "svc/core/terminal_text.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Env, Sink } from "svc/platform/entrance.ts";

export { cells, type Tone, toneText };

export interface Page {
  line(text?: string): void;
  heading(text: string): void;
  /** `name: value`, names aligned within one run of fields. */
  fields(rows: readonly (readonly [name: string, value: string])[]): void;
  /** Columns as wide as their widest cell; the last one is cut to the terminal. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): void;
  next(command: string): void;
  /** Styles part of a line; returns it unchanged on a plain page. */
  tone(tone: Tone, text: string): string;
}

export interface PageFacts {
  readonly styled: boolean;
  /** Columns of the terminal; undefined when not a terminal: nothing is cut. */
  readonly columns?: number;
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
      for (const [name, value] of rows) {
        line(`${tone("dim", padToCells(`${name}:`, width))} ${value}`);
      }
    },
    table(head, rows) {
      const widths = columnWidths([head, ...rows]);
      const last = widths.length - 1;
      const before = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0);
      const row = (texts: readonly string[]) =>
        texts.map((text, at) => {
          if (at < last) return padToCells(text, widths[at]! + 2);
          return facts.columns === undefined
            ? text
            : cutToCells(text, Math.max(16, facts.columns - before));
        }).join("");
      line(tone("dim", row(head)));
      for (const texts of rows) line(row(texts));
    },
    next: (command) => line(`${tone("dim", "next:")} ${command}`),
  };
}

/** NO_COLOR (https://no-color.org), CI and TERM=dumb switch styling off. */
export function styledOn(sink: Sink, env: Env): boolean {
  const set = (name: string) => (env.get(name) ?? "") !== "";
  return sink.terminal && !set("NO_COLOR") && !set("CI") && env.get("TERM") !== "dumb";
}

const FIRST_AFTER_MS = 1000;
const REDRAW_MS = 100;
const ERASE_LINE = "\r\x1b[2K";

export const silent: Progress = { update() {}, done() {} };

export function progressLine(sink: Sink, clock: Pick<Clock, "monotonic">): Progress {
  let next = clock.monotonic() + FIRST_AFTER_MS;
  let shown = false;
  return {
    update(text) {
      if (clock.monotonic() < next) return;
      next = clock.monotonic() + REDRAW_MS;
      shown = true;
      sink.write(ERASE_LINE + cutToCells(text, (sink.columns() ?? 80) - 1));
    },
    done() {
      if (shown) sink.write(ERASE_LINE);
      shown = false;
    },
  };
}
