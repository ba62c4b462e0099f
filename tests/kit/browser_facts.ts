/** Jobs, decisions and events as a busy service would tell them, for browser tests and pictures. */
import type { DecisionItem } from "svc/runtime/views/decision_item.ts";
import type { EventItem } from "svc/runtime/views/event_item.ts";
import type { JobItem } from "svc/runtime/views/job_item.ts";
import type { RepoItem } from "svc/runtime/views/repos_view.ts";

const MINUTE = 60_000;

/** RFC 3339, so many minutes before `now`; negative ones are ahead. */
export const before = (now: number, minutes: number): string =>
  new Date(now - minutes * MINUTE).toISOString();

export const REPOS: readonly RepoItem[] = [
  { id: "r-harbor", basename: "harbor" },
  { id: "r-ledger", basename: "ledger" },
];
export const HARBOR = { repo_id: "r-harbor", repo: "harbor" };
export const LEDGER = { repo_id: "r-ledger", repo: "ledger" };

export function job(now: number, given: Partial<JobItem> = {}): JobItem {
  return {
    ...{ id: "0199d2a4-7c11-7e52-9a1b-3f00c2d41e07", ...HARBOR, role: "engineer" },
    ...{ ticket_id: "T-0042", trigger: "route", status: "completed", disposition: "submitted" },
    ...{ category: null, reason: "All 214 tests pass; the retry is bounded to three", attempt: 1 },
    ...{ max_attempts: 3, created_at: before(now, 16), run_after: before(now, 16) },
    ...{ started_at: before(now, 15), finished_at: before(now, 4), duration_secs: 660, turns: 18 },
    ...{ tool_calls: 31, tokens_in: 182_400, tokens_out: 9_300, model: "gpt-5.1-codex" },
    ...{ tokens_cached: 151_000, cost_basis: "price", cost_usd: 0.151125 },
    ...{ evidence: "live", commit: "4be1c09d77a2f5b8e6a1", caused_by: null },
    ...given,
  };
}

/** Jobs that differ as real ones do, newest first. */
export function jobs(now: number, count: number): JobItem[] {
  const roles = ["engineer", "qa", "orchestrator", "engineer", "gardener", "qa", "ceo"];
  return Array.from({ length: count }, (_, nth) => {
    const role = roles[nth % roles.length]!;
    const failed = nth % 9 === 5;
    const ends = nth * 7 + 6;
    return job(now, {
      id: `0199d2a4-${(0x7c11 - nth % 0x7000).toString(16)}-7e52-9a1b-${
        String(count - nth).padStart(12, "0")
      }`,
      ...(nth % 4 === 3 ? LEDGER : HARBOR),
      role,
      ticket_id: role === "ceo" || role === "gardener" ? null : `T-00${42 - nth % 30}`,
      trigger: role === "ceo" ? "cron" : role === "gardener" ? "scan_complete" : "route",
      status: failed ? "failed" : "completed",
      disposition: failed
        ? "model_error"
        : role === "qa"
        ? nth % 2 === 0 ? "changes_requested" : "approved"
        : role === "engineer"
        ? "submitted"
        : role === "orchestrator"
        ? "routed"
        : "reported",
      category: failed ? "model_unreachable" : null,
      reason: failed
        ? "Cannot reach http://127.0.0.1:8080/v1: connection refused"
        : role === "qa"
        ? "The new test fails without the change"
        : null,
      created_at: before(now, ends + 14),
      started_at: before(now, ends + 12),
      finished_at: before(now, ends),
      duration_secs: 60 * (3 + nth % 11) + nth % 50,
      tokens_in: 20_000 + (nth * 7919) % 190_000,
      tokens_out: 900 + (nth * 613) % 9_000,
    });
  });
}

export function decision(now: number, given: Partial<DecisionItem> = {}): DecisionItem {
  return {
    ...{ id: "d-1", at: before(now, 4), ...HARBOR },
    ...{ job_id: "0199d2a4-7c11-7e52-9a1b-3f00c2d41e07", role: "engineer", ticket_id: "T-0042" },
    ...{ disposition: "submitted", rule: "engineer.routes.submitted" },
    inputs: {
      commit: "4be1c09d",
      checks: "deno task test: passed",
      files_changed: 3,
      secret_scan: "clean",
      rework: 0,
    },
    alternatives: [
      { rule: "engineer.routes.no_work", why: "there is a commit" },
      { rule: "checks_failed", why: "the checks passed on the commit itself" },
    ],
    ...{ move: "in-progress → review", next_role: "qa", stop: null, applied: true },
    next_job: "0199d2a4-8d20-7001-8c33-aa00c2d41e55",
    ...given,
  };
}

export function decisions(now: number): DecisionItem[] {
  return [
    decision(now),
    decision(now, {
      ...{ id: "d-2", at: before(now, 21), role: "qa", disposition: "changes_requested" },
      ...{ ticket_id: "T-0039", rule: "qa.routes.changes_requested", next_role: "engineer" },
      ...{ move: "review → in-progress" },
    }),
    decision(now, {
      ...{ id: "d-3", at: before(now, 38), role: "orchestrator", disposition: "routed" },
      ...{ ticket_id: "T-0042", rule: "orchestrator.routes.routed", next_role: "engineer" },
      ...{ move: "backlog → in-progress" },
    }),
    decision(now, {
      ...{ id: "d-4", at: before(now, 52), role: "gardener", disposition: "no_work" },
      ...{ ticket_id: null, rule: "gardener.routes.no_work", next_role: null, next_job: null },
      ...{ move: null, stop: "documents are right" },
    }),
    decision(now, {
      ...{ id: "d-5", at: before(now, 66), role: "engineer", disposition: "stuck", ...LEDGER },
      ...{ ticket_id: "T-0007", rule: "failure: attempts are used up", next_role: null },
      ...{ next_job: null, move: "in-progress → blocked", stop: "attempts are used up" },
    }),
    decision(now, {
      ...{ id: "d-6", at: before(now, 95), role: "qa", disposition: "approved" },
      ...{ ticket_id: "T-0036", rule: "qa.routes.approved", next_role: "orchestrator" },
      ...{ move: "review → done" },
    }),
  ];
}

export function event(now: number, nth: number, given: Partial<EventItem> = {}): EventItem {
  return {
    ...{ id: 5_000 - nth, at: before(now, nth * 0.7), repo_id: "r-harbor" },
    ...{ job_id: "0199d2a4-7c11-7e52-9a1b-3f00c2d41e07" },
    ...nth % 3 === 0
      ? { type: "status_change", data: { state: "running" } }
      : { type: "job_update", data: { role: "engineer", status: "running", turn: 40 - nth } },
    ...given,
  };
}
