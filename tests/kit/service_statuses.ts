/** Statuses of a living service, as its terminal and its API may meet them. */
import type { RepoStatus, ServiceStatus } from "svc/runtime/service/plan.ts";

export const NOW = Date.UTC(2026, 10, 21, 16, 0, 0);
const MIN = 60_000;

const NO_TICKETS: RepoStatus["tickets"] = {
  backlog: 0,
  "in-progress": 0,
  review: 0,
  done: 0,
  blocked: 0,
};

export function repoStatus(name: string, some: Partial<RepoStatus> = {}): RepoStatus {
  return {
    ...{ id: `id-of-${name}`, basename: name, root: `/home/ada/work/${name}`, branch: "main" },
    ...{ problem: undefined, tickets: NO_TICKETS, questions: [], next: [] },
    ...some,
  };
}

/** Nothing has happened yet. */
export function quiet(some: Partial<ServiceStatus> = {}): ServiceStatus {
  return {
    ...{ asOf: NOW, shape: "start", profile: "host", condition: "running", healthy: true },
    ...{ startedAt: NOW - 3000, claims: "claiming", reason: undefined, concurrency: 2 },
    ...{
      running: [],
      checking: [],
      watchedAt: undefined,
      waits: [],
      holds: [],
      overBudget: [],
      heldBack: [],
      decisions: [],
    },
    jobs: { pending: 0, running: 0, completed: 0, failed: 0 },
    repos: [repoStatus("shop")],
    ...some,
  };
}

const DECISIONS: ServiceStatus["decisions"] = [
  {
    ...{ id: "d4", at: NOW - 50_000, repoId: "id-of-shop", role: "qa", ticket: "SHOP-9" },
    ...{ disposition: "changes_requested", move: "in-progress", nextRole: "engineer" },
    ...{ stop: null, applied: true },
  },
  {
    ...{ id: "d3", at: NOW - 7 * MIN, repoId: "id-of-shop", role: "engineer", ticket: "SHOP-9" },
    ...{ disposition: "submitted", move: "review", nextRole: "qa", stop: null, applied: true },
  },
  {
    ...{ id: "d2", at: NOW - 31 * MIN, repoId: "id-of-shop", role: "engineer", ticket: "SHOP-4" },
    ...{ disposition: "blocked", move: "blocked", nextRole: null, applied: true },
    stop: "a person decides which payment provider is used",
  },
  {
    ...{ id: "d1", at: NOW - 95 * MIN, repoId: "id-of-shop", role: "orchestrator", ticket: null },
    ...{ disposition: "routed", move: null, nextRole: "engineer", stop: null, applied: false },
  },
];

const RUNNING: ServiceStatus["running"] = [
  {
    ...{ job: "j1", repo: "id-of-shop", role: "engineer", ticket: "SHOP-9", attempt: 2, turn: 14 },
    ...{ step: "runs deno test -A tests/checkout_test.ts", ageMs: 4 * MIN },
  },
  {
    ...{ job: "j2", repo: "id-of-shop", role: "ceo", ticket: null, attempt: 1, turn: 0 },
    ...{ step: "asks the model", ageMs: 2300 },
  },
];

const SHOP = repoStatus("shop", {
  tickets: { backlog: 12, "in-progress": 1, review: 2, done: 31, blocked: 0 },
  next: [
    { role: "ceo", at: NOW + 12 * MIN, why: "schedule 0 * * * *" },
    { role: "janitor", at: NOW + 9 * 60 * MIN, why: "schedule 0 1 * * *" },
    { role: "qa", at: undefined, why: "a ticket comes into review" },
  ],
});

export function busy(some: Partial<ServiceStatus> = {}): ServiceStatus {
  return quiet({
    ...{ startedAt: NOW - 134 * MIN, running: RUNNING, decisions: DECISIONS, repos: [SHOP] },
    jobs: { pending: 3, running: 2, completed: 40, failed: 2 },
    ...some,
  });
}

const TROUBLES = {
  claims: "paused",
  reason: 'The disk of "/home/ada/.svc/worktrees" has 312 MB left',
  healthy: false,
  waits: [{
    repo: "/home/ada/work/shop",
    id: "s1",
    why: "the checkout has changes of yours in src/cart.ts: commit or stash them",
  }],
} as const;

export function troubled(some: Partial<ServiceStatus> = {}): ServiceStatus {
  return busy({
    ...TROUBLES,
    repos: [{
      ...SHOP,
      tickets: { ...SHOP.tickets, blocked: 2 },
      problem: 'The manifest is not valid: roles.qa.routes.approved names "enginer" (line 41)',
    }],
    ...some,
  });
}

/** A service with many repos, some of which have more to do than others. */
export function manyRepos(count: number): RepoStatus[] {
  return Array.from({ length: count }, (_, at) => {
    const tickets = { ...NO_TICKETS, backlog: at % 5, done: at * 3, blocked: at % 7 === 6 ? 1 : 0 };
    const next = at % 2 === 0 ? [] : [{ role: "ceo", at: NOW + at * MIN, why: "schedule @hourly" }];
    const problem = at % 9 === 8 ? "The folder is gone" : undefined;
    return repoStatus(`service-${at + 1}`, { tickets, next, problem });
  });
}

export const serving = {
  quiet: () => quiet({ shape: "serve", repos: [], profile: "observer" }),
  busy: () => busy({ shape: "serve", repos: [SHOP, ...manyRepos(5)] }),
  troubled: () => troubled({ shape: "serve", repos: [...troubled().repos, ...manyRepos(40)] }),
};
