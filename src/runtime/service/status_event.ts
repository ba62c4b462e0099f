/** The stored event of each change of a service's state (spec section 6, `status_change`). */
import { pauseQueue, resumeQueue } from "svc/features/jobs/queue_store.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { Db } from "svc/store/schema.ts";

export type StatusState =
  | "claiming"
  | "paused"
  | "running"
  | "restarting"
  | "emergency_stop"
  | "stopping"
  | "stopped";

export async function recordStatus(
  db: Db,
  state: StatusState,
  now: number,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await recordEvent(db, { type: "status_change", data: { state, ...more } }, now);
}

/** Data of the event. @param reason why claims are paused; undefined when they are not */
export function claimsData(reason: string | undefined) {
  return { claims: reason === undefined ? "claiming" : "paused", reason: reason ?? null };
}

export async function pauseClaims(
  db: Db,
  reason: string,
  now: number,
  state: "paused" | "emergency_stop" = "paused",
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // The emergency's reason replaces that of an earlier pause.
    if (state === "emergency_stop") await resumeQueue(tx);
    await pauseQueue(tx, reason, now);
    await recordStatus(tx, state, now, claimsData(reason));
  });
}

export async function resumeClaims(db: Db, now: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await resumeQueue(tx);
    await recordStatus(tx, "claiming", now, claimsData(undefined));
  });
}
