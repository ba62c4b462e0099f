/** Failures that recur: the same role, cause and words. Pure. */
import { compareText } from "svc/core/order.ts";
import { PATTERN_CHARS, PATTERN_COUNT, PATTERNS_LISTED } from "svc/core/bounds.ts";
import { shortened } from "svc/core/shortened.ts";
import type { Cause, EndedJob, JobOutcome } from "svc/features/scores/outcome.ts";

export interface FailedJob {
  readonly repoId: string;
  readonly role: string;
  readonly cause: Cause;
  readonly why: string;
  /** Epoch ms. */
  readonly at: number;
  readonly job: string;
}

export interface Pattern {
  readonly key: string;
  readonly repoId: string;
  readonly role: string;
  readonly cause: Cause;
  readonly signature: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly lastJob: string;
  readonly advice: string;
}

/** Includes faults of servers and machines: those say something about the setup. */
export function failuresOf(
  repoId: string,
  jobs: readonly EndedJob[],
  outcomes: ReadonlyMap<string, JobOutcome>,
): FailedJob[] {
  return jobs.flatMap(({ id, role, category, reason, finishedAt, decision }) => {
    const of = { repoId, role, at: finishedAt, job: id };
    const outcome = outcomes.get(id);
    if (outcome?.kind === "failure") return { ...of, cause: outcome.cause, why: outcome.why };
    if (category === null || decision?.applied === false) return [];
    return { ...of, cause: category, why: reason ?? category };
  });
}

/** Most specific first. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<id>"],
  [/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, "<time>"],
  [/\bT-\d{4,9}\b/g, "<ticket>"],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/gi, "<hash>"],
  [/\d+(?:\.\d+)*/g, "<n>"],
];

/** Equal for reasons that differ only in numbers, ids, times and hashes. */
export function signatureOf(reason: string): string {
  let text = reason.slice(0, 4 * PATTERN_CHARS);
  for (const [varying, name] of VARYING) text = text.replace(varying, name);
  text = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return shortened(text, PATTERN_CHARS);
}

export const ADVICE: Readonly<Record<Cause, string>> = {
  model_unreachable: "Start the model's server or correct its endpoint: svc models list",
  model_protocol:
    "The model answers in a form that cannot be read: choose another for this role with svc models override",
  rate_limited: "Lower the concurrency, or give this role another model: svc models override",
  context_overflow:
    "Give the role a model with a larger window, or make its prompt and knowledge shorter",
  tool_error: "Read what the tool said in the job's trace; svc tools run repeats the call",
  policy_denied:
    "Read svc trust explain for the denied tool: give the role what it needs, or tell it in its prompt not to try",
  checks_failed:
    "Run the manifest's checks yourself; tell the role in its prompt to run check_run before it finishes",
  budget: "Make its tickets smaller, or raise roles.<role>.limits.budget_tokens in the manifest",
  turns: "Make its tickets smaller, or raise roles.<role>.limits.max_turns in the manifest",
  stuck:
    "Read the newest trace: the role repeats itself where its prompt or a tool's answer leaves it no way on",
  timeout: "Raise roles.<role>.limits.timeout_minutes, or make the checks faster",
  git_conflict:
    "Merge the branch by hand, and let tickets that touch the same files depend on each other",
  lease_expired: "Look whether the machine sleeps or is short of memory: its workers vanish",
  internal:
    "Read the command log below ~/.svc/traces/logs; a fault that comes again is worth a report",
  rework:
    "Read what was asked for in the newest tickets, and put it into the role's prompt or the repo's knowledge",
  rejected: "Read why its pull requests were closed, and put it into the role's prompt",
  overturned: "Tell the judging role in its prompt what it let pass",
  unproven:
    "The role reports what svc does not find: tell it in its prompt to commit before it finishes, and to name a ticket that can start",
};

const byCount = (a: Pattern, b: Pattern) =>
  b.count - a.count || b.lastAt - a.lastAt || (a.key < b.key ? -1 : 1);

export function patternsOf(failures: readonly FailedJob[]): Pattern[] {
  const groups = new Map<string, Pattern>();
  for (const { repoId, role, cause, why, at, job } of failures) {
    const signature = signatureOf(why);
    const key = [repoId, role, cause, signature].join("/");
    const old = groups.get(key);
    const newest = old === undefined || at >= old.lastAt;
    groups.set(key, {
      key,
      repoId,
      role,
      cause,
      signature,
      advice: ADVICE[cause],
      count: (old?.count ?? 0) + 1,
      firstAt: Math.min(at, old?.firstAt ?? at),
      lastAt: newest ? at : old.lastAt,
      lastJob: newest ? job : old.lastJob,
    });
  }
  return [...groups.values()].filter(({ count }) => count >= PATTERN_COUNT)
    .sort(byCount).slice(0, PATTERNS_LISTED);
}

interface DayCount {
  /** `2026-11-21`, UTC. */
  readonly day: string;
  readonly category: Cause;
  readonly count: number;
}

export function failuresByDay(failures: readonly FailedJob[]): DayCount[] {
  return summed(failures.map(({ at, cause }) => ({
    day: new Date(at).toISOString().slice(0, 10),
    category: cause,
    count: 1,
  })));
}

function summed(days: readonly DayCount[]): DayCount[] {
  const counts = new Map<string, DayCount>();
  for (const { day, category, count } of days) {
    const key = `${day} ${category}`;
    counts.set(key, { day, category, count: (counts.get(key)?.count ?? 0) + count });
  }
  return [...counts].sort(([a], [b]) => compareText(a, b)).map(([, one]) => one);
}

export interface RecurringFailures {
  readonly days: readonly DayCount[];
  readonly patterns: readonly Pattern[];
}

export function recurring(failures: readonly FailedJob[]): RecurringFailures {
  return { days: failuresByDay(failures), patterns: patternsOf(failures) };
}

/** @param parts of different repos */
export function joined(parts: readonly RecurringFailures[]): RecurringFailures {
  return {
    days: summed(parts.flatMap(({ days }) => days)),
    patterns: parts.flatMap(({ patterns }) => patterns).sort(byCount).slice(0, PATTERNS_LISTED),
  };
}
