/** Runs one rule on a text, at the offsets of its keywords. */
import { isPlaceholder, isPublicSample } from "./placeholder.ts";
import { endOfRun, isSeam, type JoinedText, joinFrom } from "./seams.ts";
import type { ScanBudget } from "./scan_budget.ts";
import type { SecretRule } from "./secret_rules/rule.ts";

export class ReadyRule {
  readonly rule: SecretRule;
  readonly order: number;
  #pattern: RegExp | undefined;

  constructor(rule: SecretRule, order: number) {
    this.rule = rule;
    this.order = order;
  }

  get pattern(): RegExp {
    if (this.#pattern === undefined) {
      const { source, flags } = this.rule.pattern;
      this.#pattern = new RegExp(source, `${flags}y`);
    }
    return this.#pattern;
  }

  /** Whether the secret begins at the keyword, so that no word may precede it directly. */
  get opensHere(): boolean {
    return this.rule.kind === "structured" && this.rule.openLeft !== true &&
      !this.pattern.source.startsWith("(?<=");
  }
}

export interface SecretMatch {
  readonly ready: ReadyRule;
  readonly start: number;
  readonly end: number;
  readonly secret: string;
  /** Found under base64 or in a concatenation; a direct match at the same place has precedence. */
  readonly derived: boolean;
}

/** Tries per rule and text to join a token cut into two literals; each takes 10 us. */
const JOINS = 300;

/** False when its time ran out. */
export function runRule(
  ready: ReadyRule,
  places: readonly number[],
  text: string,
  { path, budget }: { readonly path: string; readonly budget: ScanBudget },
  found: SecretMatch[],
): boolean {
  const structured = ready.rule.kind === "structured";
  const { opensHere, pattern } = ready;
  budget.nextRule();
  let joins = structured ? JOINS : 0;
  let past = 0;
  let runEnd = 0;
  let seam = false;
  for (const at of places) {
    if (budget.isOverAfterTry()) return false;
    if (at < past || (opensHere && !opensAt(text, at))) continue;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    let one: SecretMatch | undefined;
    if (match !== null) {
      one = accept(ready, match, text, path);
      // Matches that begin inside a rejected structured match would be rejected for the same reason.
      if (structured) past = pattern.lastIndex;
    } else if (joins > 0) {
      if (at >= runEnd) {
        runEnd = endOfRun(text, at);
        seam = isSeam(text, runEnd);
      }
      if (seam) {
        joins--;
        one = tryJoined(ready, joinFrom(text, at), path);
      }
    }
    if (one === undefined) continue;
    found.push(one);
    past = one.end;
  }
  return true;
}

function tryJoined(ready: ReadyRule, joined: JoinedText, path: string): SecretMatch | undefined {
  ready.pattern.lastIndex = 0;
  const match = ready.pattern.exec(joined.text);
  const found = match === null ? undefined : accept(ready, match, joined.text, path);
  if (found === undefined) return undefined;
  return {
    ...found,
    start: joined.toWhole(found.start),
    end: joined.toWhole(found.end),
    derived: true,
  };
}

/** Whether a token may begin at `at`: not inside a word, but after an escape sequence. */
function opensAt(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  // "-" and "+" after a letter or digit continue a word; "--", " -" and a diff's "+" do not.
  if (before === 45 || before === 43) return at === 1 || !isAlnum(text.charCodeAt(at - 2));
  if (!isWordUnit(before)) return true;
  const escape = /(?:\\[nrtbf]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|%[0-9a-f]{2}|\[[\d;]{0,8}m)$/i;
  return escape.test(text.slice(Math.max(0, at - 8), at));
}

function isAlnum(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122);
}

function isWordUnit(unit: number): boolean {
  return unit === 95 || isAlnum(unit);
}

function accept(
  ready: ReadyRule,
  match: RegExpExecArray,
  text: string,
  path: string,
): SecretMatch | undefined {
  const { rule } = ready;
  const [start, end, opening] = secretSpan(match, text);
  const secret = text.slice(start, end);
  if (rule.kind === "structured") {
    if (rule.openLeft !== true && !opensAt(text, opening)) return undefined;
    if (isWordUnit(text.charCodeAt(end - 1)) && isAlnum(text.charCodeAt(end))) return undefined;
  }
  if (rule.kind !== "generic" && isSample(rule, secret)) return undefined;
  const around = { path, match: match[0], text, index: match.index, start };
  if (rule.check !== undefined && !rule.check(secret, around)) return undefined;
  return { ready, start, end, secret, derived: false };
}

/** Rules whose format contains runs or words check only for plain samples. */
function isSample(rule: SecretRule, secret: string): boolean {
  if (rule.verbatim !== true) return isPlaceholder(secret);
  return isPublicSample(secret) || /example/i.test(secret);
}

/** Groups are located by their text, since the `d` flag would run every match twice. */
function secretSpan(
  match: RegExpExecArray,
  text: string,
): [start: number, end: number, head: number] {
  const end = match.index + match[0].length;
  let head = match.index;
  for (const name in match.groups) {
    const value = match.groups[name];
    if (value === undefined || name === "rest" || name.startsWith("head_")) continue;
    if (name === "head") {
      head -= value.length;
      continue;
    }
    const inside = match[0].lastIndexOf(value);
    const start = inside >= 0 ? match.index + inside : text.lastIndexOf(value, match.index);
    return [start, start + value.length, Math.min(head, start)];
  }
  return [head, end, head];
}
