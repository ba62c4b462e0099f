/** Records and reads `score_update` events: what a job's end did to the scores of its repo. */
import { type Event, recordEvent } from "svc/features/telemetry/event_store.ts";
import { newestScoreUpdates, recentEvents } from "svc/features/telemetry/event_views.ts";
import type { Db } from "svc/store/schema.ts";
import { readScores } from "./read_scores.ts";

export interface ScoreUpdate {
  /** Epoch ms. */
  readonly at: number;
  readonly repo_id: string;
  readonly job_id: string | null;
  readonly role: string;
  readonly score: number | null;
  readonly samples: number;
}

function updatesIn(events: readonly Event[]): ScoreUpdate[] {
  return events.flatMap(({ at, repo_id, job_id, data }) =>
    repo_id === null ? [] : [{ ...JSON.parse(data), at, repo_id, job_id }]
  );
}

/** Newest first, whatever repo they are about. */
export async function scoreUpdates(db: Db, limit: number): Promise<ScoreUpdate[]> {
  return updatesIn(await recentEvents(db, limit, ["score_update"]));
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
  const told = new Map(
    updatesIn(await newestScoreUpdates(db, repo_id)).map((update) => [update.role, update]),
  );
  for (const { role, score, samples } of scores) {
    const last = told.get(role);
    const same = (last?.score ?? null) === score && (last?.samples ?? 0) === samples;
    if (same && role !== job.role) continue;
    const data = { repo_id, role, score, samples };
    await recordEvent(db, { type: "score_update", repoId: repo_id, jobId: id, data }, now);
  }
}
