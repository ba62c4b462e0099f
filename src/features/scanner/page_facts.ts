/** Reads the relative links, anchors and named paths of a Markdown page. */
import { withoutEnding } from "svc/core/text_ends.ts";
import type { NamedLine } from "./facts.ts";
import { pageLines } from "./page_lines.ts";

interface MarkdownFacts {
  readonly links: readonly NamedLine[];
  readonly anchors: readonly string[];
  readonly spans: readonly NamedLine[];
}

/** A heading as an anchor, without case, blanks and punctuation, in which renderers differ. */
export function plainAnchor(text: string): string {
  return decoded(text).toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // such as "100%"
  }
}

const LINK =
  /!?\[(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*\]\(\s*(?:<([^<>\n]*)>|([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*))(?:\s+["'(][^\n]*?["')])?\s*\)/g;
const DEFINITION = /^ {0,3}\[(?!\^)[^\]\n]+\]:\s*<?([^\s>]+)>?/;
const HTML = /<(?:a|img|source)\b[^>]*?\b(?:href|src)\s*=\s*["']([^"']+)["']/gi;
const NAMED_HERE = /\b(?:name|id)\s*=\s*["']([^"']+)["']|\{#([\w-]+)\}/g;
/** Has a slash and an extension, or ends in a slash; no blanks, wildcards or placeholders. */
const PATH = /^(?:\.\/)?[\w@.-]+(?:\/[\w@.+-]+)*(?:\/|\/[\w@.+-]+\.\w{1,8})$/;

function isRelative(target: string): boolean {
  return target !== "" && !/^(?:[a-z][\w+.-]*:|\/|\\|#)/i.test(target) &&
    !/[{}$<>|*`]/.test(target);
}

/** Blanks out code spans (CommonMark 0.31, section 6.1), so that links quoted in them do not count. */
export function withoutSpans(line: string): string {
  const runs = [...line.matchAll(/`+/g)];
  let clean = line;
  for (let at = 0; at < runs.length; at++) {
    const marks = runs[at]!;
    const close = runs.findIndex(([text], other) => other > at && text === marks[0]);
    if (close === -1) continue;
    const end = runs[close]!.index + marks[0].length;
    clean = clean.slice(0, marks.index) + " ".repeat(end - marks.index) + clean.slice(end);
    at = close;
  }
  return clean;
}

/** The text of `# Heading ##` without its marks (CommonMark 0.31, section 4.2). */
export function headingIn(line: string): string | undefined {
  const written = /^ {0,3}#{1,6}\s+(\S.*)$/.exec(line)?.[1];
  if (written === undefined) return undefined;
  const open = withoutEnding(written, "#");
  return /\s$/.test(open) ? open.trimEnd() : written;
}

export function readPage(text: string): MarkdownFacts {
  const links: NamedLine[] = [];
  const anchors = new Set<string>();
  const spans: NamedLine[] = [];
  let above = "";
  for (const { text: line, line: number, code } of pageLines(text)) {
    if (code !== undefined) continue;
    const heading = headingIn(line) ??
      (/^ {0,3}(?:=+|-+)$/.test(line) && above !== "" ? above : undefined);
    if (heading !== undefined) addHeading(anchors, heading);
    for (const [, named, braced] of line.matchAll(NAMED_HERE)) {
      anchors.add(plainAnchor(named ?? braced!));
    }
    for (const { 1: span } of line.matchAll(/(?<!`)`([^`\s]{3,200})`(?!`)/g)) {
      if (PATH.test(span!)) spans.push([span!, number]);
    }
    for (const target of targetsIn(withoutSpans(line))) {
      if (isRelative(target) || /^#./.test(target)) links.push([target, number]);
    }
    above = line;
  }
  return { links, anchors: [...anchors], spans };
}

function addHeading(anchors: Set<string>, heading: string): void {
  const plain = plainAnchor(
    heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/<[^>]+>|\{#[^}]*\}|:[a-z_]+:/g, ""),
  );
  for (let again = 0; again < 100; again++) {
    const name = again === 0 ? plain : `${plain}${again}`;
    if (anchors.has(name)) continue;
    anchors.add(name);
    return;
  }
}

function* targetsIn(line: string): Generator<string> {
  for (const { 1: angled, 2: plain } of line.matchAll(LINK)) yield (angled ?? plain!).trim();
  const definition = DEFINITION.exec(line)?.[1];
  if (definition !== undefined) yield definition;
  for (const { 1: target } of line.matchAll(HTML)) yield target!.trim();
}
