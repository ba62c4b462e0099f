/** All readers of the API over the facts of a busy service; each may be replaced. */
import type { Reads } from "svc/runtime/views/all.ts";
import type { CostsAnswer } from "svc/runtime/views/costs_view.ts";
import type { Debug } from "svc/runtime/views/debug_view.ts";
import type { Evolution } from "svc/runtime/views/evolution_view.ts";
import type { RoleHealth } from "svc/runtime/views/roles_view.ts";
import type { Throughput } from "svc/runtime/views/throughput_view.ts";
import { boards, pipeline } from "tests/kit/browser_board.ts";
import * as facts from "tests/kit/browser_facts.ts";
import { DIFF, jobPage, ticketPage } from "tests/kit/browser_pages.ts";
import { manyTickets, ticketShelf } from "tests/kit/browser_tickets.ts";
import { jobSteps, jobTrace } from "tests/kit/browser_trace.ts";

const { before, HARBOR } = facts;

export function roles(now: number): RoleHealth {
  const role = (
    name: string,
    given: Partial<RoleHealth["roles"][number]>,
  ): RoleHealth["roles"][number] => ({
    ...{ ...HARBOR, role: name, tier: "standard", score: 78, upper: 93, samples: 41 },
    window_days: 30,
    ...{ successes: 36, failures: 5, trend: 4, trust: "contributor", trust_source: "manifest" },
    categories: [{ category: "checks_failed", count: 3 }, { category: "turns", count: 2 }],
    ...{ audit: [], median_secs: 540, tokens: 4_120_000 },
    ...{ cost_basis: "price", cost_usd: 3.4127, cost_unknown: 0 },
    ...{ last_job: "0199d2a4-7c11-7e52-9a1b-3f00c2d41e07", last_at: before(now, 4) },
    ...given,
  });
  return {
    roles: [
      role("ceo", {
        ...{ tier: "deep", score: null, upper: null, samples: 3, successes: 3, failures: 0 },
        ...{ trend: null, categories: [], median_secs: 380, tokens: 310_000 },
        last_at: before(now, 4_300),
      }),
      role("orchestrator", {
        ...{ score: 91, upper: 99, samples: 58, successes: 57, failures: 1 },
        trend: 0,
      }),
      role("engineer", {}),
      role("qa", {
        ...{ cost_basis: "local", cost_usd: null },
        ...{ score: 88, upper: 99, samples: 36, successes: 35, failures: 1 },
        trend: 2,
      }),
      role("gardener", {
        ...{
          tier: "small",
          score: 42,
          upper: 81,
          samples: 12,
          successes: 8,
          failures: 4,
          trend: -11,
        },
        ...{ trust: "observer", trust_source: "demoted" },
        audit: [{
          ...{ at: before(now, 2_900), who: "svc", from: "contributor", to: "observer" },
          ...{ reason: "3 failed jobs in a row", automatic: true },
        }],
      }),
    ],
  };
}

export function throughput(now: number, days = 1): Throughput {
  const hour = now - now % 3_600_000;
  return {
    hourly: Array.from({ length: 24 }, (_, nth) => ({
      hour: before(hour, (23 - nth) * 60),
      completed: Math.max(0, Math.round(7 + 6 * Math.sin(nth / 3.1) + (nth * 5) % 4)),
      failed: nth % 6 === 2 ? 2 : nth % 11 === 7 ? 4 : 0,
      started: 9 + nth % 4,
      tokens: Math.round(900_000 + 600_000 * Math.sin(nth / 3.1 + 0.4)),
    })),
    recent_jobs: facts.jobs(now, 50),
    summary: {
      longest_waits: [
        {
          ...{ ...HARBOR, ticket_id: "T-0029", title: "Choose a currency library" },
          ...{ state: "blocked", zone: "needs_you", why: '"engineer" asks: Which library?' },
          ...{ since: before(now, 3_100), secs: 186_000 },
        },
        {
          ...{ ...HARBOR, ticket_id: "T-0051", title: "Tell berths apart" },
          ...{ state: "backlog", zone: "waiting", why: "Waits for T-0042 (in-progress)" },
          ...{ since: before(now, 700), secs: 42_000 },
        },
      ],
      ...{ window_hours: 24, pending: 3, running: 2, completed: 187, failed: 14, tickets_done: 11 },
      ...{
        lead_time_secs: { median: 5_640, p90: 15_120 },
        ...{ work_time_secs: { median: 2_040, p90: 7_000 }, ticket_days: days },
      },
      ...{ rework_rate: 0.18, tokens: 21_800_000 },
      ...{ cost_basis: "price", cost_usd: 17.9, cost_unknown: 4 },
      ...{ tokens_per_accepted_ticket: 1_980_000, queue_age_secs: 312 },
    },
  };
}

