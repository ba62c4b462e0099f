/** The evidence of one repo's jobs in a window, joined with how they were judged. */
import { type EndedJob, type Outcome, outcomesOf } from "svc/features/scores/outcome.ts";
import { endedJobs } from "svc/features/scores/outcome_rows.ts";
import type { Db } from "svc/store/schema.ts";
import { evidenceSince } from "./evidence_store.ts";
import { type CodeMetrics, codeMetrics, type Measured } from "./metrics.ts";

const DAY_MS = 86_400_000;

const judged = (outcome: Outcome | undefined) =>
  outcome?.kind === "success" ? true : outcome?.kind === "failure" ? false : undefined;

/** Jobs that ended in the window; as scores, the newest `SCORE_JOBS` of them. @param asked.now epoch ms */
export async function readMetrics(
  db: Db,
  asked: { readonly repoId: string; readonly now: number; readonly days: number },
): Promise<CodeMetrics> {
  const { repoId, now, days } = asked;
  const of = { repoId, since: now - days * DAY_MS };
  const [evidence, jobs] = await Promise.all([evidenceSince(db, of), endedJobs(db, of)]);
  const ended = new Map<string, EndedJob>(jobs.map((job) => [job.id, job]));
  const outcomes = outcomesOf(jobs);
  return codeMetrics(evidence.flatMap((one): Measured[] => {
    const job = ended.get(one.job_id);
    if (job === undefined) return [];
    return [{
      ...one,
      role: job.role,
      tokens: job.tokens,
      fixture: job.evidence === "fixture",
      success: judged(outcomes.get(job.id)),
    }];
  }));
}
