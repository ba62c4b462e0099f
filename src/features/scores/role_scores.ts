/** Scores of one repo's roles from their outcomes: share, confidence, causes and trend. Pure. */
import { compareText } from "svc/core/order.ts";
import { type CostSum, costSum } from "svc/core/cost.ts";
import { SCORE_SAMPLES } from "svc/core/bounds.ts";
import type { Cause, EndedJob, JobOutcome } from "./outcome.ts";
import { wilson } from "./wilson.ts";

export interface CauseCount {
  readonly category: Cause;
  readonly count: number;
  readonly tickets: readonly string[];
}

export interface RoleScore {
  readonly role: string;
  /** Wilson 95 % bounds times 100; null with fewer than `SCORE_SAMPLES` outcomes. */
  readonly score: number | null;
  readonly upper: number | null;
  readonly samples: number;
  readonly successes: number;
  readonly failures: number;
  /** In points against the window before; null where either has no score. */
  readonly trend: number | null;
  readonly categories: readonly CauseCount[];
  readonly open: number;
  readonly fixture: number;
  /** Null where no start is known. */
  readonly medianMs: number | null;
  readonly tokens: number;
  readonly cost: CostSum;
  readonly lastJob: string | null;
  readonly lastAt: number | null;
}

interface ScoreWindow {
  /** Epoch ms, exclusive. */
  readonly until: number;
  readonly days: number;
}

const DAY_MS = 86_400_000;

export function windowStart({ until, days }: ScoreWindow): number {
  return until - days * DAY_MS;
}

/** Epoch ms; nothing older counts. */
export function scoredSince({ until, days }: ScoreWindow): number {
  return until - 2 * days * DAY_MS;
}

export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

const scoreOf = (successes: number, samples: number) =>
  samples < SCORE_SAMPLES ? undefined : wilson(successes, samples);

const round = (points: number) => Math.round(points * 10) / 10;

interface JudgedJob {
  readonly job: EndedJob;
  readonly outcome: JobOutcome;
}

const TICKETS = 3;

function causesOf(judged: readonly JudgedJob[]): CauseCount[] {
  const failed = judged.flatMap(({ job, outcome }) =>
    outcome.kind === "failure" ? { job, cause: outcome.cause } : []
  );
  return [...Map.groupBy(failed, ({ cause }) => cause)].map(([category, some]) => {
    const newest = some.toSorted((a, b) => b.job.finishedAt - a.job.finishedAt);
    const tickets = new Set(newest.flatMap(({ job }) => job.ticket ?? []));
    return { category, count: some.length, tickets: [...tickets].slice(0, TICKETS) };
  }).sort((a, b) => b.count - a.count || compareText(a.category, b.category));
}

const counts = ({ outcome }: JudgedJob) => outcome.kind === "success" || outcome.kind === "failure";

function roleScore(
  role: string,
  now: readonly JudgedJob[],
  before: readonly JudgedJob[],
): RoleScore {
  const counted = now.filter(counts);
  const successes = counted.filter(({ outcome }) => outcome.kind === "success").length;
  const samples = counted.length;
  const interval = scoreOf(successes, samples);
  const earlier = before.filter(counts);
  const former = scoreOf(
    earlier.filter(({ outcome }) => outcome.kind === "success").length,
    earlier.length,
  );
  const times = now.flatMap(({ job: { startedAt, finishedAt } }) =>
    startedAt === null ? [] : Math.max(0, finishedAt - startedAt)
  );
  const last = now.reduce<JudgedJob | undefined>(
    (newest, one) =>
      newest === undefined || one.job.finishedAt >= newest.job.finishedAt ? one : newest,
    undefined,
  );
  return {
    role,
    samples,
    successes,
    failures: samples - successes,
    score: interval?.lower ?? null,
    upper: interval?.upper ?? null,
    trend: interval === undefined || former === undefined
      ? null
      : round(interval.lower - former.lower),
    categories: causesOf(counted),
    open: now.filter(({ outcome }) => outcome.kind === "open").length,
    fixture: counted.filter(({ job }) => job.evidence === "fixture").length,
    medianMs: median(times),
    tokens: now.reduce((sum, { job }) => sum + job.tokens, 0),
    cost: costSum(now.map(({ job }) => job.cost)),
    lastJob: last?.job.id ?? null,
    lastAt: last?.job.finishedAt ?? null,
  };
}

/** Roles in the order of `roles`, then others. Later jobs than the window's may be among `jobs`. */
export function roleScores(
  jobs: readonly EndedJob[],
  outcomes: ReadonlyMap<string, JobOutcome>,
  { roles, window }: { readonly roles: readonly string[]; readonly window: ScoreWindow },
): RoleScore[] {
  const from = windowStart(window);
  const since = scoredSince(window);
  const names = new Set(roles);
  const byRole = new Map<string, { now: JudgedJob[]; before: JudgedJob[] }>();
  for (const job of jobs) {
    if (job.finishedAt < since || job.finishedAt >= window.until) continue;
    const judged = { job, outcome: outcomes.get(job.id) ?? { kind: "none" } } as const;
    const of = byRole.get(job.role) ?? { now: [], before: [] };
    (job.finishedAt >= from ? of.now : of.before).push(judged);
    byRole.set(job.role, of);
  }
  const others = [...byRole.keys()].filter((role) => !names.has(role)).sort();
  return [...names, ...others].map((role) => {
    const { now, before } = byRole.get(role) ?? { now: [], before: [] };
    return roleScore(role, now, before);
  });
}
