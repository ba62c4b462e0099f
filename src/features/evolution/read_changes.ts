/** Reads what changed about the agents of one repo, newest first, each kind bounded. */
import { EVOLUTIONS_LISTED } from "svc/core/bounds.ts";
import { pausedLanes } from "svc/features/jobs/lane_store.ts";
import { recentEvents } from "svc/features/telemetry/event_views.ts";
import { newestApprovals } from "svc/features/tools/custom/approval_store.ts";
import { trustChanges } from "svc/features/trust/trust_store.ts";
import type { Db } from "svc/store/schema.ts";
import {
  type Change,
  laneEvolution,
  scoreEvolution,
  type ScoreSeen,
  toolEvolution,
  trustEvolution,
} from "./changes.ts";

/** Score updates that are looked through for moves: one comes with each job. */
const SCORE_UPDATES = 2_000;

interface ScoreData {
  readonly role: string;
  readonly score: number | null;
  readonly samples: number;
}

/** Of all repos of the database, oldest first. */
async function scoresSeen(db: Db): Promise<ScoreSeen[]> {
  const events = await recentEvents(db, SCORE_UPDATES, ["score_update"]);
  return events.reverse().flatMap(({ at, repo_id, job_id, data }) => {
    if (repo_id === null) return [];
    const { role, score, samples } = JSON.parse(data) as ScoreData;
    return { at, repoId: repo_id, jobId: job_id, role, score, samples };
  });
}

/** @param now epoch ms */
export async function storedChanges(
  db: Db,
  repoIds: readonly string[],
  now: number,
): Promise<Change[]> {
  const [trust, tools, lanes, scores] = await Promise.all([
    Promise.all(repoIds.map((id) => trustChanges(db, id))),
    Promise.all(repoIds.map((id) => newestApprovals(db, id, EVOLUTIONS_LISTED))),
    pausedLanes(db, now),
    scoresSeen(db),
  ]);
  const known = new Set(repoIds);
  return [
    ...trustEvolution(trust.flat()),
    ...toolEvolution(tools.flat()),
    ...laneEvolution(lanes),
    ...scoreEvolution(scores),
  ].filter(({ repoId }) => known.has(repoId));
}
