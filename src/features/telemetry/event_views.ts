/** Reads stored events along their indexes; nothing here changes one. */
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { Event } from "./event_store.ts";
import { EVENT_TYPES, type EventType } from "./event_table.ts";

/** Newest first. @param types leave `job_turn` out: it comes every few seconds and hides the others */
export async function recentEvents(
  db: Db,
  limit: number,
  types: readonly EventType[] = EVENT_TYPES,
): Promise<Event[]> {
  const found = await Promise.all(
    types.map((type) =>
      db.selectFrom("events").selectAll().where("type", "=", type)
        .orderBy("at", "desc").orderBy("id", "desc").limit(limit).execute()
    ),
  );
  return found.flat().sort((a, b) => b.id - a.id).slice(0, limit);
}

/** The newest `score_update` of each role of one repo; how much other repos are told of counts for nothing. */
export async function newestScoreUpdates(db: Db, repoId: string): Promise<Event[]> {
  const newest = db.selectFrom("events").select(sql<number>`max(id)`.as("id"))
    .where("type", "=", "score_update").where("repo_id", "=", repoId)
    .groupBy(sql<string>`json_extract(data, '$.role')`);
  return await db.selectFrom("events").selectAll().where("id", "in", newest).execute();
}

export interface EventGroup extends Pick<Event, "repo_id" | "type"> {
  readonly newest: number;
  readonly count: number;
  /** How many of them lie behind `until`. */
  readonly later: number;
}

/** What is stored behind an event, by type and repo. @param after, until ids of events */
export async function eventGroups(
  db: Db,
  { after, until }: { readonly after: number; readonly until: number },
): Promise<EventGroup[]> {
  return await db.selectFrom("events").select([
    "repo_id",
    "type",
    sql<number>`max(id)`.as("newest"),
    sql<number>`count(*)`.as("count"),
    sql<number>`count(CASE WHEN id > ${until} THEN 1 END)`.as("later"),
  ]).where("id", ">", after).groupBy(["repo_id", "type"]).execute();
}

export interface EventCount {
  readonly type: EventType;
  readonly repo_id: string | null;
  readonly count: number;
}

/** @param since epoch ms */
export async function eventCounts(db: Db, since: number): Promise<EventCount[]> {
  const counts = await Promise.all(
    EVENT_TYPES.map((type) =>
      db.selectFrom("events").select(["repo_id", sql<number>`count(*)`.as("count")])
        .where("type", "=", type).where("at", ">=", since).groupBy("repo_id").execute()
        .then((rows) => rows.map((row) => ({ type, ...row })))
    ),
  );
  return counts.flat();
}

export interface CategoryCount {
  readonly repo_id: string | null;
  readonly category: string;
  readonly count: number;
}

/** @param since epoch ms */
export async function categoryCounts(db: Db, since: number): Promise<CategoryCount[]> {
  const category = sql<string>`json_extract(data, '$.category')`;
  return await db.selectFrom("events")
    .select(["repo_id", category.as("category"), sql<number>`count(*)`.as("count")])
    .where("type", "=", "telemetry").where("at", ">=", since)
    .groupBy(["repo_id", category]).orderBy("category").execute();
}

interface TurnEvent {
  readonly job_id: string;
  readonly turn: number;
  readonly tokens: number;
}

/** @param jobs `since` in epoch ms: when its attempt began */
export async function turnEvents(
  db: Db,
  jobs: readonly { readonly id: string; readonly since: number }[],
): Promise<TurnEvent[]> {
  const asked = JSON.stringify(jobs);
  const { rows } = await sql<
    TurnEvent
  >`SELECT event.job_id, CAST(event.data ->> 'turn' AS BIGINT) AS turn,
    CAST(event.data ->> 'tokens_in' AS BIGINT) + CAST(event.data ->> 'tokens_out' AS BIGINT) AS tokens
    FROM json_each(${asked}) AS asked
    CROSS JOIN events AS event INDEXED BY events_by_job
    WHERE event.job_id = asked.value ->> 'id' AND event.type = 'job_turn'
      AND event.at >= CAST(asked.value ->> 'since' AS BIGINT)
    ORDER BY event.id`.execute(db);
  return rows;
}