const used = (usd: number | null, tokens: number) => ({
  ...{ jobs: 6, turns: 80, tokens_in: tokens, tokens_cached: tokens / 2, tokens_out: tokens / 20 },
  ...{ tokens_local: 0, tokens_unknown: 0, cost_unknown: 0 },
  ...(usd === null
    ? { cost_basis: "local" as const, cost_usd: null, tokens_local: tokens * 1.05 }
    : { cost_basis: "price" as const, cost_usd: usd }),
});

const NO_USE = {
  ...{ jobs: 0, turns: 0, tokens_in: 0, tokens_cached: 0, tokens_out: 0 },
  ...{ tokens_local: 0, tokens_unknown: 0, cost_unknown: 0, cost_basis: null, cost_usd: null },
};

export function costs(
  now: number,
  { by = "day", days = "30" }: { readonly by?: CostsAnswer["by"]; readonly days?: string } = {},
): CostsAnswer {
  const day = (ago: number) => before(now, ago * 1_440).slice(0, 10);
  const row = (
    key: string | null,
    sum: Omit<CostsAnswer["rows"][number], "key" | "repo" | "repo_id">,
  ) => ({
    ...{ key, repo_id: by === "ticket" && key !== null ? "r-harbor" : null },
    ...{ repo: by === "ticket" && key !== null ? "harbor" : null, ...sum },
  });
  const ofDays = Array.from({ length: Number(days) }, (_, nth) => {
    const ago = Number(days) - 1 - nth;
    const idle = ago % 7 === 5 || ago > 26;
    return row(
      day(ago),
      idle ? NO_USE : used(2.1 + 1.7 * Math.sin(ago / 2), 900_000 + ago * 9_000),
    );
  });
  const others = {
    ticket: [
      row("T-0042", used(9.81, 4_100_000)),
      row("T-0029", {
        ...used(2.4, 1_240_000),
        ...{ tokens_unknown: 300_000, cost_unknown: 2 },
      }),
      row("T-0011", used(null, 5_000_000)),
      row(null, used(0.004, 12_000)),
    ],
    role: [row("engineer", used(11.2, 5_100_000)), row("qa", used(null, 2_000_000))],
    model: [
      row("claude-opus-4-5", used(11.2, 5_100_000)),
      row("Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf", used(null, 2_000_000)),
      row("openrouter/some-model", {
        ...used(null, 300_000),
        ...{ cost_basis: "unknown", tokens_local: 0, tokens_unknown: 315_000, cost_unknown: 2 },
      }),
    ],
    day: ofDays,
  };
  return {
    ...{ by, zone: "UTC", days: Number(days), from: day(Number(days) - 1), to: day(0) },
    ...{ rows: others[by], left_out: 0 },
    total: {
      ...used(42.17, 21_800_000),
      ...{ jobs: 118, tokens_unknown: 300_000, cost_unknown: 2, tokens_local: 5_250_000 },
    },
  };
}

export function debug(now: number): Debug {
  const hook = (nth: number, given: Partial<Debug["webhooks"][number]>) => ({
    ...{
      source: "github",
      id: `72d3162e-cc78-11e3-81ab-4c9367dc09${10 + nth}`,
      event: "issues.labeled",
    },
    ...{ subject: "harbor#318", repo_id: "r-harbor", outcome: "accepted", reason: null },
    at: before(now, 9 + nth * 13),
    ...given,
  });
  return {
    timeline: Array.from({ length: 40 }, (_, nth) => facts.event(now, nth)),
    webhooks: [
      hook(0, {}),
      hook(1, { outcome: "duplicate", reason: "delivery was seen before" }),
      hook(2, {
        outcome: "refused",
        reason: "signature does not match",
        event: "push",
        subject: null,
      }),
      hook(3, {
        outcome: "ignored",
        event: "star.created",
        subject: null,
        reason: "nothing follows from it",
      }),
      hook(4, { source: "linear", event: "Issue.update", subject: "HAR-77" }),
    ],
    wishes: { waiting: 1, failing: 0 },
    denials: jobPage(now).denials.map((one) => ({
      ...one,
      ...{ repo_id: "r-harbor", job_id: facts.job(now).id, role: "engineer" },
    })),
    errors: facts.jobs(now, 60).filter(({ status }) => status === "failed"),
    lanes: [{
      ...{ lane: "r-ledger/engineer", since: before(now, 66) },
      reason: "paused after three failures in a row: model_unreachable",
    }],
    logs: "~/.svc/traces/logs",
    log: "20261121-143012-serve.log",
  };
}

