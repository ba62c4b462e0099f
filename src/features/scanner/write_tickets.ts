/** Turns the findings of a scan into few tickets, one for each rule and top-level folder. */
import { SCAN_OPEN_TICKETS } from "svc/core/bounds.ts";
import type { TicketDraft } from "svc/features/tickets/ticket_draft.ts";
import { listTickets } from "svc/features/tickets/ticket_list.ts";
import { createTickets } from "svc/features/tickets/tickets.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import type { ScanFinding, WrittenTickets } from "./report.ts";
import { RULES } from "./rules/all.ts";
import type { ScanRule, Severity } from "./rule.ts";

const SCAN_TICKET_LINES = 20;

interface TicketPlan {
  /** Worst first, including those that an open ticket already covers. */
  readonly drafts: readonly ScanDraft[];
  readonly held: number;
}

type ScanDraft = TicketDraft & { readonly fingerprint: string };

interface OpenTickets {
  readonly fingerprints: ReadonlySet<string>;
}

const PRIORITY: Record<Severity, TicketDraft["priority"]> = { high: "p1", medium: "p2", low: "p3" };

/** "" for the repo itself and files at its root. */
function topOf({ path = "" }: ScanFinding): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
}

function grouped(findings: readonly ScanFinding[]): ScanFinding[][] {
  const groups = new Map<string, ScanFinding[]>();
  for (const finding of findings) {
    const name = `${finding.rule}\0${topOf(finding)}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [finding]);
    else group.push(finding);
  }
  return [...groups.values()];
}

const lineNamed = ({ path, line }: ScanFinding) =>
  path === undefined ? "the repo" : line === undefined ? path : `${path}:${line}`;

function contextOf(rule: ScanRule, group: readonly ScanFinding[]): string {
  const listed = group.slice(0, SCAN_TICKET_LINES);
  const lines = listed.map((one) =>
    `- ${lineNamed(one)}: ${one.title}${one.detail === undefined ? "" : ` (${one.detail})`}`
  );
  const more = group.length - listed.length;
  if (more > 0) lines.push(`- and ${more} more; \`svc scan --json\` lists them`);
  const fixes = new Set(group.map(({ fix }) => fix));
  const way = fixes.size === 1 ? [...fixes][0]! : rule.fix;
  return [`${rule.about}. ${rule.why}`, "", ...lines, "", `The way out: ${way}`].join("\n");
}

/** Mended in documents that are there: a gardener makes no file, runs no command, and edits no code or settings. */
const GARDENED: ReadonlySet<string> = new Set([
  ...["agents-stale", "docs-link-broken", "docs-anchor-broken", "docs-path-gone", "docs-dead"],
  "env-undocumented",
]);

function draftOf(group: readonly ScanFinding[]): ScanDraft {
  const first = group[0]!;
  const rule = RULES.find(({ id }) => id === first.rule)!;
  const top = topOf(first);
  const where = top === "" ? "" : ` in ${top}/`;
  const single = group.length === 1 ? `${first.title} (${lineNamed(first)})` : "";
  return {
    title: single || `${rule.about}${where} (${group.length})`,
    type: rule.type,
    priority: PRIORITY[rule.severity],
    role: GARDENED.has(rule.id) ? "gardener" : "engineer",
    source: `scan:${rule.id}`,
    fingerprint: `scan:${rule.id}:${top}`,
    acceptance: [`svc scan finds no ${rule.id}${where}`],
    context: contextOf(rule, group),
  };
}

export function ticketPlan(findings: readonly ScanFinding[], open: OpenTickets): TicketPlan {
  let free = Math.max(0, SCAN_OPEN_TICKETS - open.fingerprints.size);
  const drafts: ScanDraft[] = [];
  let held = 0;
  for (const group of grouped(findings)) {
    const draft = draftOf(group);
    if (open.fingerprints.has(draft.fingerprint)) drafts.push(draft);
    else if (free > 0) {
      free--;
      drafts.push(draft);
    } else held++;
  }
  return { drafts, held };
}

const ACTOR = "scan";

/** @throws Failure of the ticket lifecycle, such as `conflict` while a merge is going on */
export async function writeTickets(
  checkout: Checkout,
  findings: readonly ScanFinding[],
  { dryRun }: { readonly dryRun: boolean },
): Promise<WrittenTickets> {
  const { tickets } = await listTickets(checkout);
  const open = tickets.filter(({ state, source }) =>
    state !== "done" && source.startsWith("scan:")
  );
  const fingerprints = new Set(open.flatMap(({ fingerprint }) => fingerprint ?? []));
  const { drafts, held } = ticketPlan(findings, { fingerprints });
  const { created, deduplicated, commit } = drafts.length === 0
    ? { created: [], deduplicated: [], commit: undefined }
    : await createTickets(checkout, drafts, { actor: ACTOR, dryRun });
  return {
    created: created.map(({ id, path, title, priority, source }) => ({
      id,
      path,
      title,
      priority,
      source,
    })),
    deduplicated: deduplicated.length,
    held,
    ...(commit !== undefined && { commit }),
    dry_run: dryRun,
  };
}
