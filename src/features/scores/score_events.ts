/** Tells the stream what a job's end did to the scores of its repo. */
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { recentEvents } from "svc/features/telemetry/event_views.ts";
import type { Db } from "svc/store/schema.ts";
import { readScores } from "./read_scores.ts";

/** Score updates that are looked back at for what was told last of each role. */
const LOOKED_BACK = 200;

interface Told {
  readonly role: string;
  readonly score: number | null;
  readonly samples: number;
}

/**
 * One `score_update` of the job's role, and of every other role that it judged or that changed
 * meanwhile. Reads the repo's jobs of the window, so it is called behind the transaction that ended
 * the job; one that is never told because the process died is told at the next job's end.
 * @param now epoch ms
 */
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
  const told = new Map<string, Told>();
  for (const event of await recentEvents(db, LOOKED_BACK, ["score_update"])) {
    if (event.repo_id !== repo_id) continue;
    const one = JSON.parse(event.data) as Told;
    if (!told.has(one.role)) told.set(one.role, one);
  }
  for (const { role, score, samples } of scores) {
    const last = told.get(role);
    const same = (last?.score ?? null) === score && (last?.samples ?? 0) === samples;
    if (same && role !== job.role) continue;
    const data = { repo_id, role, score, samples };
    await recordEvent(db, { type: "score_update", repoId: repo_id, jobId: id, data }, now);
  }
}
