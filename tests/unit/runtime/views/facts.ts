/** Facts of a board, made by hand: what is not said is as in a repo where nothing goes on. */
import { TicketHold } from "svc/features/tickets/ticket_hold.ts";
import { readManifest } from "svc/features/harness/manifest.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { RepoBoardFacts, ServiceFacts } from "svc/runtime/views/board_facts.ts";
import type { BoardFiles } from "svc/runtime/views/repo_files.ts";

export const NOW = Date.parse("2026-11-21T12:00:00Z");
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const REPO_ID = "0123456789ab";

export const MANIFEST = readManifest(`version: 1
project: { name: shop }
roles:
  orchestrator: { prompt: p.md, routes: { routed: { next: engineer } } }
  engineer: { prompt: p.md, trust: contributor, routes: { submitted: { next: qa, ticket: review } } }
  qa: { prompt: p.md, routes: { approved: { ticket: done, next: orchestrator } } }
`);
export const MANUAL = { ...MANIFEST, dispatch: { ...MANIFEST.dispatch, mode: "manual" as const } };

export function ticket(more: Partial<Ticket> = {}): Ticket {
  const id = more.id ?? "T-0001";
  const state = more.state ?? "backlog";
  return {
    ...{ id, state, title: `Do ${id}`, type: "bug", priority: "p1", role: "engineer" },
    ...{ created: "2026-11-21T09:00:00Z", updated: "2026-11-21T10:00:00Z", source: "human" },
    ...{ depends_on: [], acceptance: [], rework: 0, attempts: 0 },
    path: `docs/tickets/${state}/${id}-do.md`,
    ...more,
  };
}

let jobs = 0;

/** Pending, unless said otherwise; one that ended did so an hour ago. */
export function job(more: Partial<Job> = {}): Job {
  const { status = "pending" } = more;
  const ended = status === "completed" || status === "failed";
  const began = status === "pending" ? null : NOW - 2 * HOUR;
  return {
    id: `01a1ff0d-0000-7000-8000-${String(++jobs).padStart(12, "0")}`,
    ...{ repo_id: REPO_ID, role: "engineer", ticket_id: null, trigger: "route", payload: "{}" },
    ...{
      source_trust: "contributor",
      profile: "host",
      status,
      reason: null,
      category: null,
      crashes: 0,
    },
    disposition: ended ? (status === "completed" ? "reported" : "internal_error") : null,
    ...{ attempt: status === "pending" ? 0 : 1, max_attempts: 3, generation: 1 },
    ...{ run_after: NOW - HOUR, priority: 1, parallel: 0, cancel_requested: 0 },
    ...{ lease_owner: null, lease_until: null, heartbeat_at: null },
    ...{ created_at: NOW - 3 * HOUR, started_at: began, finished_at: ended ? NOW - HOUR : null },
    ...{ turns: 0, tokens_in: 0, tokens_out: 0, tool_calls: 0, lane: null, model: null },
    ...{ tokens_cached: 0, cost_basis: null, cost_usd: null, node_id: null, needs: null },
    ...{ evidence: null, head_commit: null, trace_path: null, caused_by: null, unique_key: null },
    ...more,
  };
}

export function settlement(more: Partial<Settlement> = {}): Settlement {
  return {
    ...{ id: "01a1ff0d-1111-7000-8000-000000000001", repo_id: REPO_ID, ticket_id: "T-0001" },
    ...{ decision_id: null, job_id: null, from_state: "review", to_state: "done", unblock: null },
    ...{ reason: "qa: fine", actor: "agent:qa", attempt: 0, state: "pending", waits_for: null },
    ...{ merge_from: "svc/T-0001-do", merge_into: "main", merge_commit: "a".repeat(40) },
    ...{ created_at: NOW - HOUR, settled_at: null, outcome: null, fault: null },
    ...more,
  };
}

export function service(more: Partial<ServiceFacts> = {}): ServiceFacts {
  return {
    ...{
      now: NOW,
      profile: "host",
      condition: "running",
      concurrency: 2,
      busy: 0,
      lanes: [],
      holds: [],
      reached: [],
      abilities: [],
    },
    ...{ dbFlag: "", models: ["http://127.0.0.1:1/v1#tiny"] },
    claims: { kind: "claiming" },
    ...more,
  };
}

interface Made extends Partial<Omit<RepoBoardFacts, "files">> {
  readonly files?: Partial<BoardFiles>;
  readonly manifest?: typeof MANIFEST | undefined;
  readonly problem?: string;
}

export function repo({ files, manifest = MANIFEST, problem, ...more }: Made = {}): RepoBoardFacts {
  return {
    ...{ id: REPO_ID, name: "shop", live: [], settlements: [] },
    ground: {
      ...{ repoId: REPO_ID, repoFlag: "", dbFlag: "", works: ["engineer"], judges: ["qa"] },
      models: ["http://127.0.0.1:1/v1#tiny"],
    },
    ...{ progress: new Map(), ofTicket: new Map(), ofRole: new Map(), blocks: new Map() },
    files: {
      ...{ branch: "main", manifest, problem },
      ...{ manifestAt: NOW - HOUR, fault: undefined, unread: undefined, readAt: NOW, lost: [] },
      ...{ tickets: [], broken: [], cycles: [], texts: new TicketHold() },
      ...files,
    },
    ...more,
  };
}
