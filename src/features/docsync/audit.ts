/** Audits a repo's documents: their doc-sync metadata, links and anchors, and the commands that they name. */
import { nameOf } from "svc/core/path_parts.ts";
import { together } from "svc/core/together.ts";
import { linkTarget } from "svc/features/scanner/link_target.ts";
import { decoded, readPage } from "svc/features/scanner/page_facts.ts";
import { RECORD, SITE } from "svc/features/scanner/rules/docs.ts";
import { type Anchors, anchorsIn } from "./anchors.ts";
import { missingMetadata, pathFaults } from "./associations.ts";
import { type AuditedFiles, auditedFiles, type AuditQuery, type Page } from "./audited_files.ts";
import type { Finding } from "./finding.ts";
import { isPlaceholder, namedCommands } from "./named_commands.ts";
import { staleFindings } from "./stale.ts";
import { TASK_PROGRAMS, taskFault } from "./tasks.ts";

export interface Audit {
  readonly pages: number;
  /** Files with metadata. */
  readonly associated: number;
  readonly findings: readonly Finding[];
  /** What could not be told, a sentence each. */
  readonly notes: readonly string[];
}

function linkFindings({ pages, has, paths }: AuditedFiles): Finding[] {
  const findings: Finding[] = [];
  const anchors = new Map<string, Anchors>();
  const texts = new Map(pages.map(({ path, text }) => [path, text]));
  const anchorsOf = (path: string) => {
    const known = anchors.get(path) ?? anchorsIn(texts.get(path) ?? "");
    anchors.set(path, known);
    return known;
  };
  // Builders of sites resolve links and name headings in their own ways.
  const built = paths.some((path) => SITE.test(path));
  for (const { path, text, metadata } of pages) {
    if (metadata?.skip.includes("links")) continue;
    for (const [target, line] of readPage(text).links) {
      const { file, anchor, outside } = linkTarget(has, path, target);
      if (outside || built && file === undefined) continue;
      if (file === undefined) {
        const title = `The link to "${target}" leads nowhere`;
        findings.push({ kind: "link-dead", path, line, title, fix: "Name where the file is now" });
        continue;
      }
      if (anchor === "" || built || !texts.has(file)) continue;
      if (/^(?:top$|user-content-|L\d)/.test(anchor)) continue;
      if (anchorsOf(file).has(decoded(anchor))) continue;
      const title = `The link to "${target}" names no heading there`;
      findings.push({
        kind: "anchor-dead",
        path,
        line,
        title,
        fix: "Name the heading as it is now",
      });
    }
  }
  return findings;
}

/** Pages about this project; others are often data, and records tell of what was. */
function describes({ path, metadata }: Page): boolean {
  const place = !path.includes("/") || /^docs?\//.test(path) || /^readme\./i.test(nameOf(path));
  return place && !RECORD.test(path) && metadata?.skip.includes("commands") !== true;
}

const PROGRAMS = ["svc", ...TASK_PROGRAMS];

function commandFindings(
  { pages }: AuditedFiles,
  texts: ReadonlyMap<string, string>,
  commandFault: AuditQuery["commandFault"],
): Finding[] {
  const findings: Finding[] = [];
  for (const page of pages.filter(describes)) {
    for (const { words, line, elsewhere } of namedCommands(page.text, PROGRAMS)) {
      const rest = words.slice(1);
      const own = words[0] === "svc";
      if (rest.length === 0 || isPlaceholder(rest[0]!) || elsewhere && !own) continue;
      const fault = own ? commandFault(rest) : taskFault(texts, words);
      if (fault === undefined) continue;
      const title = `"${words.join(" ").slice(0, 120)}": ${fault}`;
      const kind = /^--|flag/.test(fault) ? "flag-unknown" : "command-unknown";
      findings.push({ kind, path: page.path, line, title, fix: "Name what the program has now" });
    }
  }
  return findings;
}

const ORDER = (one: Finding, other: Finding) =>
  one.path < other.path ? -1 : one.path > other.path ? 1 : (one.line ?? 0) - (other.line ?? 0);

/** Reads and changes nothing. @throws Failure as git does */
export async function audit(query: AuditQuery): Promise<Audit> {
  const [{ files, texts }, shallow] = await together(auditedFiles(query), query.repo.isShallow());
  const stale = shallow ? [] : await staleFindings(files, query);
  const findings = [
    ...pathFaults(files),
    ...missingMetadata(files),
    ...stale,
    ...linkFindings(files),
    ...commandFindings(files, texts, query.commandFault),
  ].sort(ORDER);
  const associated = files.code.length +
    files.pages.filter(({ metadata }) => metadata !== undefined).length;
  const notes = shallow
    ? ["The history is cut off (a shallow clone), so nothing tells which pages are stale"]
    : [];
  return { pages: files.pages.length, associated, findings, notes };
}
