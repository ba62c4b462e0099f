/** Prints what a scan found: a table for each severity, which lists the first findings of each rule. */
import type { ScanFinding, ScanReport, WrittenTickets } from "svc/features/scanner/report.ts";
import { SCAN_OPEN_TICKETS } from "svc/core/bounds.ts";
import { SEVERITIES, type Severity } from "svc/features/scanner/rule.ts";
import type { Note } from "./annotations.ts";
import type { Page, Tone } from "./page.ts";

const TONES: Record<Severity, Tone> = { high: "bad", medium: "warn", low: "dim" };
/** Findings of one rule that the page lists; the rest is counted. `--json` has all. */
const LISTED = 10;

const count = (many: number, one: string) => `${many} ${many === 1 ? one : `${one}s`}`;

function placeOf({ path, line }: ScanFinding): string {
  return path === undefined ? "." : line === undefined ? path : `${path}:${line}`;
}

const LEVELS = { high: "error", medium: "warning", low: "note" } as const;

/** For programs that show gaps beside the code. */
export function noteOf({ rule, severity, path, line, title, fix, fingerprint }: ScanFinding): Note {
  return {
    rule,
    level: LEVELS[severity],
    text: `${title}. ${fix}`,
    fingerprint,
    ...(path !== undefined && { path }),
    ...(path !== undefined && line !== undefined && { line }),
  };
}

/** Findings that read alike, such as keys with one beginning on a long line, are one row. */
function rows(findings: readonly ScanFinding[]): string[][] {
  const rows: string[][] = [];
  for (const [rule, own] of Map.groupBy(findings, ({ rule }) => rule)) {
    const alike = Map.groupBy(own, (finding) => JSON.stringify([placeOf(finding), finding.title]));
    const listed = [...alike.values()].slice(0, LISTED);
    for (const [first, ...others] of listed) {
      const times = others.length === 0 ? "" : ` (${others.length + 1} times)`;
      rows.push([rule, placeOf(first!), `${first!.title}${times}`]);
    }
    const rest = own.length - listed.flat().length;
    if (rest > 0) rows.push([rule, "…", `${rest} more; --json lists them`]);
  }
  return rows;
}

function summary({ findings, counts: { files, read, rules, undated } }: ScanReport): string {
  const parts = [
    `${count(files, "file")}, ${count(read, "file")} read`,
    `${rules} rules`,
    undated > 0 && `TODOs of ${count(undated, "file")} are dated by the next scan`,
  ];
  const verdict = findings.length === 0 ? "no gaps found" : count(findings.length, "gap");
  return [verdict, ...parts.filter((part) => part)].join(" · ");
}

function showTickets(
  { created, deduplicated, held, commit, dry_run }: WrittenTickets,
  page: Page,
): void {
  for (const { id, priority, title } of created) page.line(`${id}  ${priority}  ${title}`);
  const many = count(created.length, "ticket");
  const verb = dry_run ? "would be created" : "created";
  const where = commit === undefined ? "" : `, in commit ${commit.slice(0, 12)}`;
  page.line(
    `${many} ${verb}${where} · ${deduplicated} deduplicated: open already`,
  );
  if (held > 0) {
    page.line(
      `${
        count(held, "group")
      } of gaps held back: ${SCAN_OPEN_TICKETS} tickets of scans are open; ` +
        "finish some, then scan again",
    );
  }
}

export function showScan(report: ScanReport, page: Page): void {
  const { findings, tickets } = report;
  for (const severity of SEVERITIES) {
    const some = findings.filter((finding) => finding.severity === severity);
    if (some.length === 0) continue;
    page.heading(page.tone(TONES[severity], `${severity} (${some.length})`));
    page.table(["rule", "place", "gap"], rows(some));
    page.line();
  }
  page.line(summary(report));
  if (tickets !== undefined) showTickets(tickets, page);
  const first = findings[0];
  if (first === undefined) return;
  const [ticket] = tickets?.created ?? [];
  if (tickets === undefined) page.next(`${first.fix}; or all as tickets: svc scan --tickets`);
  else if (ticket !== undefined && !tickets.dry_run) page.next(`svc tickets show ${ticket.id}`);
}