export function evolution(now: number): Evolution {
  const day = (ago: number) => before(now, ago * 1_440).slice(0, 10);
  const change = (given: Partial<Evolution["evolutions"][number]>) => ({
    ...{ at: before(now, 2_900), kind: "trust" as const, ...HARBOR, role: "gardener" },
    ...{ what: "Trust of gardener: contributor to observer", who: "svc", evidence: null },
    reason: "3 failed jobs in a row",
    ...given,
  });
  return {
    evolutions: [
      change({}),
      change({
        ...{ at: before(now, 3_400), kind: "tool", role: "engineer", who: "ada" },
        ...{ what: 'Tool "berth_lookup" was approved', reason: "read only, tested" },
        evidence: "0c1f33b",
      }),
      change({
        ...{ at: before(now, 5_900), kind: "harness", role: null, who: "ada" },
        ...{ what: "max_rework: 2 to 3", reason: null, evidence: "9d41e8a" },
      }),
      change({
        ...{ at: before(now, 8_100), kind: "score", role: "qa", what: "Score of qa: 79 to 88" },
        ...{ reason: "fourteen outcomes, one failure" },
      }),
    ],
    telemetry: [6, 5, 4, 3, 2, 1, 0].flatMap((ago) => [
      { day: day(ago), category: "checks_failed", count: (ago * 3) % 5 },
      { day: day(ago), category: "model_unreachable", count: ago === 1 ? 9 : ago % 2 },
      { day: day(ago), category: "turns", count: ago % 3 },
    ]),
    patterns: [{
      ...{ key: "k1", repo_id: "r-ledger", repo: "ledger", role: "engineer", count: 9 },
      ...{ category: "model_unreachable", signature: "Cannot reach http://127.0.0.1:8080/v1: …" },
      ...{ first_at: before(now, 2_000), last_at: before(now, 66), last_job: facts.job(now).id },
      advice: "Start the model server before svc, or give ledger another endpoint",
    }, {
      ...{ key: "k2", ...HARBOR, role: "engineer", count: 4, category: "checks_failed" },
      signature: "deno lint: no-unused-vars",
      ...{ first_at: before(now, 9_000), last_at: before(now, 400), last_job: facts.job(now).id },
      advice: "Name deno lint in the prompt's checks, or give engineer the skill fix-a-bug",
    }],
  };
}

function listed(): Pick<Reads, "ticket-templates" | "tickets"> {
  const { tickets, "ticket-templates": templates } = ticketShelf(manyTickets(40)).reads;
  return { tickets, "ticket-templates": templates };
}

/** @param now asked at each question, so that ages stay what they are */
export function busyReads(now: () => number, given: Partial<Reads> = {}): Reads {
  const answer = <T>(of: (now: number) => T) => () => Promise.resolve(of(now()));
  return {
    repos: () => Promise.resolve([...facts.REPOS]),
    "repo-roles": ({ repo_id: id }) =>
      Promise.resolve(
        boards(now()).find((one) => one.id === id)?.roles.map(({ role }) => role),
      ),
    pipeline: answer(pipeline),
    orchestration: answer((now) => ({
      repos: boards(now),
      decisions: facts.decisions(now),
      dispositions: facts.decisions(now).map(({ role, disposition, at, job_id }, nth) => ({
        ...{ role, disposition, count: 27 - nth * 4, last_at: at, last_job: job_id },
      })),
    })),
    "orchestration/decisions": answer((now) => ({ decisions: facts.decisions(now) })),
    jobs: ({ before: from, search = "" } = {}) => {
      const all = facts.jobs(now(), 400).filter((job) => JSON.stringify(job).includes(search));
      const at = from === undefined ? 0 : all.findIndex(({ id }) => id === from) + 1;
      const page = all.slice(at, at + 100);
      return Promise.resolve({
        jobs: page,
        before: at + 100 < all.length ? page.at(-1)!.id : null,
      });
    },
    job: answer(jobPage),
    "job-trace": ({ from }) => Promise.resolve(jobTrace(jobSteps(now()), from ? { from } : {})),
    "job-trace-text": () => Promise.resolve(undefined),
    review: answer(() => ({
      ...{ ticket_id: "T-0031", branch: "svc/T-0031", into: "main", commit: "c".repeat(40) },
      ...{ diff: DIFF, diff_cut: false, checks: "passed", said: "The plan is shown by day" },
    })),
    ticket: answer(ticketPage),
    ...listed(),
    debug: answer(debug),
    telemetry: answer((now) => ({
      events: [facts.event(now, 0)],
      stats: { window_hours: 24, total: 1, categories: {}, types: { status_change: 1 } },
    })),
    evolution: answer(evolution),
    roles: answer(roles),
    throughput: ({ days } = {}) => Promise.resolve(throughput(now(), Number(days ?? 1))),
    costs: (query) => Promise.resolve(costs(now(), query)),
    "quality-score": () => Promise.resolve("# Quality\n"),
    ...given,
  };
}
