/** The only module that writes the `lanes` table. */
import type { FailureCategory } from "svc/core/disposition.ts";
import type { Db } from "svc/store/schema.ts";
import { failuresInARow } from "./job_views.ts";
import type { Lane, LaneKind } from "./lane_table.ts";

const ROLE_FAILURES = 3;
const ROLE_FAILURES_WINDOW_MS = 15 * 60 * 1000;

interface LanePause {
  readonly kind: LaneKind;
  readonly key: string;
  readonly reason: string;
  readonly category?: FailureCategory;
  /** Epoch ms; absent: a person has to resume the lane. */
  readonly until?: number;
}

export function roleLane(repoId: string, role: string): string {
  return `${repoId}/${role}`;
}

function inForce(db: Db, now: number) {
  return db.selectFrom("lanes").selectAll()
    .where((is) => is.or([is("until", "is", null), is("until", ">", now)]));
}

/** True when the lane was open, so that only the first pause is announced. */
export async function pauseLane(db: Db, pause: LanePause, now: number): Promise<boolean> {
  const { kind, key, reason, category = null, until = null } = pause;
  const before = await inForce(db, now).where("kind", "=", kind).where("key", "=", key)
    .executeTakeFirst();
  const values = { reason, category, until, paused_at: now };
  await db.insertInto("lanes").values({ kind, key, ...values })
    .onConflict((on) => on.columns(["kind", "key"]).doUpdateSet(values)).execute();
  return before === undefined;
}

export async function resumeLane(db: Db, kind: LaneKind, key: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom("lanes")
    .where("kind", "=", kind).where("key", "=", key).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Those of its roles, whatever paused them. */
export async function resumeRolesOf(db: Db, repoId: string): Promise<void> {
  const lane = roleLane(repoId, "");
  await db.deleteFrom("lanes").where("kind", "=", "role")
    .where("key", ">=", lane).where("key", "<", `${lane.slice(0, -1)}0`).execute();
}

/** @returns keys of the resumed lanes */
export async function resumeModelsOf(db: Db, repoId: string): Promise<string[]> {
  const waiting = db.selectFrom("jobs").select("lane")
    .where("repo_id", "=", repoId).where("status", "=", "pending").where("lane", "is not", null);
  const resumed = await db.deleteFrom("lanes").where("kind", "=", "model")
    .where("key", "in", waiting).returning("key").execute();
  return resumed.map(({ key }) => key);
}

export function pausedLanes(db: Db, now: number): Promise<Lane[]> {
  return inForce(db, now).orderBy("kind").orderBy("key").execute();
}

/** Call it in the transaction in which a job fails. Only a completed job resets the count. */
export async function pauseFailingRole(
  db: Db,
  { repo_id, role }: { readonly repo_id: string; readonly role: string },
  now: number,
): Promise<boolean> {
  const since = now - ROLE_FAILURES_WINDOW_MS;
  const failures = await failuresInARow(db, repo_id, role, { since, now });
  if (failures < ROLE_FAILURES) return false;
  const minutes = ROLE_FAILURES_WINDOW_MS / 60_000;
  const reason = `${failures} jobs of role "${role}" failed within ${minutes} min`;
  return await pauseLane(db, { kind: "role", key: roleLane(repo_id, role), reason }, now);
}
