/** The only module that writes the `events` table. */
import type { Row } from "svc/store/columns.ts";
import { answerLater, sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { EventType, table } from "./event_table.ts";

/** How long events are kept, and how many (some 60 MB); they are removed in short statements. */
const EVENTS_KEEP_MS = 30 * 24 * 60 * 60 * 1000;
const EVENTS_KEPT = 200_000;
export const EVENTS_FORGOTTEN_AT_ONCE = 5_000;

export type Event = Row<typeof table>;

interface NewEvent {
  readonly type: EventType;
  readonly repoId?: string;
  readonly jobId?: string;
  /** Redacted. */
  readonly data: Readonly<Record<string, unknown>>;
}

const rowOf = ({ type, repoId, jobId, data }: NewEvent, now: number) => ({
  at: now,
  type,
  repo_id: repoId ?? null,
  job_id: jobId ?? null,
  data: JSON.stringify(data),
});

/** Call it before the broadcast. @returns its id */
export async function recordEvent(db: Db, event: NewEvent, now: number): Promise<number> {
  const { id } = await db.insertInto("events").values(rowOf(event, now)).returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** In this order, by one statement. */
export async function recordEvents(
  db: Db,
  events: readonly NewEvent[],
  now: number,
): Promise<void> {
  await db.insertInto("events").values(events.map((event) => rowOf(event, now)))
    .modifyEnd(answerLater).execute();
}

export function eventsAfter(db: Db, id: number, limit: number): Promise<Event[]> {
  return db.selectFrom("events").selectAll().where("id", ">", id).orderBy("id").limit(limit)
    .execute();
}

/** Oldest first. */
export function eventsOfJob(db: Db, jobId: string, types: readonly EventType[]): Promise<Event[]> {
  return db.selectFrom("events").selectAll().where("job_id", "=", jobId)
    .where("type", "in", types).orderBy("id").execute();
}

/** @param until the last id of interest */
export async function newestAfter(
  db: Db,
  id: number,
  limit: number,
  until = Number.MAX_SAFE_INTEGER,
): Promise<Event[]> {
  const newest = await db.selectFrom("events").selectAll().where("id", ">", id)
    .where("id", "<=", until).orderBy("id", "desc").limit(limit).execute();
  return newest.reverse();
}

export async function lastEventId(db: Db): Promise<number> {
  const row = await db.selectFrom("events").select(sql<number | null>`max(id)`.as("id"))
    .executeTakeFirst();
  return row?.id ?? 0;
}

/** Transactions on a server that are about to store an event, or have just done so. */
export async function eventWriters(db: Db): Promise<string[]> {
  const { rows } = await sql<{ writer: string }>`SELECT writer FROM svc_event_writers() AS writer`
    .execute(db);
  return rows.map(({ writer }) => writer);
}

/** Reports count `telemetry` events over longer windows: those stay. @returns how many */
export async function forgetEvents(
  db: Db,
  now: number,
  { keepMs = EVENTS_KEEP_MS, most = EVENTS_KEPT } = {},
): Promise<number> {
  const ids = () => db.selectFrom("events").select("id").orderBy("id");
  // Ids grow with times, except after a clock was set back.
  const young = await ids().where("at", ">=", now - keepMs).limit(1).executeTakeFirst();
  const last = await lastEventId(db);
  const until = Math.max(last - most, (young?.id ?? last + 1) - 1);
  let forgotten = 0;
  for (;;) {
    const some = ids().where("id", "<=", until).where("type", "<>", "telemetry")
      .limit(EVENTS_FORGOTTEN_AT_ONCE);
    const { numDeletedRows } = await db.deleteFrom("events").where("id", "in", some)
      .executeTakeFirst();
    forgotten += Number(numDeletedRows);
    if (numDeletedRows < BigInt(EVENTS_FORGOTTEN_AT_ONCE)) return forgotten;
  }
}

/** @param before epoch ms */
export async function forgetTelemetry(db: Db, before: number): Promise<void> {
  await db.deleteFrom("events").where("type", "=", "telemetry").where("at", "<", before).execute();
}
