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

/** Sections of the first and second level, in their order. */
export function bodySections(body: string): readonly BodySection[] {
  const found: { -readonly [key in keyof BodySection]: BodySection[key] }[] = [];
  let fence: string | undefined;
  for (const { 0: line, index } of body.matchAll(/[^\n]*\n?/g)) {
    const text = line.replace(/\r?\n$/, "");
    const mark = /^ {0,3}(```|~~~)/.exec(text)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) {
      fence = fence === undefined ? mark : undefined;
    }
    const to = index + text.length;
    if (fence === undefined && /^#{1,2}[ \t]/.test(text)) {
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
