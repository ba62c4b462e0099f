/** The turns of jobs that run, as they were told; nothing here changes an event. */
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";

export interface TurnEvent {
  readonly job_id: string;
  readonly turn: number;
  /** In and out. */
  readonly tokens: number;
}

/** In the order they were told. @param since epoch ms, such as when the newest attempt began */
export async function turnEvents(
  db: Db,
  jobs: readonly { readonly id: string; readonly since: number }[],
): Promise<TurnEvent[]> {
  const asked = JSON.stringify(jobs);
  const { rows } = await sql<
    TurnEvent
  >`SELECT event.job_id, json_extract(event.data, '$.turn') AS turn,
    json_extract(event.data, '$.tokens_in') + json_extract(event.data, '$.tokens_out') AS tokens
    FROM json_each(${asked}) AS asked
    CROSS JOIN events AS event INDEXED BY events_by_job
    ON event.job_id = asked.value ->> 'id'
    WHERE event.type = 'job_turn' AND event.at >= asked.value ->> 'since'
    ORDER BY event.id`.execute(db);
  return rows;
}
