import type { ScanFinding } from "svc/features/scanner/report.ts";
import assert from "node:assert/strict";
import { SCAN_OPEN_TICKETS } from "svc/core/bounds.ts";
import { RULES } from "svc/features/scanner/rules/all.ts";
import { ticketPlan } from "svc/features/scanner/write_tickets.ts";

const NONE = { fingerprints: new Set<string>() };

function broken(path: string, line: number): ScanFinding {
  return {
    ...{ rule: "docs-link-broken", severity: "medium", path, line, title: `Link ${line}` },
    ...{ fix: "Point the link elsewhere", fingerprint: `${path}${line}` },
  } as ScanFinding;
}

Deno.test("ticketPlan makes one ticket for a rule and top-level folder", () => {
  const findings = [broken("docs/a.md", 1), broken("docs/deep/b.md", 2), broken("README.md", 3)];
  const { drafts, held } = ticketPlan(findings, NONE);
  assert.equal(held, 0);
  assert.deepEqual(drafts.map(({ fingerprint, title }) => [fingerprint, title]), [
    ["scan:docs-link-broken:docs", "Broken links in docs in docs/ (2)"],
    ["scan:docs-link-broken:", "Link 3 (README.md:3)"],
  ]);
  const [first] = drafts;
  assert.equal(first!.priority, "p2");
  assert.equal(first!.type, "docs");
  assert.equal(first!.source, "scan:docs-link-broken");
  assert.deepEqual(first!.acceptance, ["svc scan finds no docs-link-broken in docs/"]);
  assert.match(first!.context!, /^- docs\/deep\/b\.md:2: Link 2$/m);
  assert.match(first!.context!, /^The way out: Point the link elsewhere$/m);
});

Deno.test("ticketPlan gives a gardener what it can mend by editing documents, and an engineer all else", () => {
  const roleFor = (rule: string) =>
    ticketPlan([{ ...broken("a.md", 1), rule } as ScanFinding], NONE).drafts[0]!.role;
  const gardened = RULES.map(({ id }) => id).filter((id) => roleFor(id) === "gardener");
  assert.deepEqual(gardened.sort(), [
    ...["agents-stale", "docs-anchor-broken", "docs-dead", "docs-link-broken", "docs-path-gone"],
    "env-undocumented",
  ]);
  // It has no tool that makes or removes a file, runs a package manager, or reaches settings.
  for (const id of ["readme-missing", "junk-tracked", "lockfile-missing", "image-unpinned"]) {
    assert.equal(roleFor(id), "engineer", id);
  }
});

Deno.test("ticketPlan lists some of many findings and counts the rest", () => {
  const findings = Array.from({ length: 300 }, (_, at) => broken("docs/a.md", at + 1));
  const { drafts } = ticketPlan(findings, NONE);
  assert.equal(drafts.length, 1);
  assert.match(drafts[0]!.context!, /^- and 280 more; `svc scan --json` lists them$/m);
});

Deno.test("ticketPlan holds back what is over the bound of open tickets, and never an open one", () => {
  const findings = Array.from({ length: 40 }, (_, at) => broken(`d${at}/a.md`, 1));
  const first = ticketPlan(findings, NONE);
  assert.equal(first.drafts.length, SCAN_OPEN_TICKETS);
  assert.equal(first.held, 40 - SCAN_OPEN_TICKETS);
  const open = new Set(first.drafts.map(({ fingerprint }) => fingerprint));
  const second = ticketPlan(findings, { fingerprints: open });
  assert.deepEqual(new Set(second.drafts.map(({ fingerprint }) => fingerprint)), open);
  assert.equal(second.held, first.held);
  open.delete("scan:docs-link-broken:d3");
  assert.equal(ticketPlan(findings, { fingerprints: open }).held, first.held);
});
