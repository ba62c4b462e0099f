/** The only module that writes the `queue_state` table. A pause keeps workers from claiming jobs. */
import type { Db } from "svc/store/schema.ts";

type ClaimState =
  | { readonly paused: false }
  | { readonly paused: true; readonly reason: string; readonly since: number };

/** A queue that is paused already keeps its reason and time. */
export async function pauseQueue(db: Db, reason: string, now: number): Promise<void> {
  await db.insertInto("queue_state").values({ id: 1, paused: 1, reason, since: now })
    .onConflict((on) =>
      on.column("id").doUpdateSet({ paused: 1, reason, since: now })
        .where("queue_state.paused", "=", 0)
    ).execute();
}

export async function resumeQueue(db: Db): Promise<void> {
  await db.updateTable("queue_state").set({ paused: 0, reason: null, since: null })
    .where("paused", "=", 1).execute();
}

export async function claimState(db: Db): Promise<ClaimState> {
  const row = await db.selectFrom("queue_state").selectAll().where("paused", "=", 1)
    .executeTakeFirst();
  return row === undefined
    ? { paused: false }
    : { paused: true, reason: row.reason!, since: row.since! };
}
