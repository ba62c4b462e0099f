/** The only module that writes the `retention_state` table. */
import type { Db } from "svc/store/schema.ts";
import type { ClockFacts } from "./believed_time.ts";
import type { RetentionState } from "./state_table.ts";

/** Time between two runs of a service; several on one database take turns. */
export const RETENTION_EVERY_MS = 24 * 60 * 60 * 1000;

const NOTHING: RetentionState = { id: 1, believed_at: null, doubted_at: null, ran_at: null };

export async function retentionState(db: Db): Promise<RetentionState> {
  const row = await db.selectFrom("retention_state").selectAll().executeTakeFirst();
  return row ?? NOTHING;
}

export async function storeClock(db: Db, facts: ClockFacts): Promise<void> {
  await db.insertInto("retention_state").values({ ...NOTHING, ...facts })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ ...facts })).execute();
}

/** The day's run goes to whoever asks first. A time ahead of `now` is that of a clock set back since. */
export const isRunDue = ({ ran_at }: Pick<RetentionState, "ran_at">, now: number): boolean =>
  ran_at === null || ran_at > now || now - ran_at >= RETENTION_EVERY_MS;

/** A run that was killed is due again after this time, not a day later. */
const RETENTION_AGAIN_MS = 60 * 60 * 1000;

/** What is noted of a run from its beginning to its end. */
export const begunRun = (now: number): number => now - RETENTION_EVERY_MS + RETENTION_AGAIN_MS;

/** Whoever takes it says when it ended. False when another process has taken the run meanwhile. */
export async function takeRun(db: Db, seen: RetentionState, now: number): Promise<boolean> {
  await db.insertInto("retention_state").values(NOTHING)
    .onConflict((conflict) => conflict.doNothing()).execute();
  const { numUpdatedRows } = await db.updateTable("retention_state").set({ ran_at: begunRun(now) })
    .where("ran_at", "is not distinct from", seen.ran_at).executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** @param now as `takeRun` was given it */
export async function runEnded(db: Db, now: number): Promise<void> {
  await db.updateTable("retention_state").set({ ran_at: now })
    .where("ran_at", "=", begunRun(now)).execute();
}
