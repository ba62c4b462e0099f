/** An answer of each reader, with something in every list that spec section 4.3 names. */
import type { Reads } from "svc/runtime/views/all.ts";
import type { CostsAnswer } from "svc/runtime/views/costs_view.ts";
import type { Debug } from "svc/runtime/views/debug_view.ts";
import type { DecisionItem } from "svc/runtime/views/decision_item.ts";
import type { EventItem } from "svc/runtime/views/event_item.ts";
import type { Evolution } from "svc/runtime/views/evolution_view.ts";
import type { JobItem } from "svc/runtime/views/job_item.ts";
import type { StepItem } from "svc/runtime/views/job_trace_view.ts";
import type { Pipeline } from "svc/runtime/views/pipeline_view.ts";
import type { RepoBoard } from "svc/runtime/views/repo_boards.ts";
import type { Review } from "svc/runtime/views/review_view.ts";
import type { RoleHealth } from "svc/runtime/views/roles_view.ts";
import type { Throughput } from "svc/runtime/views/throughput_view.ts";
import type { TicketTemplates } from "svc/runtime/views/ticket_templates_view.ts";
import type { TicketPage } from "svc/runtime/views/ticket_view.ts";
import type { Tickets } from "svc/runtime/views/tickets_view.ts";

const AT = "2026-11-21T10:00:00.000Z";
const REPO = { repo_id: "r1", repo: "shop" };

export const JOB: JobItem = {
  ...{ id: "j1", ...REPO, role: "engineer", ticket_id: "T-0001", trigger: "manual" },
  ...{ status: "completed", disposition: "submitted", category: null, reason: null },
  ...{ attempt: 1, max_attempts: 3, created_at: AT, run_after: AT, started_at: AT },
  ...{ finished_at: AT, duration_secs: 12, turns: 3, tool_calls: 4, tokens_in: 5, tokens_out: 6 },
  ...{ model: "m", evidence: "fixture", commit: null, caused_by: null },
  ...{ tokens_cached: 0, cost_basis: "fixture", cost_usd: null },
};

const DECISION: DecisionItem = {
  ...{ id: "d1", at: AT, ...REPO, job_id: "j1", role: "engineer", ticket_id: "T-0001" },
  ...{ disposition: "submitted", rule: "submitted", inputs: { checks: "passed" } },
  alternatives: [{ rule: "done", why: "a review is wanted" }],
  ...{ move: "in-progress → review", next_role: "qa", next_job: "j2", stop: null, applied: true },
};

const EVENT: EventItem = {
  ...{ id: 1, at: AT, type: "job_update", repo_id: "r1", job_id: "j1" },
  data: { id: "j1", status: "completed" },
};

const STEP: StepItem = {
  ...{ step: 0, kind: "reply", turn: 1, at: AT, title: "Turn 1", duration_ms: 5, notes: ["odd"] },
  texts: [{ part: "text", name: "model", text: "well", chars: 8 }],
  calls: [{
    ...{ tool: "file_read", brief: "a.txt", status: "ok", duration_ms: 1 },
    args: { part: "args.0", name: "arguments", text: "path: a.txt", chars: 11 },
    result: { part: "result.0", name: "output", text: "one", chars: 3 },
  }],
  tokens: { in: 1, out: 1, cached: 0 },
};

const BOARD: RepoBoard = {
  ...{ id: "r1", basename: "shop", branch: "main", mode: "auto", merge: "local", problem: null },
  tickets: { backlog: 1 },
  roles: [{
    ...{ role: "engineer", state: "idle", tier: "standard", trust: "contributor" },
    ...{ score: null, samples: 1, next: { at: AT, why: "cron" }, job_id: null },
  }],
  routes: [{
    ...{ from: "engineer", disposition: "submitted", to: "qa", ticket: "review", stop: null },
    taken: 1,
  }],
  waits: [],
};

