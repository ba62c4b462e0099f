/** Roles, routes and cards of a busy pipeline. */
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { type ActionGround, assignAction } from "svc/runtime/inbox/actions.ts";
import { blockedActions, waitActions } from "svc/runtime/inbox/card_actions.ts";
import type { Card } from "svc/runtime/views/card.ts";
import type { NodeItem } from "svc/runtime/views/node_item.ts";
import type { Pipeline } from "svc/runtime/views/pipeline_view.ts";
import type { RepoBoard } from "svc/runtime/views/repo_boards.ts";
import { before, HARBOR, LEDGER } from "tests/kit/browser_facts.ts";

type RoleNode = RepoBoard["roles"][number];

const node = (role: string, given: Partial<RoleNode> = {}): RoleNode => ({
  ...{ role, state: "idle", tier: "standard", trust: "contributor", score: 84, samples: 41 },
  ...{ next: { at: null, why: "a route to it" }, job_id: null },
  ...given,
});

type Edge = RepoBoard["routes"][number];

const edge = (from: string, disposition: string, to: string | null, given: Partial<Edge> = {}) => ({
  ...{ from, disposition, to, ticket: null, stop: null, taken: 0 },
  ...given,
});

export const ROUTES: readonly Edge[] = [
  edge("ceo", "planned", "orchestrator", { taken: 1 }),
  edge("ceo", "no_work", null, { stop: "no work" }),
  edge("orchestrator", "routed", "engineer", { taken: 23 }),
  edge("orchestrator", "no_work", null, { stop: "nothing can be started", taken: 2 }),
  edge("engineer", "submitted", "qa", { ticket: "review", taken: 27 }),
  edge("engineer", "no_work", "qa", { ticket: "review" }),
  edge("engineer", "blocked", null, { ticket: "blocked", taken: 1 }),
  edge("qa", "approved", "orchestrator", { ticket: "done", taken: 19 }),
  edge("qa", "changes_requested", "engineer", { ticket: "in-progress", taken: 6 }),
  edge("gardener", "submitted", "qa", { ticket: "review", taken: 2 }),
  edge("gardener", "reported", "orchestrator"),
];

export function board(now: number, given: Partial<RepoBoard> = {}): RepoBoard {
  return {
    ...{ id: "r-harbor", basename: "harbor", branch: "main", mode: "routed", merge: "local" },
    problem: null,
    tickets: { backlog: 9, "in-progress": 2, review: 1, blocked: 1, done: 36 },
    roles: [
      node("ceo", {
        ...{ tier: "deep", score: null, samples: 3 },
        next: { at: before(now, -41 * 60), why: "cron 0 6 * * 1" },
      }),
      node("orchestrator", { score: 91, samples: 58 }),
      node("engineer", {
        state: "running",
        score: 78,
        job_id: "0199d2a4-9e00-7c01-8c33-aa0000000001",
      }),
      node("qa", {
        state: "queued",
        score: 88,
        samples: 36,
        next: { at: before(now, -0.2), why: "a job waits" },
      }),
      node("gardener", {
        ...{ tier: "small", trust: "observer", score: 62, samples: 12 },
        next: { at: before(now, -19 * 60), why: "cron 0 5 * * 3" },
      }),
    ],
    routes: [...ROUTES],
    waits: ["merge of T-0031 waits: main is checked out with changes"],
    ...given,
  };
}

export const boards = (now: number): RepoBoard[] => [
  board(now),
  board(now, {
    ...{ id: "r-ledger", basename: "ledger", merge: "pull_request", waits: [] },
    tickets: { backlog: 4, "in-progress": 1, review: 0, blocked: 1, done: 11 },
    roles: [
      node("engineer", { state: "paused", score: 41, samples: 14, next: null }),
      node("qa", { score: 80, samples: 11 }),
    ],
    routes: ROUTES.filter(({ from, to }) =>
      /engineer|qa/.test(from) && (to === null || /engineer|qa/.test(to))
    ),
  }),
];

export function card(now: number, given: Partial<Card> = {}): Card {
  return {
    ...{ key: "T-0042", zone: "working", ...HARBOR, ticket_id: "T-0042" },
    ...{ title: "Retry uploads that the harbour gate turned away", ticket_state: "in-progress" },
    ...{ priority: "p1", job_id: "0199d2a4-9e00-7c01-8c33-aa0000000001", role: "engineer" },
    ...{ model: "qwen3-coder-30b", turn: 7, max_turns: 50, step: "check_run deno task test" },
    ...{
      tokens: 61_200,
      why: "engineer works on it, attempt 1 of 3",
      action: null,
      question: null,
    },
    actions: [],
    since: before(now, 6),
    ...given,
  };
}

const still = { turn: null, max_turns: null, step: null, tokens: null, model: null } as const;

const GROUND: ActionGround = {
  ...{ repoId: HARBOR.repo_id, repoFlag: "", dbFlag: " --db ~/.svc-harness/db/svc.db" },
  ...{ works: ["engineer", "gardener"], judges: ["qa"] },
  models: ["http://127.0.0.1:11434/v1#qwen3-coder:30b"],
};

