/** Facts of an empty repo, and what else a start may find in one. */
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { OwnedJob, StartFacts, UnfollowedDecision } from "svc/runtime/start/facts.ts";
import { manifestOf } from "./trigger_kit.ts";

export const ROLES = `
ceo: { prompt: p.md, triggers: [{ on: bootstrap }], routes: { planned: { next: orchestrator } } }
orchestrator: { prompt: p.md, routes: { routed: { next: engineer } } }
engineer: { prompt: p.md, routes: { submitted: { ticket: review, next: qa }, blocked: { ticket: blocked } } }
qa: { prompt: p.md, routes: { approved: { ticket: done, next: orchestrator } } }`;
export const NOW = Date.parse("2026-11-21T10:00:00Z");
export const ID = "0123456789ab";

export const FACTS: StartFacts = {
  now: NOW,
  profile: "host",
  flags: { newLifecycle: false, force: false },
  repo: { id: ID, root: "/shop", branch: "main" },
  manifest: manifestOf(ROLES),
  problem: undefined,
  database: "/home/ada/.svc/db/shop/svc.db",
  checkout: { branch: "main", gone: false, operation: undefined, uncommitted: 0 },
  obstacles: [],
  absent: [],
  otherStart: undefined,
  paused: undefined,
  jobs: [],
  settlements: [],
  waived: false,
  mendable: new Set(),
  tickets: [],
  broken: [],
  cycles: [],
  lastJobAt: new Map(),
  committedAt: new Map(),
  lost: [],
  unfollowed: [],
};

export const ticket = (state: Ticket["state"], more: Partial<Ticket> = {}): Ticket => {
  const id = more.id ?? "T-0001";
  return {
    ...{ id, title: "Mend it", type: "bug", priority: "p1", role: "engineer", state },
    ...{ created: "2026-11-21T09:00:00Z", updated: "2026-11-21T09:00:00Z", source: "human" },
    ...{ depends_on: [], acceptance: [], rework: 0, attempts: 0 },
    path: `docs/tickets/${state}/${id}.md`,
    ...(state === "blocked" && { unblock: { owner: "ada", action: "say which" } }),
    ...more,
  };
};

export const job = (more: Partial<OwnedJob> = {}): OwnedJob => ({
  ...{ id: "job-1", role: "engineer", ticket_id: "T-0001", status: "pending", trigger: "route" },
  unique_key: `${ID}:${more.role ?? "engineer"}:${more.ticket_id ?? "T-0001"}`,
  owner: "none",
  ...more,
});

export const decision = (more: Partial<UnfollowedDecision> = {}): UnfollowedDecision => ({
  ...{ id: "decision-1", at: NOW - 60_000, role: "engineer", ticket_id: "T-0001" },
  ...{ disposition: "submitted", next_role: "qa", to: "review", rehearsal: false },
  ...{ chosen: undefined, branch: undefined, source_trust: "contributor" },
  ...more,
});

type Owed = StartFacts["settlements"][number];
export const settlement = (more: Partial<Owed> = {}): Owed => ({
  ...{ id: "s-1", ticket_id: "T-0001", to_state: "review", waits_for: null, merge_from: null },
  ...more,
});
