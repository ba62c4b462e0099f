/** The only module that writes the `trust` and `trust_audit` tables, always both together. */
import { DEMOTION_DENIED_JOBS, DEMOTION_WINDOW_MS } from "svc/core/bounds.ts";
import type { TrustLevel } from "svc/core/permission.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { Db } from "svc/store/schema.ts";
import type { TrustChange } from "./trust_audit_table.ts";
import type { TrustRecord } from "./trust_table.ts";

const TRUST_CHANGES_LISTED = 200;

type TrustSource = "manifest" | "override" | "demotion";

export interface Trust {
  readonly level: TrustLevel;
  readonly source: TrustSource;
  /** Epoch ms; undefined when the manifest alone says so. */
  readonly since?: number;
  readonly reason?: string;
}

export interface TrustRequest {
  readonly repoId: string;
  readonly role: string;
  readonly level: TrustLevel;
  readonly manifestLevel: TrustLevel;
  readonly reason: string;
  readonly who: string;
}

interface ChangedTrust {
  readonly before: Trust;
  readonly after: Trust;
  /** False: the same override was already in force. */
  readonly changed: boolean;
}

export function trustFrom(record: TrustRecord | undefined, manifestLevel: TrustLevel): Trust {
  if (record === undefined) return { level: manifestLevel, source: "manifest" };
  const { level, automatic, set_at, reason } = record;
  return { level, source: automatic === 1 ? "demotion" : "override", since: set_at, reason };
}

function recordOf(db: Db, repoId: string, role: string): Promise<TrustRecord | undefined> {
  return db.selectFrom("trust").selectAll().where("repo_id", "=", repoId).where("role", "=", role)
    .executeTakeFirst();
}

/** Read from the database at each call, so a change counts from the next call on. */
export async function trustOf(
  db: Db,
  repoId: string,
  role: string,
  manifestLevel: TrustLevel,
): Promise<Trust> {
  return trustFrom(await recordOf(db, repoId, role), manifestLevel);
}

export function trustRecords(db: Db, repoId: string): Promise<TrustRecord[]> {
  return db.selectFrom("trust").selectAll().where("repo_id", "=", repoId).orderBy("role").execute();
}

export function trustChanges(db: Db, repoId: string): Promise<TrustChange[]> {
  return db.selectFrom("trust_audit").selectAll().where("repo_id", "=", repoId)
    .orderBy("id", "desc").limit(TRUST_CHANGES_LISTED).execute();
}

function together<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

async function write(
  db: Db,
  { repoId, role, level, reason, who }: TrustRequest,
  { from, automatic, now }: { from: TrustLevel; automatic: 0 | 1; now: number },
): Promise<void> {
  const record = { level, reason, set_by: who, set_at: now, automatic };
  await db.insertInto("trust").values({ repo_id: repoId, role, ...record })
    .onConflict((conflict) => conflict.columns(["repo_id", "role"]).doUpdateSet(record)).execute();
  await db.insertInto("trust_audit").values({
    at: now,
    who,
    repo_id: repoId,
    role,
    reason,
    automatic,
    from_level: from,
    to_level: level,
  }).execute();
  const data = { role, from, to: level, automatic: automatic === 1 };
  await recordEvent(db, { type: "trust_change", repoId, data }, now);
}

export function plannedTrust(
  before: Trust,
  { level, reason }: TrustRequest,
  now: number,
): ChangedTrust {
  if (before.source !== "manifest" && before.level === level) {
    return { before, after: before, changed: false };
  }
  return { before, after: { level, source: "override", since: now, reason }, changed: true };
}

/** @param now epoch ms */
export function setTrust(db: Db, change: TrustRequest, now: number): Promise<ChangedTrust> {
  const { repoId, role, manifestLevel } = change;
  return together(db, async (db) => {
    const planned = plannedTrust(await trustOf(db, repoId, role, manifestLevel), change, now);
    if (planned.changed) {
      await write(db, change, { from: planned.before.level, automatic: 0, now });
    }
    return planned;
  });
}

/** Jobs before a person's last decision do not count. @param policyDeniedAt epoch ms */
export function isDue(
  trust: { readonly level: TrustLevel; readonly since?: number },
  policyDeniedAt: readonly number[],
  now: number,
): boolean {
  if (trust.level !== "contributor") return false;
  // A decision that a clock far ahead stored would shield the role for as long.
  const decided = trust.since === undefined || trust.since > now ? 0 : trust.since;
  const since = Math.max(now - DEMOTION_WINDOW_MS, decided);
  return policyDeniedAt.filter((at) => at > since && at <= now).length >= DEMOTION_DENIED_JOBS;
}

function demotionReason(): string {
  const hours = DEMOTION_WINDOW_MS / (60 * 60 * 1000);
  return `${DEMOTION_DENIED_JOBS} jobs within ${hours} h ended because the policy denied what ` +
    "they tried";
}

/** Undefined when nothing is due. @param asked.policyDeniedAt epoch ms, in any order */
export function demoteIfDue(
  db: Db,
  asked: {
    readonly repoId: string;
    readonly role: string;
    readonly manifestLevel: TrustLevel;
    readonly policyDeniedAt: readonly number[];
    readonly now: number;
  },
): Promise<ChangedTrust | undefined> {
  const { repoId, role, manifestLevel, policyDeniedAt, now } = asked;
  return together(db, async (db) => {
    const before = await trustOf(db, repoId, role, manifestLevel);
    if (!isDue(before, policyDeniedAt, now)) return undefined;
    const reason = demotionReason();
    const change = { repoId, role, manifestLevel, reason, level: "observer", who: "svc" } as const;
    await write(db, change, { from: before.level, automatic: 1, now });
    return { before, after: await trustOf(db, repoId, role, manifestLevel), changed: true };
  });
}