const pipeline: Pipeline = {
  ...{ as_of: AT, shape: "serve", profile: "host", condition: "running", claims: "claiming" },
  ...{ reason: null, held: null, started_at: AT, concurrency: 2, repos: [BOARD], cards: [] },
  decided: [],
  jobs: { pending: 0, running: 0, completed: 1, failed: 0 },
  totals: { needs_you: 0, failing: 0, waiting: 0, working: 0, done: 1 },
};

const roles: RoleHealth = {
  roles: [{
    ...{ ...REPO, role: "engineer", tier: "standard", score: 70.1, upper: 98.2, samples: 9 },
    ...{ successes: 8, failures: 1, trend: null, trust: "contributor", trust_source: "manifest" },
    ...{ window_days: 30, categories: [{ category: "timeout", count: 1 }] },
    ...{ audit: [], median_secs: 12, tokens: 11, last_job: "j1", last_at: AT },
    ...{ cost_basis: "fixture", cost_usd: null, cost_unknown: 0 },
  }],
};

const throughput: Throughput = {
  hourly: [{ hour: AT, completed: 1, failed: 0, started: 1, tokens: 11 }],
  recent_jobs: [JOB],
  summary: {
    longest_waits: [{
      ...{ ...REPO, ticket_id: "T-0001", title: "Mend the pump", state: "blocked" },
      ...{ zone: "needs_you", why: "qa asks", since: AT, secs: 60 },
    }],
    ...{ window_hours: 24, pending: 0, running: 0, completed: 1, failed: 0, tickets_done: 1 },
    ...{ lead_time_secs: { median: 60, p90: 60 }, rework_rate: 0, tokens: 11 },
    ...{ work_time_secs: { median: 30, p90: 30 }, ticket_days: 1 },
    ...{ cost_basis: "price", cost_usd: 0.5, cost_unknown: 1 },
    ...{ tokens_per_accepted_ticket: 11, queue_age_secs: null },
  },
};

const evolution: Evolution = {
  evolutions: [{
    ...{ at: AT, kind: "trust", ...REPO, role: "engineer", what: "contributor to observer" },
    ...{ who: "ada", reason: "trial", evidence: null },
  }],
  telemetry: [{ day: "2026-11-21", category: "timeout", count: 1 }],
  patterns: [{
    ...{ key: "k", ...REPO, role: "engineer", category: "timeout", signature: "took too long" },
    ...{ count: 3, first_at: AT, last_at: AT, last_job: "j1", advice: "Raise the timeout" },
  }],
};

const debug: Debug = {
  ...{ timeline: [EVENT], webhooks: [], wishes: { waiting: 0, failing: 0 }, denials: [] },
  ...{ errors: [JOB], lanes: [], logs: "~/.svc/traces/logs", log: "20261121-100000-serve.log" },
};

const ticket: TicketPage = {
  ticket: {
    ...{ id: "T-0001", ...REPO, title: "Mend the pump", state: "review", type: "bug" },
    ...{ priority: "p1", path: "docs/tickets/review/T-0001-mend.md", role: null, source: "manual" },
    ...{ depends_on: [], acceptance: ["It pumps"], rework: 0, attempts: 1, branch: null },
    ...{ external_url: null, unblock: null, question: null, body: "It drips." },
    ...{ created: "2026-11-21T10:00:00Z", updated: "2026-11-21T10:00:00Z" },
    ...{ cost_basis: "fixture", cost_usd: null, cost_unknown: 0 },
    ...{ text: "---\nid: T-0001\n---\nIt drips.\n", version: "v1", text_fault: null },
    ...{ moves: ["done", "in-progress", "blocked"], waits_for: [], awaited_by: [] },
  },
  ...{ jobs: [JOB], decisions: [DECISION] },
};

const USED: CostsAnswer["total"] = {
  ...{ jobs: 1, turns: 3, tokens_in: 5, tokens_cached: 0, tokens_out: 6, tokens_local: 0 },
  ...{ tokens_unknown: 0, cost_basis: "price", cost_usd: 0.5, cost_unknown: 0 },
};

const costs: CostsAnswer = {
  ...{ by: "day", zone: "UTC", days: 1, from: "2026-11-21", to: "2026-11-21", left_out: 0 },
  rows: [{ key: "2026-11-21", repo_id: null, repo: null, ...USED }],
  total: USED,
};

