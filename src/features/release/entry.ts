/** The entry of one release, as Markdown: what changed for those who use it. */
import { sha256 } from "svc/core/digest.ts";
import { isQuiet } from "./bump.ts";
import type { Change } from "./changes.ts";
import type { IssueRef } from "./conventional.ts";
import { inlineText, type IssueUrl } from "./markdown_text.ts";

/** Nobody reads more; a first release may have a hundred thousand. */
const SECTION_CHANGES = 2000;

/** Characters of an id; git's own are seven, and longer where many begin alike. */
const SHOWN_ID = 7;

/** Pages of a code host; undefined where none is known. */
export interface ReleaseLinks {
  commit(id: string): string | undefined;
  readonly issue: IssueUrl;
  compare(from: string, to: string): string | undefined;
}

export const NO_LINKS: ReleaseLinks = {
  commit: () => undefined,
  issue: () => undefined,
  compare: () => undefined,
};

export interface EntryPlan {
  readonly version: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly changes: readonly Change[];
  readonly links: ReleaseLinks;
  /** Tags of the release before it and its own; undefined without one before. */
  readonly range?: { readonly from: string; readonly to: string } | undefined;
}

const SECTIONS: readonly (readonly [title: string, holds: (change: Change) => boolean])[] = [
  ["Features", ({ type }) => /^feat(?:ure)?$/.test(type)],
  ["Fixes", ({ type }) => type === "fix" || type === "security"],
  ["Performance", ({ type }) => type === "perf"],
  ["Reverts", ({ type }) => type === "revert"],
];
const NAMED = /^(?:feat(?:ure)?|fix|security|perf|revert)$/;
/** `#12` or `owner/repo#12`, whole: `#1` is another issue. */
const REFERENCE = /(?:[\w.-]{1,100}\/[\w.-]{1,100})?#\d{1,10}\b/g;

function scoped({ scope }: Change, text: string, links: ReleaseLinks): string {
  return scope === undefined ? text : `**${inlineText(scope, links.issue)}:** ${text}`;
}

function linked(text: string, url: string | undefined): string {
  return url === undefined ? text : `[${text}](${url})`;
}

function commitsOf({ commits }: Change, links: ReleaseLinks): string {
  return commits.slice(0, 5)
    .map((id) => linked(id.slice(0, SHOWN_ID), links.commit(id))).join(", ");
}

function issueOf({ remote, number }: IssueRef, links: ReleaseLinks): string {
  return linked(`${remote ?? ""}#${number}`, links.issue(number, remote));
}

function line(change: Change, links: ReleaseLinks): string {
  const { type, subject, closes } = change;
  const words = type === "" || NAMED.test(type) ? subject : `${type}: ${subject}`;
  const text = scoped(change, inlineText(words, links.issue), links);
  const named = new Set(subject.match(REFERENCE) ?? []);
  const said = closes.filter(({ remote, number }) => !named.has(`${remote ?? ""}#${number}`));
  const closing = said.length === 0
    ? ""
    : `, closes ${said.map((ref) => issueOf(ref, links)).join(", ")}`;
  return `- ${text} (${commitsOf(change, links)})${closing}`;
}

function breakingLines(changes: readonly Change[], links: ReleaseLinks): string[] {
  return changes.filter(({ breaking }) => breaking).flatMap((change) => {
    const texts = change.breaks.filter((text) => text !== "");
    return (texts.length === 0 ? [change.subject] : texts).map((text) =>
      `- ${scoped(change, inlineText(text, links.issue), links)} (${commitsOf(change, links)})`
    );
  });
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - SECTION_CHANGES;
  const shown = lines.slice(0, SECTION_CHANGES);
  return ["", `### ${title}`, "", ...shown, ...(more > 0 ? [`- and ${more} more`] : [])];
}

/** Without heading; no line where nothing that users get has changed. */
function bodyLines({ changes, links }: EntryPlan): string[] {
  const lines = (holds: (change: Change) => boolean) =>
    changes.filter(holds).map((change) => line(change, links));
  const body = [
    ...section("Breaking changes", breakingLines(changes, links)),
    ...SECTIONS.flatMap(([title, holds]) => section(title, lines(holds))),
    ...section("Other changes", lines((change) => !NAMED.test(change.type) && !isQuiet(change))),
  ];
  return body.length > 0 ? body : ["", "Nothing that those who use it would notice."];
}

/** Line ends, blanks and the breaks of lines do not count: a formatter is no author. */
async function fingerprint(text: string): Promise<string> {
  const words = text.split(/\s+/).filter((word) => word !== "").join(" ");
  return (await sha256(new TextEncoder().encode(words))).slice(0, 16);
}

const MARK = /^<!-- svc release notes ([0-9a-f]{16}) -->$/m;

/** Lines end in a line feed; the mark holds a fingerprint of all other lines. */
export async function entryText(plan: EntryPlan): Promise<string> {
  const { version, date, links, range } = plan;
  const compare = range && links.compare(range.from, range.to);
  const heading = `## ${compare === undefined ? version : `[${version}](${compare})`} - ${date}`;
  const body = `${bodyLines(plan).join("\n")}\n`;
  return `${heading}\n\n<!-- svc release notes ${await fingerprint(heading + body)} -->\n${body}`;
}

/** svc wrote the entry, and nobody has changed its words since. */
export async function isOwnEntry(text: string): Promise<boolean> {
  const mark = MARK.exec(text.replaceAll("\r", ""))?.[1];
  if (mark === undefined) return false;
  return mark === await fingerprint(text.replaceAll("\r", "").replace(MARK, "\n"));
}
