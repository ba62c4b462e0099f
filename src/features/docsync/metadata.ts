/** The doc-sync metadata at the top of a file: which paths it goes with, and when somebody last made sure. */

/** It stands within these; the rule `docsync-header-missing` looks as far. */
const TOP_CHARS = 800;

export const SKIPPABLE = ["commands", "links", "stale"] as const;
export type Skippable = typeof SKIPPABLE[number];

export interface Metadata {
  /** From 1. */
  readonly line: number;
  /** Files, folders with a slash at the end, or patterns; as written. */
  readonly paths: readonly string[];
  /** A day, a time, or the id of a commit. */
  readonly confirmed?: string;
  readonly skip: readonly Skippable[];
  /** What is wrong with it, as ends of sentences. */
  readonly faults: readonly string[];
}

/** A comment of HTML, or a key of the front matter. */
const OF_PAGE = /^(?:<!--[ \t]*)?doc-?sync:(.*)$/i;
/** A comment of some language. */
const OF_CODE = /^[ \t]*(?:\/\/+|\/\*+|\*|#+|--|;+|%+|<!--|"""|''')[!*]?[ \t]*doc-?sync:(.*)$/i;

const DAY = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z)?$/;
const COMMIT = /^[0-9a-f]{7,64}$/;

function fieldsOf(text: string, line: number): Metadata {
  const faults: string[] = [];
  const [first = "", ...others] = text.split(";").map((part) => part.trim());
  const paths = first.split(/[,\s]+/).filter((path) => path !== "");
  let confirmed: string | undefined;
  const skip: Skippable[] = [];
  for (const field of others.filter((field) => field !== "")) {
    const cut = field.indexOf(":");
    const key = field.slice(0, Math.max(0, cut)).trim();
    const value = field.slice(cut + 1).trim();
    if (key === "confirmed") {
      const sound = COMMIT.test(value) || (DAY.test(value) && !Number.isNaN(Date.parse(value)));
      if (sound) confirmed = value;
      else faults.push(`"${value}" is neither a day, such as 2026-01-31, nor the id of a commit`);
    } else if (key === "skip") {
      for (const name of value.split(/[,\s]+/)) {
        const known = SKIPPABLE.find((one) => one === name);
        if (known !== undefined) skip.push(known);
        else faults.push(`skip knows ${SKIPPABLE.join(", ")}, not "${name}"`);
      }
    } else faults.push(`"${field}" is neither confirmed: nor skip:`);
  }
  if (paths.length === 0 && skip.length === 0) faults.push("it names no path");
  return { line, paths, skip, faults, ...(confirmed !== undefined && { confirmed }) };
}

/** Without what ends the comment; a pattern may hold the end of another language's. */
function bare(value: string): string {
  const text = value.trim().replace(/(?:-->|\*\/|"""|''')$/, "").trim();
  // A value of YAML that holds a colon stands in quotes.
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}

/** Lines after the first up to the end of a comment belong to it. */
function wholeComment(lines: readonly string[], at: number, first: string): string {
  const close = first.indexOf("-->");
  if (close !== -1) return first.slice(0, close);
  if (!lines[at]!.trimStart().startsWith("<!--")) return first;
  const more = lines.slice(at + 1, at + 12);
  const end = more.findIndex((line) => line.includes("-->"));
  if (end === -1) return first;
  const last = more[end]!;
  return [first, ...more.slice(0, end), last.slice(0, last.indexOf("-->"))].join(" ");
}

/** Undefined where the top of the file has none. */
export function readMetadata(text: string, page: boolean): Metadata | undefined {
  const lines = text.slice(0, TOP_CHARS).split("\n");
  const frontMatter = lines[0]?.trim() === "---";
  let fenced = false;
  let matter = frontMatter;
  for (const [at, line] of lines.entries()) {
    if (matter && at > 0 && line.trim() === "---") matter = false;
    if (/^(?:```|~~~)/.test(line)) fenced = !fenced;
    const match = (page ? OF_PAGE : OF_CODE).exec(line.trimEnd());
    if (match === null || (page && fenced)) continue;
    if (page && !matter && !line.startsWith("<!--")) continue;
    return fieldsOf(bare(wholeComment(lines, at, match[1]!)), at + 1);
  }
  return undefined;
}
