/** The scan engine: finds every secret in one text by the given rules, each within its time. */
import type { Gunzip } from "svc/platform/gunzip.ts";
import {
  type Alignment,
  type DecodedRun,
  decodedRuns,
  type EncodedPlace,
  textOfBytes,
} from "./base64_once.ts";
import { type DecodedText, decodeFile, encodeText } from "./decode_text.ts";
import { type KeywordTable, Prefilter } from "./prefilter.ts";
import { ReadyRule, runRule, type SecretMatch } from "./run_rule.ts";
import { type BudgetOptions, ScanBudget } from "./scan_budget.ts";
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

export interface ScanOptions extends BudgetOptions {
  readonly path?: string;
  readonly allow?: boolean;
  /** Known shapes alone are looked for, as in bytes that are no text. */
  readonly shapesOnly?: boolean;
  /** Without it gzip under base64 stays closed. */
  readonly gunzip?: Gunzip;
}

export interface RuleSet {
  readonly filter: Prefilter;
  readonly rules: readonly ReadyRule[];
}

/** What a keyword leads to: a rule by its place among them all, or base64 at this alignment. */
export function leadOf(alignment: Alignment, rules: { readonly length: number }): number {
  return rules.length + alignment;
}

/** When two rules of one kind find the same secret, the first has precedence. @param keywords of these rules */
export function ruleSet(rules: readonly SecretRule[], keywords: KeywordTable): RuleSet {
  return {
    filter: new Prefilter(keywords),
    rules: rules.map((rule, order) => new ReadyRule(rule, order)),
  };
}

const KIND_RANK = { structured: 0, context: 1, generic: 2 } as const;

/** Files full of digests and generated names, which generic rules skip. */
const DIGESTS =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|composer\.lock|Gemfile\.lock|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|pdm\.lock|go\.sum|flake\.lock|Podfile\.lock|mix\.lock|pubspec\.lock|packages\.lock\.json|gradle\.lockfile|\.terraform\.lock\.hcl)$|\.(?:min\.(?:js|css|mjs)|map|svg|snap|lock|sum)$/i;

/** Name, among the rules, of what is under base64. */
const ENCODED = "base64";

/** Bytes that one text's gzip under base64 may unfold to, and those of one piece. */
const UNFOLDED_BYTES = 8 * 1024 * 1024;
const UNFOLDED_PIECE_BYTES = 1024 * 1024;

export function scanText(
  text: string | DecodedText,
  set: RuleSet,
  options: ScanOptions = {},
): TextScan {
  const input = typeof text === "string" ? encodeText(text) : text;
  const search = new TextSearch(set, options, new ScanBudget(input.bytes.length, options));
  const found = search.in(input, true);
  const timedOut = [...search.timedOut];
  if (found.length === 0) return { hits: [], allowed: 0, timedOut };
  return { ...placed(input.text(), withoutOverlaps(found), options.allow !== false), timedOut };
}

class TextSearch {
  readonly timedOut = new Set<string>();
  readonly #set: RuleSet;
  readonly #options: ScanOptions;
  readonly #budget: ScanBudget;
  readonly #path: string;
  #unfolded = 0;

  constructor(set: RuleSet, options: ScanOptions, budget: ScanBudget) {
    this.#set = set;
    this.#options = options;
    this.#budget = budget;
    this.#path = options.path ?? "";
  }

  in(input: DecodedText, outermost: boolean): SecretMatch[] {
    const { ats, leads } = this.#leadsIn(input.bytes, outermost);
    const found: SecretMatch[] = [];
    if (ats.length === 0) return found;
    const text = input.text();
    const { rules } = this.#set;
    const starts = new Map<ReadyRule, number[]>();
    const encoded: EncodedPlace[] = [];
    for (let i = 0; i < ats.length; i++) {
      const at = input.toText(ats[i]!);
      const ready = rules[leads[i]!];
      if (ready === undefined) {
        encoded.push({ at, alignment: leads[i]! - rules.length as Alignment });
        continue;
      }
      const places = starts.get(ready);
      if (places === undefined) starts.set(ready, [at]);
      else places.push(at);
    }
    const within = { path: this.#path, budget: this.#budget };
    for (const [ready, places] of starts) {
      if (!runRule(ready, places, text, within, found)) this.timedOut.add(ready.rule.id);
    }
    if (encoded.length > 0) this.#uncover(text, encoded, found);
    return found;
  }

  #leadsIn(bytes: Uint8Array, outermost: boolean): { ats: number[]; leads: number[] } {
    const { filter, rules } = this.#set;
    const shapes = this.#options.shapesOnly === true;
    const silent = shapes || DIGESTS.test(this.#path);
    const ats: number[] = [];
    const leads: number[] = [];
    filter.scan(bytes, (at, lead) => {
      const ready = rules[lead];
      if (ready === undefined) {
        if (!outermost) return;
      } else if (silent) {
        const { kind } = ready.rule;
        if (kind === "generic" || (shapes && kind === "context")) return;
      }
      ats.push(at);
      leads.push(lead);
    });
    return { ats, leads };
  }

  /** Secrets found in decoded base64 get the position of the base64. */
  #uncover(text: string, encoded: readonly EncodedPlace[], found: SecretMatch[]): void {
    for (const run of decodedRuns(text, encoded)) {
      if (this.#budget.isOverAfterTry()) {
        this.timedOut.add(ENCODED);
        return;
      }
      const plain = textOfBytes(run.bytes);
      const input = plain === undefined ? this.#unfold(run) : encodeText(plain);
      if (input === undefined) continue;
      for (const one of this.in(input, false)) {
        found.push({ ...one, start: run.start, end: run.end, derived: true });
      }
    }
  }

  #unfold({ bytes }: DecodedRun): DecodedText | undefined {
    const { gunzip } = this.#options;
    if (gunzip === undefined || !bytes.startsWith("\x1f\x8b\x08")) return undefined;
    const left = Math.min(UNFOLDED_PIECE_BYTES, UNFOLDED_BYTES - this.#unfolded);
    const plain = left <= 0
      ? "too_large"
      : gunzip(Uint8Array.from(bytes, (char) => char.charCodeAt(0)), left);
    if (plain === "too_large") {
      this.#unfolded += left;
      this.timedOut.add(ENCODED);
      return undefined;
    }
    if (plain === undefined) return undefined;
    this.#unfolded += plain.length;
    return decodeFile(plain).text;
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
