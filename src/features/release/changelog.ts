/** Finds the entries of a changelog and puts others beside them; every other byte stays as it is. */
import { type ByteText, byteText } from "svc/core/marked_block.ts";
import { withoutEnding } from "svc/core/text_ends.ts";
import { compareSemver, parseSemver, type SemVer, semverText } from "svc/core/semver.ts";

export interface ChangelogEntry {
  readonly version: SemVer;
  /** `YYYY-MM-DD`, where the heading has one. */
  readonly date?: string;
  /** From its heading, or an anchor before it, to the next heading of a version. */
  readonly start: number;
  readonly end: number;
}

export interface Changelog {
  readonly text: ByteText;
  /** As they stand in the file. */
  readonly entries: readonly ChangelogEntry[];
  /** Where a new entry comes, when there is none yet. */
  readonly first: number;
  readonly eol: "\n" | "\r\n";
}

export const NEW_CHANGELOG = "# Changelog\n";

/** `## [1.2.0](url) - 2026-01-02`, `# 1.2.0 (2026-01-02)`, `## **v1.2.0**`, `### Version 1.2.0`. */
const HEADING =
  /^#{1,3}[ \t]+(?:\*\*)?(?:version[ \t]+|release[ \t]+)?\[?v?(\d+\.\d+\.\d[\w.+-]*)/i;
/** In a file of headings that name no version in a way that is known, the newest release comes first too. */
const SECTION = /^##[ \t]/;
const NOT_RELEASED = /\b(?:unreleased|upcoming|next)\b/i;
const UNDERLINED = /^\[?v?(\d+\.\d+\.\d[\w.+-]*)/;
const UNDERLINE = /^(?:=+|-{3,})[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** conventional-changelog once wrote one before each heading. */
const ANCHOR = /^<a (?:name|id)="[^"]*"><\/a>[ \t]*$/;
/** Links that headings use, `[1.2.0]: url`, stand at the end of the file (keepachangelog.com). */
const DEFINITION = /^\[[^\]\r\n]+\]:[ \t]/;

interface Line {
  readonly text: string;
  readonly start: number;
  readonly next: number;
}

function linesOf(text: ByteText): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf("\n", start);
    const next = feed === -1 ? text.length : feed + 1;
    lines.push({ text: text.slice(start, next).replace(/\r?\n$/, ""), start, next });
    start = next;
  }
  return lines;
}

/** Where the definitions of links begin that end the file. */
function bodyEnd(lines: readonly Line[], length: number): number {
  let at = lines.length;
  while (at > 0 && (DEFINITION.test(lines[at - 1]!.text) || lines[at - 1]!.text.trim() === "")) {
    at--;
  }
  const first = lines.slice(at).find(({ text }) => DEFINITION.test(text));
  return first?.start ?? length;
}

export function readChangelog(text: ByteText): Changelog {
  const lines = linesOf(text);
  const end = bodyEnd(lines, text.length);
  const found: { version: SemVer; date?: string; start: number }[] = [];
  const startAt = (at: number) =>
    ANCHOR.test(lines[at - 1]?.text ?? "") ? lines[at - 1]!.start : lines[at]!.start;
  let section: number | undefined;
  let fence: string | undefined;
  for (const [at, line] of lines.entries()) {
    const mark = FENCE.exec(line.text)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const underlined = UNDERLINE.test(lines[at + 1]?.text ?? "");
    const match = HEADING.exec(line.text) ?? (underlined ? UNDERLINED.exec(line.text) : null);
    const version = match === null ? undefined : parseSemver(match[1]!);
    if (SECTION.test(line.text) && !NOT_RELEASED.test(line.text)) section ??= startAt(at);
    if (version === undefined) continue;
    const date = /\d{4}-\d{2}-\d{2}/.exec(line.text.slice(match![0].length))?.[0];
    found.push({ version, ...(date !== undefined && { date }), start: startAt(at) });
  }
  const entries = found.map((entry, at) => ({ ...entry, end: found[at + 1]?.start ?? end }));
  const crlf = text.split("\r\n").length - 1;
  const feeds = text.split("\n").length - 1;
  const first = entries.length === 0 ? section ?? end : end;
  return { text, entries, first, eol: crlf > feeds - crlf ? "\r\n" : "\n" };
}

export function entryOf({ entries }: Changelog, version: SemVer): ChangelogEntry | undefined {
  return entries.find((entry) => compareSemver(entry.version, version) === 0);
}

interface NewEntry {
  readonly version: SemVer;
  /** Lines end in a line feed. */
  readonly text: string;
}

const bytesOfText = (text: string, eol: string) =>
  byteText(new TextEncoder().encode(eol === "\n" ? text : text.replaceAll("\n", eol)));

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: ByteText;
}

/** Over the entry itself; the empty lines below it stay. */
function replacing({ text, eol }: Changelog, { start, end }: ChangelogEntry, entry: string): Edit {
  const whole = text.slice(start, end);
  const blank = whole.slice(withoutEnding(whole, "\r\n").length);
  const kept = blank.slice(blank.indexOf("\n") + 1);
  return { start, end: end - kept.length, text: bytesOfText(entry, eol) };
}

/** Above the first entry that is older; what is not released yet stays on top. */
function inserting(changelog: Changelog, { version, text }: NewEntry): Edit {
  const { entries, first, eol } = changelog;
  const older = entries.find((one) => compareSemver(one.version, version) < 0);
  const at = older?.start ?? entries.at(-1)?.end ?? first;
  return { start: at, end: at, text: bytesOfText(text, eol) };
}

/** An inserted entry stands between empty lines. */
function spaced(before: ByteText, { start, end, text }: Edit, { text: old, eol }: Changelog) {
  if (start !== end) return text;
  const gap = before === "" || before.endsWith(eol + eol)
    ? ""
    : before.endsWith("\n")
    ? eol
    : eol + eol;
  return gap + text + (start === old.length ? "" : eol);
}

/** Puts each entry in its place, over the one that stands there; no other byte changes. */
export function withEntries(text: ByteText, entries: readonly NewEntry[]): ByteText {
  const changelog = readChangelog(text);
  const newestFirst = entries.toSorted((one, other) => compareSemver(other.version, one.version));
  const edits = newestFirst.map((entry) => {
    const old = entryOf(changelog, entry.version);
    return old === undefined ? inserting(changelog, entry) : replacing(changelog, old, entry.text);
  }).sort((one, other) => one.start - other.start);
  const parts: ByteText[] = [];
  let [tail, at] = ["", 0];
  const push = (part: ByteText) => {
    parts.push(part);
    // Two line ends at most tell whether an empty line stands there; a whole changelog is slow to look at.
    tail = (tail + part.slice(-4)).slice(-4);
  };
  for (const edit of edits) {
    push(text.slice(at, edit.start));
    push(spaced(tail, edit, changelog));
    at = edit.end;
  }
  return parts.join("") + text.slice(at);
}

/** UTF-8 text of the entry. */
export function entryBytes({ text }: Changelog, { start, end }: ChangelogEntry): string {
  return new TextDecoder().decode(Uint8Array.from(text.slice(start, end), (c) => c.charCodeAt(0)));
}

export const versionsOf = ({ entries }: Changelog): string[] =>
  entries.map(({ version }) => semverText(version));
