/** The sections of a ticket's text: headings outside of fenced code, as Markdown has them. */
import { withoutEnding } from "svc/core/text_ends.ts";

export interface BodySection {
  /** Its whole first line. */
  readonly heading: string;
  /** Offsets: of the heading, behind it, and behind the last line that is not blank. */
  readonly from: number;
  readonly textFrom: number;
  readonly to: number;
}

interface Fence {
  readonly char: string;
  readonly length: number;
  /** Only a line without more words ends code. */
  readonly bare: boolean;
}

/** CommonMark, fenced code blocks: no backtick stands behind those that begin code. */
function fenceIn(line: string): Fence | undefined {
  const [all, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
  if (all === undefined || mark === undefined) return undefined;
  const words = line.slice(all.length);
  if (mark.startsWith("`") && words.includes("`")) return undefined;
  return { char: mark[0]!, length: mark.length, bare: words.trim() === "" };
}

const ends = (fence: Fence | undefined, { char, length }: Fence) =>
  fence !== undefined && fence.bare && fence.char === char && fence.length >= length;

interface BodyLine {
  /** Without its end. */
  readonly text: string;
  readonly index: number;
  /** In fenced code, the fences at its ends among it. Where nothing ends a fence, it begins no code. */
  readonly code: boolean;
}

export function bodyLines(body: string): readonly BodyLine[] {
  const lines = [...body.matchAll(/[^\n]*\n?/g)].map(({ 0: line, index }) => {
    const text = line.replace(/\r?\n$/, "");
    return { text, index, fence: fenceIn(text) };
  });
  const begins = new Set<Fence>();
  const longest = new Map<string, number>();
  for (const { fence } of lines.toReversed()) {
    if (fence === undefined) continue;
    const behind = longest.get(fence.char) ?? 0;
    if (behind >= fence.length) begins.add(fence);
    if (fence.bare) longest.set(fence.char, Math.max(behind, fence.length));
  }
  let open: Fence | undefined;
  return lines.map(({ text, index, fence }) => {
    const within = open !== undefined;
    if (open !== undefined) open = ends(fence, open) ? undefined : open;
    else if (fence !== undefined && begins.has(fence)) open = fence;
    return { text, index, code: within || open !== undefined };
  });
}

/** Sections of the first and second level, in their order. */
export function bodySections(body: string): readonly BodySection[] {
  const found: { -readonly [key in keyof BodySection]: BodySection[key] }[] = [];
  for (const { text, index, code } of bodyLines(body)) {
    const to = index + text.length;
    if (!code && /^#{1,2}[ \t]/.test(text)) {
      found.push({ heading: text, from: index, textFrom: to, to });
    } else if (text.trim() !== "" && found.length > 0) found.at(-1)!.to = to;
  }
  return found;
}

/** With or without a closing sequence of `#` (CommonMark, ATX headings). @param name without signs of a pattern */
export function isHeadingOf(line: string, name: string): boolean {
  const closed = withoutEnding(withoutEnding(line.trimEnd(), "#"), " \t");
  return new RegExp(`^##[ \\t]+${name}$`).test(closed);
}
