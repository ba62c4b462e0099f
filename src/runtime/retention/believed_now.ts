/** The time with which ages are computed, from the clock and from what the database remembers of it. */
import { believedTime } from "svc/features/retention/believed_time.ts";
import { newestEnd } from "svc/features/retention/ended_jobs.ts";
import { retentionState, storeClock } from "svc/features/retention/state_store.ts";
import type { Clock } from "svc/platform/clock.ts";
import { teamNow } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";

/**
 * The time with which ages are computed: the clock's, unless it jumped ahead since the last look.
 * @returns undefined before any time was believed; a far clock is asked again a day later
 */
export async function retentionNow(
  { db, clock }: { readonly db: Db; readonly clock: Pick<Clock, "now"> },
): Promise<number | undefined> {
  const { now, facts } = believedTime(await retentionState(db), await teamNow(db, clock.now()));
  await storeClock(db, facts);
  return now;
}

/** For a prune by hand: before the first look, the time of the newest job is used. */
export async function timeByHand(
  db: Db,
  wall: number,
): Promise<{ readonly now: number; readonly doubted: boolean }> {
  const state = await retentionState(db);
  const believed_at = state.believed_at ?? await newestEnd(db) ?? wall;
  const { now, doubted } = believedTime({ ...state, believed_at }, wall);
  return { now: now ?? wall, doubted: doubted !== undefined };
}
