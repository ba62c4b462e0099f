/** Lines of 64 KiB made to slow a rule down, and the slowest rule on them. */
import { scanText } from "svc/features/guardrails/scan_text.ts";
import { compileRules } from "tools/keyword_table.ts";
import { secretRules } from "svc/features/guardrails/secret_rules/all.ts";
import { Draw } from "svc/features/guardrails/secret_rules/draw.ts";
import type { SecretRule } from "svc/features/guardrails/secret_rules/rule.ts";

const LINE_CHARS = 64 * 1024;

/** What runs of nearly matching text consist of. */
const FILLERS = [
  "",
  "a",
  "A1b2",
  "0",
  "_",
  "-",
  "--",
  ".",
  "/",
  "+",
  "=",
  " ",
  '"',
  ":",
  ",",
  ':"',
  '": "',
  "(",
  "\\n",
  "://",
  "key=",
  " value ",
  '" + "',
  "eyJ",
  "-----",
];

/** Hostile lines for one rule: its keywords and an example, whole and cut, with each filler between. */
export function* hostileLines(rule: SecretRule): Generator<string> {
  const [first = ""] = rule.examples(new Draw(7)).map((example) => example.replaceAll("\n", " "));
  const [keyword = ""] = rule.keywords;
  for (const head of [keyword, first, first.slice(0, -1), first.slice(0, first.length * 0.6)]) {
    for (const filler of FILLERS) {
      const unit = head + filler;
      yield unit.repeat(Math.ceil(LINE_CHARS / unit.length)).slice(0, LINE_CHARS);
      if (filler === "") continue;
      yield (head + filler.repeat(LINE_CHARS)).slice(0, LINE_CHARS);
      yield (head + filler.repeat(120)).repeat(LINE_CHARS / 120).slice(0, LINE_CHARS);
    }
  }
}

export interface Slowest {
  readonly rule: string;
  readonly ms: number;
  readonly line: string;
}

/**
 * The slowest line of each rule, slowest rule first. A line is timed again, up to five times, while it
 * would be the slowest; the least counts, since a shared machine only ever adds.
 */
export function slowest(): Slowest[] {
  return secretRules().map((rule) => {
    const set = compileRules([rule]);
    let worst: Slowest = { rule: rule.id, ms: 0, line: "" };
    for (const line of hostileLines(rule)) {
      let least = Infinity;
      for (let i = 0; i < 5 && least > worst.ms; i++) {
        const from = performance.now();
        scanText(line, set, { ruleMs: Infinity });
        least = Math.min(least, performance.now() - from);
      }
      if (least > worst.ms) worst = { rule: rule.id, ms: least, line: line.slice(0, 40) };
    }
    return worst;
  }).sort((a, b) => b.ms - a.ms);
}