const TICKET = (id: string, state: Ticket["state"]): Ticket => ({
  ...{ id, state, title: id, type: "bug", priority: "p1", role: "engineer", source: "human" },
  ...{ created: "2026-11-20T09:00:00Z", updated: "2026-11-21T10:00:00Z", rework: 0, attempts: 0 },
  ...{ depends_on: [], acceptance: [], path: `docs/tickets/${state}/${id}.md` },
  branch: `svc/${id}`,
});

export const QUESTION: NonNullable<Card["question"]> = {
  ...{ asked: "Which of the two libraries may it be?", role: "engineer", job_id: "j-9" },
  choices: ["dinero.js", "currency.js, whose licence is not on the list"],
  why: "Both fit, and the ticket names none",
};

export function cards(now: number): Card[] {
  return [
    card(now, {
      ...{ key: "n1", zone: "needs_you", ticket_id: "T-0029", title: "Choose a currency library" },
      ...{ ticket_state: "blocked", priority: "p2", role: "engineer", job_id: null, ...still },
      ...{ why: '"engineer" asks: Which of the two libraries may it be?' },
      ...{ action: 'svc tickets answer T-0029 "…"', question: QUESTION },
      actions: [assignAction(GROUND, TICKET("T-0029", "blocked"))],
      since: before(now, 3 * 60),
    }),
    card(now, {
      ...{ key: "n2", zone: "needs_you", ticket_id: "T-0031", title: "Show the berth plan by day" },
      ...{ ticket_state: "review", priority: "p2", role: null, job_id: null, ...still },
      ...{ why: "approved; the merge waits because main is checked out with changes" },
      ...{ action: "Commit or stash the changes in main", since: before(now, 44) },
      actions: waitActions(GROUND, {
        owed: { waits_for: "", to_state: "done", merge_from: "b", merge_commit: "c".repeat(40) },
        wait: { kind: "dirty", subject: "src/berth.ts, notes.md", action: "" },
        ticket: TICKET("T-0031", "review"),
      }),
    }),
    card(now, {
      ...{ key: "f1", zone: "failing", ...LEDGER, ticket_id: "T-0007", role: "engineer", ...still },
      ...{ title: "Round half to even in the monthly statement", ticket_state: "blocked" },
      ...{ priority: "p1", why: "model_unreachable three times: connection refused" },
      ...{ action: "Start the model server at http://127.0.0.1:8080", since: before(now, 66) },
      actions: blockedActions(
        { ...GROUND, repoId: LEDGER.repo_id },
        TICKET("T-0007", "blocked"),
      ),
    }),
    card(now),
    card(now, {
      ...{
        key: "w2",
        ticket_id: "T-0040",
        title: "Say which check failed in the summary",
        turn: 22,
      },
      ...{
        role: "qa",
        step: "git_diff main...svc/T-0040",
        tokens: 148_000,
        since: before(now, 14),
      },
      ...{ why: "qa judges the change", ticket_state: "review", max_turns: 40 },
    }),
    ...["Keep the tide table for a year", "Cache the port register", "Name the crane in alarms"]
      .map((title, nth) =>
        card(now, {
          ...{ key: `q${nth}`, zone: "waiting", ticket_id: `T-004${3 + nth}`, title, ...still },
          ...{ ticket_state: "backlog", priority: "p3", role: null, job_id: null },
          why: nth === 0 ? "next in the backlog" : `behind T-004${2 + nth}`,
          since: before(now, 200 + nth * 90),
        })
      ),
    ...["Refuse a berth that is too short", "Log in UTC", "Speed up the arrivals query"]
      .map((title, nth) =>
        card(now, {
          ...{ key: `d${nth}`, zone: "done", ticket_id: `T-003${6 - nth}`, title, ...still },
          ...{ ticket_state: "done", role: "qa", why: "approved and merged into main" },
          since: before(now, 95 + nth * 170),
        })
      ),
  ];
}

export function pipeline(now: number, given: Partial<Pipeline> = {}): Pipeline {
  return {
    ...{ as_of: before(now, 0), shape: "serve", profile: "host", condition: "running" },
    ...{
      claims: "claiming",
      reason: null,
      held: null,
      started_at: before(now, 193),
      concurrency: 4,
    },
    jobs: { pending: 3, running: 2, completed: 212, failed: 14 },
    ...{ repos: boards(now), cards: cards(now), decided: [] },
    totals: { needs_you: 2, failing: 1, waiting: 13, working: 2, done: 3 },
    ...given,
  };
}

/** A team of four: one works, one cannot claim, one is drained, one has ended. */
export function team(now: number): NodeItem[] {
  const machine = (name: string, given: Partial<NodeItem> = {}): NodeItem => ({
    ...{ id: `n-${name}`, name, version: "0.2.0", schema: 29, machine: `${name}.example.org` },
    ...{ condition: "working", why: null, running: 0, concurrency: 4, models: [], abilities: [] },
    ...{ started_at: before(now, 193), beat_at: before(now, 0.05), beat_age_secs: 3 },
    ...{ ended_at: null, ...given },
  });
  return [
    machine("north", { running: 2, models: ["claude-opus-4-5"] }),
    machine("build-machine-of-the-harbour-7", {
      condition: "waiting",
      why: "the database was migrated by svc of a newer schema (30, this one knows 29)",
    }),
    machine("south", { condition: "drained", why: "drained by Ada: to version 0.3" }),
    machine("west", {
      ...{ condition: "ended", machine: null, ended_at: before(now, 40) },
      why: "stopped by Ada",
    }),
  ];
}
