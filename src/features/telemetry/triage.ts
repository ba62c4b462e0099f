/** Which tickets of the source repo repeated patterns ask for. Pure. */
import type { TicketDraft } from "svc/features/tickets/ticket_draft.ts";
import type { MinimizedPattern } from "./intake_store.ts";
import type { ReportCategory } from "./report_terms.ts";

/** Reports that show a pattern before it counts as repeated. */
export const TRIAGE_REPORTS = 2;

/** Tickets of one triage; the next one finds the rest. */
export const TRIAGE_TICKETS = 10;

const VERSIONS_LISTED = 5;

/** Mostly faults of servers and machines; svc can only meet them better. */
const ELSEWHERE: ReadonlySet<ReportCategory> = new Set<ReportCategory>([
  "model_unreachable",
  "rate_limited",
  "lease_expired",
]);

/** Always svc's own fault. */
const OWN: ReadonlySet<ReportCategory> = new Set<ReportCategory>(["internal", "model_protocol"]);

export type TriageDraft = TicketDraft & { readonly fingerprint: string };

const MODELS = {
  local: "with local models",
  cloud: "with cloud models",
  fixture: "with models that play back",
  none: "before a model was asked",
} as const;

export function draftOf(pattern: MinimizedPattern, days: number): TriageDraft {
  const { role, model, category, reports, jobs, versions } = pattern;
  const key = `${category}.${role}.${model}`;
  const listed = versions.slice(0, VERSIONS_LISTED).join(", ") || "unknown";
  return {
    title: `Find the cause of ${category} in jobs of ${role} ${MODELS[model]}, and mend it`,
    type: "bug",
    priority: OWN.has(category) ? "p1" : ELSEWHERE.has(category) ? "p3" : "p2",
    role: "engineer",
    source: `telemetry:${key}`,
    fingerprint: `telemetry:${key}`,
    acceptance: [
      "A test shows the cause, and fails without the change",
      `svc telemetry triage-foundation finds ${category} of ${role} in no report of the new version`,
    ],
    context: [
      `${reports} anonymous reports of the last ${days} days count ${jobs} jobs of ${role} that ` +
      `ended with ${category} ${MODELS[model]}.`,
      "",
      `Versions that saw it: ${listed}. A report holds counts alone: no sender, repo, prompt or ` +
      "error text is known.",
    ].join("\n"),
  };
}

/** Patterns that an open ticket names come too: they are counted as such when they are written. */
export function triageDrafts(
  patterns: readonly MinimizedPattern[],
  { days, open }: { readonly days: number; readonly open: ReadonlySet<string> },
): { readonly drafts: readonly TriageDraft[]; readonly held: number } {
  const all = patterns.map((pattern) => draftOf(pattern, days));
  const fresh = all.filter(({ fingerprint }) => !open.has(fingerprint));
  const chosen = new Set(fresh.slice(0, TRIAGE_TICKETS));
  return {
    drafts: all.filter((draft) => chosen.has(draft) || open.has(draft.fingerprint)),
    held: fresh.length - chosen.size,
  };
}
