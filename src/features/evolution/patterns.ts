/** Failures that come again: the same role, the same cause, the same words. Pure. */
import { PATTERN_COUNT, PATTERNS_LISTED } from "svc/core/bounds.ts";
import type { Cause, EndedJob, Outcome } from "svc/features/scores/outcome.ts";
import { adviceOn } from "./advice.ts";
import { signatureOf } from "./signature.ts";

export interface Failed {
  readonly repoId: string;
  readonly role: string;
  readonly cause: Cause;
  readonly why: string;
  /** Epoch ms. */
  readonly at: number;
  readonly job: string;
}

export interface Pattern {
  /** Repo, role, cause and signature. */
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

/** What went wrong, faults of servers and machines too: they say nothing of the role, but of the setup. */
export function failuresOf(
  repoId: string,
  jobs: readonly EndedJob[],
  outcomes: ReadonlyMap<string, Outcome>,
): Failed[] {
  return jobs.flatMap(({ id, role, category, reason, finishedAt, decision }) => {
    const of = { repoId, role, at: finishedAt, job: id };
    const outcome = outcomes.get(id);
    if (outcome?.kind === "failure") return { ...of, cause: outcome.cause, why: outcome.why };
    if (category === null || decision?.applied === false) return [];
    return { ...of, cause: category, why: reason ?? category };
  });
}

/** Most frequent first, then newest. */
export function patternsOf(failures: readonly Failed[]): Pattern[] {
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
      advice: adviceOn(cause),
      count: (old?.count ?? 0) + 1,
      firstAt: Math.min(at, old?.firstAt ?? at),
      lastAt: newest ? at : old.lastAt,
      lastJob: newest ? job : old.lastJob,
    });
  }
  return [...groups.values()].filter(({ count }) => count >= PATTERN_COUNT)
    .sort((a, b) => b.count - a.count || b.lastAt - a.lastAt || (a.key < b.key ? -1 : 1))
    .slice(0, PATTERNS_LISTED);
}

export interface DayCount {
  /** `2026-11-21`, UTC. */
  readonly day: string;
  readonly category: Cause;
  readonly count: number;
}

/** Oldest first. */
export function failuresByDay(failures: readonly Failed[]): DayCount[] {
  const counts = new Map<string, DayCount>();
  for (const { at, cause } of failures) {
    const day = new Date(at).toISOString().slice(0, 10);
    const key = `${day} ${cause}`;
    counts.set(key, { day, category: cause, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts].sort(([a], [b]) => a < b ? -1 : 1).map(([, one]) => one);
}
