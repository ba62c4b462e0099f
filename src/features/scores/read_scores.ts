/** Reads the current scores of one repo's roles. */
import { SCORE_WINDOW_DAYS } from "svc/core/bounds.ts";
import type { Db } from "svc/store/schema.ts";
import { endedJobs } from "./outcome_rows.ts";
import { type EndedJob, type JobOutcome, outcomesOf } from "./outcome.ts";
import { type RoleScore, roleScores, scoredSince, windowStart } from "./role_scores.ts";

interface ReadScores {
  readonly scores: readonly RoleScore[];
  readonly jobs: readonly EndedJob[];
  readonly outcomes: ReadonlyMap<string, JobOutcome>;
}

export async function readScores(
  db: Db,
  asked: {
    readonly repoId: string;
    readonly roles: readonly string[];
    /** Epoch ms. */
    readonly now: number;
    readonly days?: number;
    readonly trend?: boolean;
  },
): Promise<ReadScores> {
  const { repoId, roles, now, days = SCORE_WINDOW_DAYS, trend = true } = asked;
  // Includes jobs that ended in this very millisecond.
  const window = { until: now + 1, days };
  const since = trend ? scoredSince(window) : windowStart(window);
  const jobs = await endedJobs(db, { repoId, since });
  const outcomes = outcomesOf(jobs);
  return { scores: roleScores(jobs, outcomes, { roles, window }), jobs, outcomes };
}