const tickets: Tickets = {
  as_of: AT,
  tickets: [{
    ...{ id: "T-0001", ...REPO, title: "Mend the pump", state: "review", type: "bug" },
    ...{ priority: "p1", role: "engineer", source: "human", created: AT, updated: AT },
    path: "docs/tickets/review/T-0001-mend.md",
    ...{ depends_on: ["T-0002"], waits_for: [{ id: "T-0002", state: "backlog" }], asks: false },
    ...{ job_id: "j1", job_status: "running", excerpt: "It drips." },
  }],
  total: 1,
  counts: { backlog: 0, "in-progress": 0, review: 1, done: 0, blocked: 0 },
  next: null,
  broken: [{
    ...{ ...REPO, path: "docs/tickets/done/T-0009.md", id: "T-0009", reason: "no ticket" },
    remedy: "Mend it",
  }],
  broken_total: 1,
  unread: [],
};

const templates: TicketTemplates = {
  templates: [{
    ...{ name: "bug", about: "Something is wrong", title: "", type: "bug", priority: "p1" },
    ...{ role: "engineer", acceptance: ["A test shows it"], text: "**What happens:**" },
    path: null,
  }],
  broken: [{ path: ".harness/ticket-templates/x.md", reason: "no template", remedy: "Mend it" }],
};

const now = <T>(value: T) => () => Promise.resolve(value);

const review: Review = {
  ...{ ticket_id: "T-0001", branch: "svc/T-0001-do", into: "main", commit: "c".repeat(40) },
  ...{ diff: "diff --git a/a b/a\n", diff_cut: false, checks: "passed", said: "it is done" },
};

export const READS: Reads = {
  review: ({ ticket_id }) => Promise.resolve(ticket_id === "T-0001" ? review : undefined),
  repos: now([{ id: "r1", basename: "shop" }]),
  "repo-roles": ({ repo_id }) => Promise.resolve(repo_id === "r1" ? ["engineer", "qa"] : undefined),
  pipeline: now(pipeline),
  orchestration: now({
    repos: [BOARD],
    dispositions: [{
      ...{ role: "engineer", disposition: "submitted", count: 1, last_at: AT, last_job: "j1" },
    }],
    decisions: [DECISION],
  }),
  "orchestration/decisions": ({ repo_id = "r1" } = {}) =>
    Promise.resolve(repo_id === "r1" ? { decisions: [DECISION] } : undefined),
  jobs: (query) => Promise.resolve({ jobs: query?.role === "qa" ? [] : [JOB], before: null }),
  job: ({ id }) =>
    Promise.resolve(
      id !== "j1" ? undefined : {
        ...{ job: JOB, task: null, branch: null, decisions: [DECISION], denials: [], checks: [] },
        ...{ turns: [], diff: null, diff_cut: false, missing: [] },
      },
    ),
  "job-trace": ({ id }) =>
    Promise.resolve(
      id === "j1" ? { steps: [STEP], total: 1, bytes: 99, live: false, missing: [] } : undefined,
    ),
  "job-trace-text": ({ id }) =>
    Promise.resolve(id === "j1" ? { text: "more", from: 4, chars: 8 } : undefined),
  ticket: ({ repo_id, id }) =>
    Promise.resolve(repo_id === "r1" && id === "T-0001" ? ticket : undefined),
  tickets: ({ repo_id = "r1" } = {}) => Promise.resolve(repo_id === "r1" ? tickets : undefined),
  "ticket-templates": ({ repo_id }) => Promise.resolve(repo_id === "r1" ? templates : undefined),
  debug: now(debug),
  telemetry: now({
    events: [EVENT],
    stats: { window_hours: 24, total: 1, categories: { timeout: 1 }, types: { job_update: 1 } },
  }),
  evolution: now(evolution),
  roles: now(roles),
  throughput: now(throughput),
  costs: ({ days } = {}) => Promise.resolve(days === "0" ? undefined : costs),
  "quality-score": now("# Quality\n"),
};
