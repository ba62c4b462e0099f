/** Findings for programs that show them beside the code: SARIF 2.1.0, and GitHub's annotations. */
import { Failure } from "svc/core/failure.ts";
import { VERSION } from "svc/core/version.ts";
import type { Page } from "./page.ts";

export const FORMATS = ["text", "sarif", "github"] as const;
export type Format = typeof FORMATS[number];

export interface Note {
  readonly rule: string;
  readonly level: "error" | "warning" | "note";
  /** Relative to the repo; undefined for what is true of the whole repo. */
  readonly path?: string;
  /** From 1, like `column`, which counts UTF-16 units. */
  readonly line?: number;
  readonly column?: number;
  readonly text: string;
  readonly fingerprint: string;
}

interface RuleText {
  readonly id: string;
  readonly about: string;
}

/** A URI reference (RFC 3986, section 4.1) that no name turns into a scheme or a query. */
function uriOf(path: string): string {
  return path.toWellFormed().split("/").map(encodeURIComponent).join("/");
}

function resultOf({ rule, level, path, line, column, text, fingerprint }: Note, ruleIndex: number) {
  const region = line !== undefined && {
    region: { startLine: line, ...(column !== undefined && { startColumn: column }) },
  };
  const artifactLocation = path !== undefined && { uri: uriOf(path), uriBaseId: "%SRCROOT%" };
  return {
    ruleId: rule,
    ruleIndex,
    level,
    message: { text },
    ...(artifactLocation && { locations: [{ physicalLocation: { artifactLocation, ...region } }] }),
    partialFingerprints: { "svc/v1": fingerprint },
  };
}

/** Static Analysis Results Interchange Format 2.1.0 (OASIS). */
export function sarifOf(notes: readonly Note[], known: readonly RuleText[]): unknown {
  const about = new Map(known.map(({ id, about }) => [id, about]));
  const ids = [...new Set(notes.map(({ rule }) => rule))].sort();
  const rules = ids.map((id) => ({ id, shortDescription: { text: about.get(id) ?? id } }));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{
      tool: { driver: { name: "svc", version: VERSION, rules } },
      columnKind: "utf16CodeUnits",
      results: notes.map((note) => resultOf(note, ids.indexOf(note.rule))),
    }],
  };
}

/** As `escapeData` of @actions/core does: a line end would begin another command. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** As `escapeProperty` of @actions/core does. */
function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

const COMMANDS = { error: "error", warning: "warning", note: "notice" } as const;

/** A workflow command (GitHub's docs, "Workflow commands for GitHub Actions"). */
export function githubLine({ rule, level, path, line, column, text }: Note): string {
  const facts = { file: path, line, col: column, title: `svc: ${rule}` };
  const properties = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${property(String(value))}`]
  );
  return `::${COMMANDS[level]} ${properties.join(",")}::${data(text)}`;
}

/** @throws Failure `usage` for two forms of output at once */
export function mayFormat(
  { format = "text", json }: { readonly format?: Format | undefined; readonly json: boolean },
): void {
  if (!json || format === "text") return;
  throw new Failure("usage", `Cannot print "--json" and "--format ${format}" at once`, {
    remedy: "Leave one of them out",
  });
}

/** False when the findings are to be shown to people. */
export function annotated(
  format: Format | undefined,
  notes: readonly Note[],
  rules: readonly RuleText[],
  page: Page,
): boolean {
  if (format === "sarif") page.json(sarifOf(notes, rules));
  else if (format === "github") { for (const note of notes) page.line(githubLine(note)); }
  else return false;
  return true;
}
