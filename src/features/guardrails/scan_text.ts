/** The scan engine: finds every secret in one text by the given rules, each within its time. */
import { type Alignment, encodedForms, uncover } from "./base64_once.ts";
import { type DecodedText, encodeText } from "./decode_text.ts";
import { type Keyword, Prefilter } from "./prefilter.ts";
import { ReadyRule, runRule, type ScanOptions, type SecretMatch } from "./run_rule.ts";
import type { SecretRule } from "./secret_rules/rule.ts";

/** Offsets count UTF-16 units, `line` and `column` count from 1. */
export interface SecretHit {
  readonly rule: SecretRule;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
  readonly secret: string;
}

interface TextScan {
  /** In order, without overlaps. */
  readonly hits: readonly SecretHit[];
  readonly allowed: number;
  readonly timedOut: readonly string[];
}

type Lead = ReadyRule | Alignment;

export interface RuleSet {
  readonly filter: Prefilter<Lead>;
}

/** Words that reveal a configuration file or a login under base64. */
const WORTH_DECODING = [
  "password",
  "PASSWORD",
  "Password",
  "secret",
  "SECRET",
  "token",
  "TOKEN",
  "api_key",
  "API_KEY",
  "apiKey",
  "postgres://",
  "postgresql://",
  "mysql://",
  "mongodb",
  "redis://",
  "amqp://",
  "-----BEGIN ",
  "PRIVATE KEY-----",
  "Authorization",
];

/** Compiles rules. When two of one kind find the same secret, the first has precedence. */
export function compileRules(rules: readonly SecretRule[]): RuleSet {
  const keywords: Keyword<Lead>[] = [];
  rules.forEach((rule, order) => {
    const ready = new ReadyRule(rule, order);
    for (const text of rule.keywords) keywords.push({ text, leadsTo: ready });
  });
  const encoded = new Set([
    ...rules.filter((rule) => rule.kind === "structured").flatMap((rule) => rule.keywords)
      .filter((keyword) => keyword.length >= 3),
    ...WORTH_DECODING,
  ]);
  for (const keyword of encoded) {
    for (const { piece, alignment } of encodedForms(keyword)) {
      keywords.push({ text: piece, exact: true, leadsTo: alignment });
    }
  }
  return { filter: new Prefilter(keywords) };
}

const KIND_RANK = { structured: 0, context: 1, generic: 2 } as const;

/** Files full of digests and generated names, which generic rules skip. */
const DIGESTS =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|composer\.lock|Gemfile\.lock|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|pdm\.lock|go\.sum|flake\.lock|Podfile\.lock|mix\.lock|pubspec\.lock|packages\.lock\.json|gradle\.lockfile|\.terraform\.lock\.hcl)$|\.(?:min\.(?:js|css|mjs)|map|svg|snap|lock|sum)$/i;

export function scanText(
  text: string | DecodedText,
  set: RuleSet,
  options: ScanOptions = {},
): TextScan {
  const input = typeof text === "string" ? encodeText(text) : text;
  const timedOut = new Set<string>();
  const found = findIn(input, set, options, timedOut, true);
  if (found.length === 0) return { hits: [], allowed: 0, timedOut: [...timedOut] };
  const hits = placed(input.text(), withoutOverlaps(found), options.allow !== false);
  return { ...hits, timedOut: [...timedOut] };
}

function findIn(
  input: DecodedText,
  set: RuleSet,
  options: ScanOptions,
  timedOut: Set<string>,
  outermost: boolean,
): SecretMatch[] {
  const silent = DIGESTS.test(options.path ?? "");
  const ats: number[] = [];
  const leads: Lead[] = [];
  set.filter.scan(input.bytes, (at, all) => {
    for (let i = 0; i < all.length; i++) {
      const lead = all[i]!;
      if (typeof lead === "number" ? !outermost : silent && lead.rule.kind === "generic") continue;
      ats.push(at);
      leads.push(lead);
    }
  });
  const found: SecretMatch[] = [];
  if (ats.length === 0) return found;
  const text = input.text();
  const starts = new Map<ReadyRule, number[]>();
  const encoded: { at: number; alignment: Alignment }[] = [];
  for (let i = 0; i < ats.length; i++) {
    const lead = leads[i]!;
    const at = input.toText(ats[i]!);
    if (typeof lead === "number") {
      encoded.push({ at, alignment: lead });
      continue;
    }
    const places = starts.get(lead);
    if (places === undefined) starts.set(lead, [at]);
    else places.push(at);
  }
  for (const [ready, places] of starts) {
    if (!runRule(ready, places, text, options, found)) timedOut.add(ready.rule.id);
  }
  if (encoded.length > 0) uncoverIn(text, encoded, set, options, timedOut, found);
  return found;
}

/** Secrets found in decoded base64 get the position of the base64. */
function uncoverIn(
  text: string,
  encoded: readonly { at: number; alignment: Alignment }[],
  set: RuleSet,
  options: ScanOptions,
  timedOut: Set<string>,
  found: SecretMatch[],
): void {
  let past = 0;
  for (const { at, alignment } of encoded) {
    if (at < past) continue;
    const uncovered = uncover(text, at, alignment);
    if (uncovered === undefined) continue;
    past = uncovered.end;
    const inside = findIn(encodeText(uncovered.text), set, options, timedOut, false);
    for (const one of inside) {
      found.push({ ...one, start: uncovered.start, end: uncovered.end, derived: true });
    }
  }
}

function withoutOverlaps(found: SecretMatch[]): SecretMatch[] {
  const rank = (one: SecretMatch) => KIND_RANK[one.ready.rule.kind] * 2 + Number(one.derived);
  found.sort((a, b) =>
    rank(a) - rank(b) || a.ready.order - b.ready.order || (b.end - b.start) - (a.end - a.start)
  );
  const kept: SecretMatch[] = [];
  for (const one of found) {
    let low = 0;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (kept[middle]!.start < one.start) low = middle + 1;
      else high = middle;
    }
    const before = kept[low - 1];
    const after = kept[low];
    if (before !== undefined && before.end > one.start) continue;
    if (after !== undefined && after.start < one.end) continue;
    kept.splice(low, 0, one);
  }
  return kept;
}

/** A comment with this text on the secret's line or the line above allows the secret. */
const ALLOW = "svc:allow";
const LINE_REACH = 4096;

function isAllowed(text: string, start: number): boolean {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const above = lineStart === 0 ? 0 : text.lastIndexOf("\n", lineStart - 2) + 1;
  const lineEnd = text.indexOf("\n", start);
  const end = Math.min(lineEnd < 0 ? text.length : lineEnd, start + LINE_REACH);
  return text.slice(Math.max(above, start - LINE_REACH), end).includes(ALLOW);
}

function placed(
  text: string,
  kept: readonly SecretMatch[],
  allow: boolean,
): { hits: SecretHit[]; allowed: number } {
  const hits: SecretHit[] = [];
  const mayAllow = allow && text.includes(ALLOW);
  let allowed = 0;
  let line = 1;
  let lineStart = 0;
  for (const { ready, start, end, secret } of kept) {
    for (let next = text.indexOf("\n", lineStart); next >= 0 && next < start;) {
      line++;
      lineStart = next + 1;
      next = text.indexOf("\n", lineStart);
    }
    if (mayAllow && isAllowed(text, start)) allowed++;
    else hits.push({ rule: ready.rule, start, end, line, column: start - lineStart + 1, secret });
  }
  return { hits, allowed };
}
