/** The only module that writes the `events` table. */
import type { Selectable } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { EventTable, EventType } from "./event_table.ts";

export type Event = Selectable<EventTable>;

export interface Happening {
  readonly type: EventType;
  readonly repoId?: string;
  readonly jobId?: string;
  /** Redacted. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Before it is broadcast. @returns its id */
export async function recordEvent(
  db: Db,
  { type, repoId, jobId, data }: Happening,
  now: number,
): Promise<number> {
  const { id } = await db.insertInto("events").values({
    at: now,
    type,
    repo_id: repoId ?? null,
    job_id: jobId ?? null,
    data: JSON.stringify(data),
  }).returning("id").executeTakeFirstOrThrow();
  return id;
}

/** In order. */
export function eventsAfter(db: Db, id: number, limit: number): Promise<Event[]> {
  return db.selectFrom("events").selectAll().where("id", ">", id).orderBy("id").limit(limit)
    .execute();
}
