/** Ended jobs for tests of what is pure. */
import type { Disposition } from "svc/core/disposition.ts";
import type { EndedJob, JobDecision, JobSettlement } from "svc/features/scores/outcome.ts";

export type Sample =
  & Partial<Omit<EndedJob, "decision" | "settlement">>
  & {
    readonly role: string;
    readonly disposition: Disposition;
    readonly decision?: Partial<JobDecision> | null;
    readonly settlement?: Partial<JobSettlement>;
  };

export const NOON = Date.parse("2026-06-01T12:00:00Z");

/** Each ends a minute after the one before, and has its place in the list as its id. */
export function ends(samples: readonly Sample[]): EndedJob[] {
  return samples.map(({ decision, settlement, ...sample }, at) => ({
    ...{ id: String(at), ticket: "T-0001", category: null, reason: null, evidence: "live" },
    ...{ startedAt: NOON + at * 60_000 - 30_000, finishedAt: NOON + at * 60_000, tokens: 100 },
    cost: { cost_basis: "price", cost_usd: 0.25 },
    ...sample,
    decision: decision === null ? undefined : {
      ...{ applied: true, reported: sample.disposition, sameCommit: true },
      ...{ nextJob: null, nextBegan: false, stop: null },
      ...decision,
    },
    settlement: settlement === undefined ? undefined : {
      ...{ state: "done", to: "done", merges: true, reason: "said so" } as const,
      ...settlement,
    },
  }));
}
