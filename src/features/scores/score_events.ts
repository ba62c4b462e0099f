/** Records and reads `score_update` events: what a job's end did to the scores of its repo. */
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { recentEvents } from "svc/features/telemetry/event_views.ts";
import type { Db } from "svc/store/schema.ts";
import { readScores } from "./read_scores.ts";

const LOOKED_BACK = 200;

export interface ScoreUpdate {
  /** Epoch ms. */
  readonly at: number;
  readonly repo_id: string;
  readonly job_id: string | null;
  readonly role: string;
  readonly score: number | null;
  readonly samples: number;
}

export async function scoreUpdates(db: Db, limit: number): Promise<ScoreUpdate[]> {
  const events = await recentEvents(db, limit, ["score_update"]);
  return events.flatMap(({ at, repo_id, job_id, data }) =>
    repo_id === null ? [] : [{ ...JSON.parse(data), at, repo_id, job_id }]
  );
}

/** Runs after the transaction that ended the job; if missed, the next job's end makes up for it. */
export async function tellScores(
  db: Db,
  job: { readonly id: string; readonly repo_id: string; readonly role: string },
  now: number,
): Promise<void> {
  const { repo_id, id } = job;
  const { scores } = await readScores(db, {
    repoId: repo_id,
    roles: [job.role],
    now,
    trend: false,
  });
  const told = new Map<string, ScoreUpdate>();
  for (const update of await scoreUpdates(db, LOOKED_BACK)) {
    if (update.repo_id === repo_id && !told.has(update.role)) told.set(update.role, update);
  }
  for (const { role, score, samples } of scores) {
    const last = told.get(role);
    const same = (last?.score ?? null) === score && (last?.samples ?? 0) === samples;
    if (same && role !== job.role) continue;
    const data = { repo_id, role, score, samples };
    await recordEvent(db, { type: "score_update", repoId: repo_id, jobId: id, data }, now);
  }
}
