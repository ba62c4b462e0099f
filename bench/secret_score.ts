/** Scores a scanner on a corpus: recall by kind and format, and what it found where nothing was. */
import type { Case } from "./secret_corpus.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
  /** The scanner's own word for how it found this. */
  readonly kind: "structured" | "generic";
  readonly rule: string;
}

export type Scanner = (path: string, text: string) => readonly Span[] | Promise<readonly Span[]>;

export interface Tally {
  total: number;
  found: number;
}

export interface Score {
  readonly byKind: Record<"structured" | "generic", Tally>;
  readonly byFormat: Map<string, Tally>;
  /** Findings that overlap no planted secret, by the kind of the rule that made them. */
  readonly alarms: Record<"structured" | "generic", number>;
  readonly examples: string[];
}

export function emptyScore(): Score {
  return {
    byKind: { structured: { total: 0, found: 0 }, generic: { total: 0, found: 0 } },
    byFormat: new Map(),
    alarms: { structured: 0, generic: 0 },
    examples: [],
  };
}

const line = (text: string, at: number) =>
  text.slice(Math.max(0, at - 60), at + 60).replaceAll("\n", "|");

export async function scorePositives(
  score: Score,
  cases: readonly Case[],
  scan: Scanner,
): Promise<void> {
  for (const one of cases) {
    const spans = await scan(one.path, one.text);
    const tally = score.byFormat.get(one.format) ?? { total: 0, found: 0 };
    score.byFormat.set(one.format, tally);
    const hit = spans.some((span) => span.start < one.end && span.end > one.start);
    for (const count of [tally, score.byKind[one.kind]]) {
      count.total++;
      if (hit) count.found++;
    }
    if (!hit) {
      score.examples.push(`missed ${one.format} in ${one.context}: ${line(one.text, one.start)}`);
    }
    for (const span of spans) {
      if (span.start >= one.end || span.end <= one.start) alarm(score, span, one.text);
    }
  }
}

export async function scoreNegatives(
  score: Score,
  innocents: readonly { path: string; text: string }[],
  scan: Scanner,
): Promise<void> {
  for (const { path, text } of innocents) {
    for (const span of await scan(path, text)) alarm(score, span, text);
  }
}

function alarm(score: Score, span: Span, text: string): void {
  score.alarms[span.kind]++;
  score.examples.push(`alarm ${span.rule}: ${line(text, span.start)}`);
}

/** Recall and precision of one kind, in percent. */
export function percents(
  score: Score,
  kind: "structured" | "generic",
): { recall: number; precision: number } {
  const { total, found } = score.byKind[kind];
  return {
    recall: 100 * found / Math.max(1, total),
    precision: 100 * found / Math.max(1, found + score.alarms[kind]),
  };
}
